#include "delegate/tflite/refusals.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace gles_delegate {
namespace {

constexpr size_t kShown = 8;  // ops and node indices of a warning

}  // namespace

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

std::vector<std::string> WarningsOf(absl::Span<const Refusal> refusals) {
  struct Group {
    const Refusal* first;
    std::vector<std::string> ops;
    std::vector<int> nodes;
  };
  std::vector<Group> groups;
  std::map<std::string, size_t> by_reason;
  for (const Refusal& r : refusals) {
    const auto [it, inserted] = by_reason.try_emplace(r.reason, groups.size());
    if (inserted) groups.push_back({&r, {}, {}});
    Group& group = groups[it->second];
    if (std::find(group.ops.begin(), group.ops.end(), r.op) ==
        group.ops.end()) {
      group.ops.push_back(r.op);
    }
    group.nodes.insert(group.nodes.end(), r.nodes.begin(), r.nodes.end());
  }
  const auto list = [](const auto& items) {
    const auto end = items.begin() + std::min(items.size(), kShown);
    return absl::StrCat(absl::StrJoin(items.begin(), end, ", "),
                        end == items.end() ? "" : ", ...");
  };
  std::vector<std::string> warnings;
  for (Group& group : groups) {
    std::sort(group.nodes.begin(), group.nodes.end());
    const size_t count = group.nodes.size();
    const std::string& tensors = group.first->tensors;
    const std::string nodes = count == 1       ? "node "
                              : count > kShown ? absl::StrCat(count, " nodes: ")
                                               : "nodes ";
    warnings.push_back(absl::StrCat(
        list(group.ops), group.ops.size() == 1 ? " stays" : " stay",
        " on the CPU (", nodes, list(group.nodes), "): ", group.first->reason,
        tensors.empty() ? "" : absl::StrCat(" [", tensors, "]")));
  }
  return warnings;
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
