#include "delegate/passes/fuse_movement.h"

#include <algorithm>
#include <any>
#include <memory>
#include <utility>
#include <vector>

#include "delegate/ops/movement/dynamic_update_slice.h"
#include "delegate/ops/movement/moved_functions.h"
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
        is_processor_(profile.choices.simd_lanes > 1),
        uses_(*graph),
        removed_(graph->nodes.size(), false) {}

  void Run() {
    for (int n = static_cast<int>(graph_->nodes.size()) - 1; n >= 0; --n) {
      if (removed_[n]) continue;
      auto fused = MovedRegion(*graph_, uses_, n, max_tensors_).Fused();
      if (fused) Replace(n, *std::move(fused));
    }
    for (size_t n = 0; n < graph_->nodes.size(); ++n) {
      if (!removed_[n]) JoinUpdate(static_cast<int>(n));
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

  // An update of a slice computes the functions that its update is.
  void JoinUpdate(int n) {
    const Node& node = graph_->nodes[n];
    const auto* slice = std::any_cast<UpdateSlice>(&node.attributes);
    // Processors compute both sides of a branch, for each texel of the copy.
    if (slice == nullptr || (is_processor_ && !slice->CoversChannels())) return;
    const TensorId update = node.inputs[1];
    const int p = uses_.producer[update];
    if (p < 0 || uses_.is_output[update] ||
        uses_.consumers[update].size() != 1 ||
        graph_->nodes[p].op != &MovedFunctions()) {
      return;
    }
    const std::vector<TensorId>& reads = graph_->nodes[p].inputs;
    constexpr int kOthers = 3;  // the input, the start, the output
    if (static_cast<int>(reads.size()) + kOthers > max_tensors_) return;
    UpdateSlice joined = *slice;
    joined.moved = std::make_shared<const MovedFunctionsAttributes>(
        std::any_cast<const MovedFunctionsAttributes&>(
            graph_->nodes[p].attributes));
    joined.moved_shape = graph_->tensor(update).shape;
    Node fused = node;
    fused.always_float32 |= graph_->nodes[p].always_float32;
    fused.inputs[1] = kNoTensor;
    fused.inputs.insert(fused.inputs.end(), reads.begin(), reads.end());
    fused.attributes = std::move(joined);
    Replace(n, std::move(fused));
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
  bool is_processor_;
  Uses uses_;
  std::vector<bool> removed_;
};

}  // namespace

void FuseMovement(Graph* graph, const DeviceProfile& profile) {
  MovementFuser(graph, profile).Run();
}

}  // namespace gles_delegate
