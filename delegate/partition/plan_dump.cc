#include "delegate/partition/plan_dump.h"

#include <errno.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/format.h"
#include "delegate/graph/graph_text.h"
#include "delegate/plan/dispatch.h"
#include "egl/process.h"

namespace gles_delegate {
namespace {

// Graphviz text: a box for each dispatch, an ellipse for each graph input and
// output, an edge for each tensor between them. PlanToString() has the rest.
std::string PlanToDot(const Graph& graph,
                      absl::Span<const Dispatch> dispatches) {
  DotGraph dot("plan", graph);
  for (const Dispatch& d : dispatches) {
    std::string label = absl::StrCat(d.label, "\n", d.shader,
                                     d.integer_path ? " in integers" : "");
    std::vector<TensorId> reads;
    for (const auto& [name, id] : d.reads) reads.push_back(id);
    for (size_t i = 0; i < d.post_ops.size(); ++i) {
      if ((d.skipped_post_ops >> i & 1) != 0) continue;
      const PostOp& op = d.post_ops[i];
      absl::StrAppend(&label, " ", PostOpText(op));
      if (op.operand != kNoTensor) reads.push_back(op.operand);
    }
    for (const Stage& stage : d.stages) {
      absl::StrAppend(&label, " ", StageText(stage));
    }
    for (TensorId id : OperandsOf(d.stages)) reads.push_back(id);
    absl::StrAppend(&label, "\ngrid ", absl::StrJoin(d.grid, "x"), " group ",
                    absl::StrJoin(d.work_group, "x"));
    std::vector<TensorId> writes;
    for (const auto& [name, id] : d.writes) writes.push_back(id);
    dot.AddBox(label, reads, writes);
  }
  return dot.Finish();
}

}  // namespace

PlanDump::PlanDump(std::string directory, int partition)
    : directory_(std::move(directory)), partition_(partition) {}

PlanDump PlanDump::FromEnvironment() {
  static std::atomic<int> partitions = 0;
  auto directory = egl::DebugValue("plan");
  if (!directory) return PlanDump();
  return PlanDump(*std::move(directory), partitions++);
}

void PlanDump::AddGraph(absl::string_view what, const Graph& graph) {
  if (!active()) return;
  std::string text = GraphToString(graph);
  if (text == last_graph_) return;
  Write(what, text, GraphToDot(graph));
  last_graph_ = std::move(text);
}

void PlanDump::AddPlan(const Graph& graph,
                       absl::Span<const Dispatch> dispatches) {
  if (!active()) return;
  if (!notes_.empty()) {
    WriteFile(absl::StrCat(NextPath("declined"), ".txt"),
              absl::StrCat(absl::StrJoin(notes_, "\n"), "\n"));
    notes_.clear();
  }
  Write("plan", PlanToString(graph, dispatches), PlanToDot(graph, dispatches));
}

std::string PlanDump::TakeWarning() {
  if (status_.ok() || std::exchange(told_, true)) return "";
  return std::string(status_.message());
}

std::string PlanDump::NextPath(absl::string_view what) {
  // If this fails, opening the file reports the reason.
  (void)mkdir(directory_.c_str(), 0777);
  return Formatted("%s/partition_%d_%02d_%s", directory_, partition_, step_++,
                   what);
}

void PlanDump::Write(absl::string_view what, absl::string_view text,
                     absl::string_view dot) {
  const std::string path = NextPath(what);
  WriteFile(absl::StrCat(path, ".txt"), text);
  WriteFile(absl::StrCat(path, ".dot"), dot);
}

void PlanDump::WriteFile(const std::string& path, absl::string_view content) {
  if (!status_.ok()) return;
  errno = 0;
  std::ofstream file(path);
  file << content << std::flush;
  if (file) return;
  status_ = absl::ErrnoToStatus(
      errno == 0 ? EIO : errno,
      absl::StrCat("GLES_DELEGATE_DEBUG=plan: cannot write '", path,
                   "'; name a folder that can be written"));
}

}  // namespace gles_delegate
