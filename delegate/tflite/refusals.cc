#include "delegate/tflite/refusals.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace gles_delegate {

std::vector<Refusal> GroupRefusals(const CheckedModel& model) {
  std::vector<Refusal> refusals;
  std::map<std::pair<std::string, std::string>, size_t> by_reason;
  for (const CheckedNode& node : model.nodes) {
    if (node.support.ok()) continue;
    const std::string reason(node.support.message());
    const auto [it, inserted] =
        by_reason.try_emplace({node.op, reason}, refusals.size());
    if (inserted) refusals.push_back({node.op, reason, node.tensors, {}});
    refusals[it->second].nodes.push_back(node.index);
  }
  return refusals;
}

Refusal RefusalOfPartition(const CheckedModel& model,
                           const std::vector<int>& nodes, std::string reason) {
  const CheckedNode& first = model.nodes[model.position_of.at(nodes[0])];
  return {absl::StrCat("the partition at ", first.op), std::move(reason),
          first.tensors, nodes};
}

std::string WarningOf(const Refusal& refusal) {
  constexpr size_t kShown = 8;  // node indices
  const std::vector<int>& nodes = refusal.nodes;
  const std::vector<int> shown(nodes.begin(),
                               nodes.begin() + std::min(nodes.size(), kShown));
  return absl::StrCat(
      refusal.op, " stays on the CPU (", nodes.size() == 1 ? "node " : "nodes ",
      absl::StrJoin(shown, ", "), nodes.size() > kShown ? ", ..." : "",
      "): ", refusal.reason, " [", refusal.tensors, "]");
}

void KeepUnusedConstantsOnCpu(CheckedModel* model) {
  std::vector<bool> used_on_cpu(model->graph.tensors.size(), false);
  for (auto it = model->nodes.rbegin(); it != model->nodes.rend(); ++it) {
    // The runtime has values that follow from shapes before it prepares CPU
    // nodes.
    if (it->folded && !it->follows_from_shapes) {
      for (TensorId id : it->outputs) {
        if (id >= 0 && used_on_cpu[id]) {
          it->support = absl::FailedPreconditionError(
              "its constant is used by a node that stays on the CPU");
        }
      }
    }
    if (it->support.ok()) continue;
    for (TensorId id : it->inputs) {
      if (id >= 0) used_on_cpu[id] = true;
    }
  }
}

}  // namespace gles_delegate
