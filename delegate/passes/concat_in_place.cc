#include "delegate/passes/concat_in_place.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/movement/concatenation.h"
#include "delegate/ops/op_list.h"

namespace gles_delegate {
namespace {

constexpr int kReshapeCode = 22;

// The same bits mean the same value in both.
bool LiesAlike(const Tensor& part, const Tensor& whole) {
  if (part.type != whole.type || part.holds_codes != whole.holds_codes ||
      part.always_float32 != whole.always_float32) {
    return false;
  }
  return !part.holds_codes ||
         (part.codes == whole.codes &&
          part.quantization.scale == whole.quantization.scale &&
          part.quantization.zero_point == whole.quantization.zero_point);
}

class InPlace {
 public:
  explicit InPlace(Graph* graph)
      : graph_(graph), uses_(*graph), is_whole_(graph->tensors.size(), false) {}

  void Run() {
    std::vector<Node> kept;
    for (Node& node : graph_->nodes) {
      if (!Fires(node)) {
        kept.push_back(std::move(node));
        continue;
      }
      for (Node& copy : Place(node)) kept.push_back(std::move(copy));
    }
    graph_->nodes = std::move(kept);
  }

 private:
  bool Fires(const Node& node) const {
    const auto* a = std::any_cast<ConcatenationAttributes>(&node.attributes);
    // A fifth axis lies within the batch, where boxes are not whole.
    if (a == nullptr || !node.post_ops.empty() || a->axis == kOuterAxis ||
        graph_->tensor(node.outputs[0]).dims.size() > 4) {
      return false;
    }
    if (a->axis == kChannelAxis && !BeginAtTexels(node)) return false;
    return std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](TensorId id) { return CanBeView(id, node); });
  }

  bool BeginAtTexels(const Node& node) const {
    int begin = 0;
    for (TensorId id : node.inputs) {
      if (begin % 4 != 0) return false;
      begin += graph_->tensor(id).shape.c;
    }
    return true;
  }

  bool CanBeView(TensorId id, const Node& node) const {
    const Tensor& tensor = graph_->tensor(id);
    return uses_.producer[id] >= 0 && !uses_.is_output[id] &&
           !tensor.is_constant() && !tensor.is_variable &&
           tensor.view.of == kNoTensor && !is_whole_[id] &&
           LiesAlike(tensor, graph_->tensor(node.outputs[0])) &&
           std::count(node.inputs.begin(), node.inputs.end(), id) == 1;
  }

  // Makes the inputs views; the copies that are left to do.
  std::vector<Node> Place(const Node& node) {
    const int axis =
        std::any_cast<const ConcatenationAttributes&>(node.attributes).axis;
    std::vector<Node> copies;
    MemoryView view;
    view.of = node.outputs[0];
    for (TensorId id : node.inputs) {
      const AxisArray extents = ExtentsOf(graph_->tensor(id));
      if (CanBeView(id, node)) {
        graph_->tensor(id).view = view;
      } else {
        copies.push_back(CopyTo(view, id, node));
      }
      view.at[axis] += extents[axis];
    }
    is_whole_[node.outputs[0]] = true;
    return copies;
  }

  Node CopyTo(const MemoryView& view, TensorId from,
              const Node& concatenation) {
    Tensor part = graph_->tensor(view.of);
    part.name = graph_->tensor(from).name;
    part.dims = graph_->tensor(from).dims;
    part.shape = graph_->tensor(from).shape;
    part.tflite_index = -1;
    part.view = view;
    Node copy;
    copy.op = FindOp(kReshapeCode, "");
    copy.tflite_index = concatenation.tflite_index;
    copy.on_codes = concatenation.on_codes;
    copy.inputs = {from};
    copy.outputs = {graph_->AddTensor(std::move(part))};
    return copy;
  }

  Graph* graph_;
  Uses uses_;
  std::vector<bool> is_whole_;  // others are views of it
};

}  // namespace

void ConcatInPlace(Graph* graph) { InPlace(graph).Run(); }

}  // namespace gles_delegate
