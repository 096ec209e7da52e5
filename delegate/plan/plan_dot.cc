#include "delegate/plan/plan_dot.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "delegate/graph/graph_text.h"

namespace gles_delegate {

std::string PlanToDot(const Graph& graph,
                      absl::Span<const Dispatch> dispatches) {
  DotGraph dot("plan");
  TensorEdges edges(graph, &dot);
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
    const int box = dot.AddBox(label);
    edges.Read(box, reads);
    edges.Write(box, writes);
  }
  edges.DrawOutputs();
  return dot.ToString();
}

}  // namespace gles_delegate
