#include "tools/model_report/advice.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace gles_delegate {
namespace {

constexpr size_t kNamedNodes = 8;
// Ops that compute nothing: they put values elsewhere.
const std::set<std::string>& MovingOps() {
  static const auto* const ops = new std::set<std::string>{"RESHAPE",
                                                           "TRANSPOSE",
                                                           "SQUEEZE",
                                                           "EXPAND_DIMS",
                                                           "SPACE_TO_DEPTH",
                                                           "DEPTH_TO_SPACE",
                                                           "PACK",
                                                           "UNPACK",
                                                           "STRIDED_SLICE",
                                                           "SLICE",
                                                           "SPLIT",
                                                           "SPLIT_V",
                                                           "CONCATENATION",
                                                           "TILE",
                                                           "GATHER",
                                                           "GATHER_ND",
                                                           "BATCH_TO_SPACE_ND",
                                                           "SPACE_TO_BATCH_ND",
                                                           "BROADCAST_TO",
                                                           "REVERSE_V2",
                                                           "REVERSE_SEQUENCE"};
  return *ops;
}
// The share of a tensor's texels below which padding is not worth a word.
constexpr double kMuchPadding = 0.1;
constexpr int64_t kManyElements = 4096;  // a smaller tensor costs nothing
// The share of a model's multiplications above which those of full convolutions
// make the model no mobile architecture.
constexpr double kMostOfTheWork = 0.5;
constexpr int64_t kMuchWork = 1000000;  // multiplications; fewer cost nothing

std::string NamesOf(const std::vector<const NodeRow*>& rows) {
  std::vector<std::string> names;
  for (const NodeRow* row : rows) {
    if (names.size() == kNamedNodes) break;
    names.push_back(absl::StrCat(row->node.op, " ", row->node.index));
  }
  std::string text = absl::StrJoin(names, ", ");
  if (rows.size() > kNamedNodes) {
    absl::StrAppend(&text, " and ", rows.size() - kNamedNodes, " more");
  }
  return text;
}

// The times by the host's clock include waits, so they are not the GPU's alone.
const char* TimeText(const std::string& clock) {
  return absl::StartsWith(clock, "gpu ")
             ? "the GPU's time"
             : "the nodes' time by the host's clock";
}

std::string ShareOfTime(const ReportData& data,
                        const std::vector<const NodeRow*>& rows) {
  double us = 0;
  for (const NodeRow* row : rows) us += row->us();
  if (data.us() <= 0) return "";
  return absl::StrFormat(", %.0f%% of %s", 100 * us / data.us(),
                         TimeText(data.clock));
}

void AdviseOnCpuNodes(const ReportData& data, std::vector<Advice>& all) {
  std::map<std::string, std::vector<const NodeRow*>> by_reason;
  size_t nodes = 0;
  for (const NodeRow& row : data.rows) {
    if (row.where != NodeRow::Where::kCpu) continue;
    by_reason[row.reason].push_back(&row);
    ++nodes;
  }
  if (nodes == 0) return;
  std::string text = absl::StrFormat(
      "Of %s %d stay on the CPU, beside %s on the GPU: between them values are "
      "copied and the CPU waits.",
      Count(data.rows.size(), "node"), nodes,
      Count(data.partitions.size(), "partition"));
  for (const auto& [reason, rows] : by_reason) {
    absl::StrAppend(&text, " ", NamesOf(rows), ": ",
                    reason.empty() ? "no reason was given" : reason, ".");
  }
  all.push_back({"Use ops that the GPU runs", text});
}

void AdviseOnMoves(const ReportData& data, std::vector<Advice>& all) {
  std::vector<const NodeRow*> moving;
  for (const NodeRow& row : data.rows) {
    if (row.where == NodeRow::Where::kGpu && !row.dispatches.empty() &&
        MovingOps().count(row.node.op) > 0) {
      moving.push_back(&row);
    }
  }
  if (moving.empty()) return;
  all.push_back(
      {"Avoid ops like RESHAPE",
       absl::StrCat(Count(moving.size(), "node"),
                    " only to put values elsewhere, a dispatch or more each",
                    ShareOfTime(data, moving), ". ", NamesOf(moving), ".")});
}

// The share of a tensor's texels that holds no channel.
double PaddingOf(const TensorFacts& tensor) {
  if (tensor.dims.empty() || tensor.dims.back() <= 0) return 0;
  const int channels = tensor.dims.back();
  const int held = (channels + 3) / 4 * 4;
  return 1 - static_cast<double>(channels) / held;
}

void AdviseOnChannels(const ReportData& data, std::vector<Advice>& all) {
  std::vector<const NodeRow*> padded;
  for (const NodeRow& row : data.rows) {
    if (row.where != NodeRow::Where::kGpu || row.node.outputs.empty()) continue;
    const TensorFacts& out = row.node.outputs[0];
    if (PaddingOf(out) >= kMuchPadding && out.elements() >= kManyElements) {
      padded.push_back(&row);
    }
  }
  if (padded.empty()) return;
  const auto worst = std::max_element(
      padded.begin(), padded.end(), [](const NodeRow* a, const NodeRow* b) {
        return PaddingOf(a->node.outputs[0]) < PaddingOf(b->node.outputs[0]);
      });
  const TensorFacts& out = (*worst)->node.outputs[0];
  all.push_back(
      {"Keep channels a multiple of 4",
       absl::StrFormat(
           "A texel holds four channels. The last texel is partly empty in the "
           "output of %s%s; of %s %d, %s, %.0f%% is padding. %s.",
           Count(padded.size(), "node"), ShareOfTime(data, padded),
           (*worst)->node.op, (*worst)->node.index, out.ToString(),
           100 * PaddingOf(out), NamesOf(padded))});
}

void AdviseOnArchitecture(const ReportData& data, std::vector<Advice>& all) {
  int64_t total = 0, full = 0;
  std::vector<const NodeRow*> heavy;
  for (const NodeRow& row : data.rows) {
    total += row.node.multiplications;
    if (row.node.op == "CONV_2D" && !row.node.depthwise_or_pointwise) {
      full += row.node.multiplications;
      heavy.push_back(&row);
    }
  }
  if (total < kMuchWork || full < kMostOfTheWork * total) return;
  std::sort(heavy.begin(), heavy.end(), [](const NodeRow* a, const NodeRow* b) {
    return a->node.multiplications > b->node.multiplications;
  });
  all.push_back(
      {"Prefer mobile architectures",
       absl::StrFormat(
           "%.0f%% of the model's %.3g million multiplications are in "
           "convolutions over all channels and a window; a depthwise "
           "convolution before a 1x1 one takes a fraction of that. %s.",
           100.0 * full / total, total * 1e-6, NamesOf(heavy))});
}

}  // namespace

std::vector<Advice> AdviceFor(const ReportData& data) {
  std::vector<Advice> all;
  AdviseOnCpuNodes(data, all);
  AdviseOnMoves(data, all);
  AdviseOnArchitecture(data, all);
  AdviseOnChannels(data, all);
  return all;
}

}  // namespace gles_delegate
