
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/model_report/advice.h"
#include "tools/model_report/pages.h"
#include "tools/runner/command_line.h"
#include "tools/runner/op_profile.h"

namespace gles_delegate {
namespace {

std::string TextHead(const ReportData& data) {
  std::string text = absl::StrFormat(
      "%s\n%s: %d of %s on the GPU, %s\n%s (%s), %s, TFLite %s\n",
      VerdictOf(data), data.model, data.nodes_delegated,
      Count(data.nodes_total, "node"),
      Count(data.partitions.size(), "partition"), data.renderer, data.driver,
      data.precision, data.runtime);
  if (data.invoke_ms > 0) {
    absl::StrAppendFormat(&text, "%.3f ms an inference (median)\n",
                          data.invoke_ms);
  }
  if (data.subgraphs > 1) {
    absl::StrAppendFormat(
        &text, "The first of %d subgraphs is listed; the counts are of all.\n",
        data.subgraphs);
  }
  return Wrap(text, 2);
}

std::string ShadersOf(const NodeRow& row) {
  std::vector<std::string> shaders;
  for (const DispatchFacts& dispatch : row.dispatches) {
    shaders.push_back(dispatch.shader);
  }
  return absl::StrJoin(shaders, " ");
}

std::string Line(const NodeRow& row, bool profiled) {
  const std::string shape =
      row.node.outputs.empty() ? "" : row.node.outputs[0].ToString();
  std::string line = absl::StrFormat("%4d %-18s %-20s %-11s ", row.node.index,
                                     row.node.op, shape, WhereText(row));
  if (profiled) {
    absl::StrAppend(&line, row.us() > 0 ? absl::StrFormat("%9.1f  ", row.us())
                                        : std::string(11, ' '));
  }
  const std::string end =
      row.where == NodeRow::Where::kCpu ? row.reason : ShadersOf(row);
  if (line.size() + end.size() > Columns()) {
    line = WithoutTrailingSpaces(line) + "\n       ";
  }
  return Wrap(WithoutTrailingSpaces(line + end), 7) + "\n";
}

std::string PartitionLine(size_t number, const PartitionRow& p) {
  std::string line = absl::StrFormat(
      "partition %d: %d nodes, %d dispatches, %.2f MiB of tensors, %.2f MiB of "
      "constants, self-check %s",
      number, p.nodes, p.dispatches, p.tensor_bytes / 1048576.0,
      p.constant_bytes / 1048576.0, p.self_check);
  if (p.handed_back) line += "; handed back to the CPU";
  if (!p.passes_dropped.empty()) {
    absl::StrAppend(&line, "; planned without passes: ", p.passes_dropped);
  }
  return Wrap(line, 2) + "\n";
}

}  // namespace

std::string WhereText(const NodeRow& row) {
  switch (row.where) {
    case NodeRow::Where::kGpu:
      return "on the GPU";
    case NodeRow::Where::kFused:
      return absl::StrCat("in node ", row.computed_by);
    case NodeRow::Where::kConstant:
      return "constant";
    case NodeRow::Where::kCpu:
      return "on the CPU";
  }
  return "";
}

std::string TextPage(const ReportData& data) {
  std::string page = TextHead(data);
  for (size_t i = 0; i < data.partitions.size(); ++i) {
    page += PartitionLine(i, data.partitions[i]);
  }
  absl::StrAppendFormat(
      &page, "\n%4s %-18s %-20s %-11s %s%s\n", "node", "op", "first output",
      "where", data.profiled ? "       us  " : "",
      data.profiled && Columns() <= 80 ? "shaders" : "shaders, or why not");
  for (const NodeRow& row : data.rows) page += Line(row, data.profiled);
  if (data.profiled) {
    absl::StrAppendFormat(
        &page,
        "%.1f us in the nodes' dispatches, %.1f us in copies: sums of medians\n"
        "  by %s\n",
        data.us(), data.transfers_us, ClockText(data.clock));
  }
  for (const Advice& advice : AdviceFor(data)) {
    absl::StrAppend(&page, "\n",
                    Wrap(absl::StrCat(advice.title, ": ", advice.text), 0),
                    "\n");
  }
  return page;
}

}  // namespace gles_delegate
