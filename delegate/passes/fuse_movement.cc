#include "delegate/passes/fuse_movement.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "delegate/passes/dead_nodes.h"
#include "delegate/passes/moved_region.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

class MovementFuser {
 public:
  MovementFuser(Graph* graph, const DeviceProfile& profile)
      : graph_(graph),
        max_tensors_(MaxBoundTensors(profile)),
        uses_(*graph),
        removed_(graph->nodes.size(), false) {}

  void Run() {
    for (int n = static_cast<int>(graph_->nodes.size()) - 1; n >= 0; --n) {
      if (removed_[n]) continue;
      auto fused = MovedRegion(*graph_, uses_, n, max_tensors_).Fused();
      if (fused) Replace(n, *std::move(fused));
    }
    RemoveNodes(removed_, graph_);
  }

 private:
  static std::vector<TensorId> ReadBy(const Node& node) {
    std::vector<TensorId> ids;
    for (TensorId id : node.inputs) {
      if (id != kNoTensor) ids.push_back(id);
    }
    for (const PostOp& op : node.post_ops) {
      if (op.operand != kNoTensor) ids.push_back(op.operand);
    }
    return ids;
  }

  void Replace(int n, Node fused) {
    const std::vector<TensorId> before = ReadBy(graph_->nodes[n]);
    graph_->nodes[n] = std::move(fused);
    for (TensorId id : ReadBy(graph_->nodes[n])) {
      uses_.consumers[id].push_back(n);
    }
    // One reading less than there were, for each.
    for (TensorId id : before) Forget(n, id);
  }

  // Node `reader` reads the tensor once less. What nothing reads is removed.
  void Forget(int reader, TensorId id) {
    auto& readers = uses_.consumers[id];
    const auto at = std::find(readers.begin(), readers.end(), reader);
    if (at == readers.end()) return;
    readers.erase(at);
    const int n = uses_.producer[id];
    if (n < 0 || removed_[n] || !IsUnread(graph_->nodes[n])) return;
    removed_[n] = true;
    for (TensorId read : ReadBy(graph_->nodes[n])) Forget(n, read);
  }

  bool IsUnread(const Node& node) const {
    return std::all_of(
        node.outputs.begin(), node.outputs.end(), [this](TensorId id) {
          return uses_.consumers[id].empty() && !uses_.is_output[id];
        });
  }

  Graph* graph_;
  int max_tensors_;
  Uses uses_;
  std::vector<bool> removed_;
};

}  // namespace

void FuseMovement(Graph* graph, const DeviceProfile& profile) {
  MovementFuser(graph, profile).Run();
}

}  // namespace gles_delegate
