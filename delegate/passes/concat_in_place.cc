// Avoids the copies of concatenations: producers write directly into the
// output.
//
// Makes the inputs of a CONCATENATION views of its output (Tensor::view) and
// removes the node, if all inputs begin at whole texels: on any axis but the
// channels, and on the channels at multiples of four. Inputs that cannot be
// written in place are copied to a view: constants, inputs and outputs of the
// partition, repeated inputs, views, and inputs with another quantization than
// the output.
//
// Post-ops of the node (such as a LOGISTIC of all scores) move to the copies
// and to the producers if these only change dims (RESHAPE). If all producers
// are such nodes, a reader that turns a column into a row or back (SQUEEZE of
// [1,N,1,C]) is removed as well: they write the rows.
//
// No effect if all inputs would have to be copied, or if a post-op's operand
// varies by position. The output then has no producer, so passes that look for
// it must come before.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/movement/concatenation.h"
#include "delegate/ops/op_list.h"
#include "delegate/passes/all_passes.h"
#include "delegate/passes/fusing.h"

namespace gles_delegate {
namespace {

// The same bits mean the same value in both.
bool LiesAlike(const Tensor& part, const Tensor& whole) {
  return IsStoredAlike(part, whole) &&
         (!part.holds_quantized ||
          (part.quantized == whole.quantized &&
           part.quantization.scale == whole.quantization.scale &&
           part.quantization.zero_point == whole.quantization.zero_point));
}

bool AreSameEverywhere(const std::vector<PostOp>& ops) {
  return std::all_of(ops.begin(), ops.end(), IsSameEverywhere);
}

int OperandsOf(const std::vector<PostOp>& ops) {
  return static_cast<int>(
      std::count_if(ops.begin(), ops.end(),
                    [](const PostOp& op) { return op.operand != kNoTensor; }));
}

// A concatenation as it is written in place.
struct Joint {
  Node node;                     // the CONCATENATION
  TensorId whole;                // what the parts lie in
  int axis;                      // of `whole`
  int turned_by = -1;            // node that lays height as width; -1: none
  std::vector<PostOp> post_ops;  // of each part
};

class InPlace {
 public:
  explicit InPlace(Graph* graph)
      : graph_(graph), uses_(*graph), is_whole_(graph->tensors.size(), false) {}

  void Run() {
    std::vector<Node> nodes = std::move(graph_->nodes);
    nodes_ = &nodes;
    kept_at_.assign(nodes.size(), -1);
    std::vector<bool> is_gone(nodes.size(), false);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (is_gone[i]) continue;
      if (std::optional<Joint> joint = JointOf(nodes[i])) {
        Place(*joint);
        if (joint->turned_by >= 0) is_gone[joint->turned_by] = true;
        continue;
      }
      kept_at_[i] = static_cast<int>(kept_.size());
      kept_.push_back(nodes[i]);
    }
    graph_->nodes = std::move(kept_);
  }

 private:
  // nullopt: the pass does not fire.
  std::optional<Joint> JointOf(const Node& node) const {
    const auto* a = std::any_cast<ConcatenationAttributes>(&node.attributes);
    // A fifth axis is part of the batch, where boxes are not contiguous.
    if (a == nullptr || !AreSameEverywhere(node.post_ops) ||
        a->axis == kOuterAxis ||
        graph_->tensor(node.outputs[0]).dims.size() > 4 ||
        (a->axis == kChannelAxis && !BeginAtTexels(node))) {
      return std::nullopt;
    }
    const Joint joint = {node, node.outputs[0], a->axis, -1, node.post_ops};
    if (std::optional<Joint> turned = Turned(joint)) return turned;
    const bool any =
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
          return CanBeView(id, joint) || CanBeMade(id, joint);
        });
    return any ? std::optional<Joint>(joint) : std::nullopt;
  }

  bool BeginAtTexels(const Node& node) const {
    int begin = 0;
    for (TensorId id : node.inputs) {
      if (begin % 4 != 0) return false;
      begin += graph_->tensor(id).shape.c;
    }
    return true;
  }

  // The joint of a column (width 1) whose only reader lays it out as a row, or
  // vice versa, which can be removed if all producers can lay out their part
  // that way.
  std::optional<Joint> Turned(const Joint& joint) const {
    const std::vector<int>& readers = uses_.consumers[joint.whole];
    if (readers.size() != 1 || uses_.is_output[joint.whole])
      return std::nullopt;
    const Node& reader = (*nodes_)[readers[0]];
    if (!reader.op->Has(kKeepsOrder) ||
        reader.integer_path != joint.node.integer_path ||
        !AreSameEverywhere(reader.post_ops) ||
        !HasRoomFor(reader.post_ops.size(), joint.post_ops)) {
      return std::nullopt;
    }
    const Shape& from = graph_->tensor(joint.whole).shape;
    const Shape& to = graph_->tensor(reader.outputs[0]).shape;
    const bool column = joint.axis == kHeightAxis && from.w == 1;
    const bool row = joint.axis == kWidthAxis && from.h == 1;
    if (!(column || row) || !(to == Shape{from.b, from.w, from.h, from.c})) {
      return std::nullopt;
    }
    Joint turned = joint;
    turned.whole = reader.outputs[0];
    turned.axis = column ? kWidthAxis : kHeightAxis;
    turned.turned_by = readers[0];
    turned.post_ops.insert(turned.post_ops.end(), reader.post_ops.begin(),
                           reader.post_ops.end());
    const bool all =
        std::all_of(joint.node.inputs.begin(), joint.node.inputs.end(),
                    [&](TensorId id) { return CanBeMade(id, turned); });
    return all ? std::optional<Joint>(turned) : std::nullopt;
  }

  bool IsFree(TensorId id, const Joint& joint) const {
    const Tensor& tensor = graph_->tensor(id);
    return uses_.producer[id] >= 0 && !uses_.is_output[id] &&
           !tensor.is_constant() && !tensor.is_variable &&
           tensor.view.of == kNoTensor && !is_whole_[id] &&
           std::count(joint.node.inputs.begin(), joint.node.inputs.end(), id) ==
               1;
  }

  // Whether the input itself can be a view of the output, regardless of its
  // other readers.
  bool CanBeView(TensorId id, const Joint& joint) const {
    return joint.post_ops.empty() && joint.turned_by < 0 && IsFree(id, joint) &&
           LiesAlike(graph_->tensor(id), graph_->tensor(joint.whole));
  }

  // Whether the producer can write its part directly, with other post-ops and
  // layout: true of nodes that change a tensor's dims, if this is their only
  // reader.
  bool CanBeMade(TensorId id, const Joint& joint) const {
    if (joint.post_ops.empty() && joint.turned_by < 0) return false;
    if (!IsFree(id, joint) || uses_.consumers[id].size() != 1 ||
        !IsStoredAlike(graph_->tensor(id), graph_->tensor(joint.whole))) {
      return false;
    }
    // Without post-ops quantized values do not change.
    if (joint.post_ops.empty() &&
        !LiesAlike(graph_->tensor(id), graph_->tensor(joint.whole))) {
      return false;
    }
    const int at = kept_at_[uses_.producer[id]];
    if (at < 0) return false;
    const Node& maker = kept_[at];
    // A source, an operand, weights and the output, which any device can bind.
    return maker.op->Has(kKeepsOrder) &&
           maker.integer_path == joint.node.integer_path &&
           HasRoomFor(joint.post_ops.size(), maker.post_ops) &&
           OperandsOf(maker.post_ops) + OperandsOf(joint.post_ops) <= 1;
  }

  // Turns the parts into views, with the remaining copies.
  void Place(const Joint& joint) {
    MemoryView view;
    view.of = joint.whole;
    const int from_axis = joint.turned_by < 0
                              ? joint.axis
                              : kHeightAxis + kWidthAxis - joint.axis;
    for (TensorId id : joint.node.inputs) {
      const int extent = ExtentsOf(graph_->tensor(id))[from_axis];
      if (CanBeView(id, joint)) {
        graph_->tensor(id).view = view;
      } else if (CanBeMade(id, joint)) {
        Node& maker = kept_[kept_at_[uses_.producer[id]]];
        maker.outputs = {AddPart(view, id, joint)};
        maker.post_ops.insert(maker.post_ops.end(), joint.post_ops.begin(),
                              joint.post_ops.end());
      } else {
        kept_.push_back(CopyTo(view, id, joint));
      }
      view.at[joint.axis] += extent;
    }
    is_whole_[joint.whole] = true;
  }

  // The part of the whole that has the elements of `from`.
  TensorId AddPart(const MemoryView& view, TensorId from, const Joint& joint) {
    const Tensor& source = graph_->tensor(from);
    Tensor part = graph_->tensor(view.of);
    part.name = source.name;
    part.dims = source.dims;
    part.shape = source.shape;
    if (joint.turned_by >= 0) {
      std::swap(part.shape.h, part.shape.w);
      part.dims = {part.shape.b, part.shape.h, part.shape.w, part.shape.c};
    }
    part.tflite_index = -1;
    part.view = view;
    return graph_->AddTensor(std::move(part));
  }

  Node CopyTo(const MemoryView& view, TensorId from, const Joint& joint) {
    Node copy;
    copy.op = FindOpNamed("RESHAPE");
    copy.tflite_index = joint.node.tflite_index;
    copy.integer_path = joint.node.integer_path;
    copy.post_ops = joint.post_ops;
    copy.inputs = {from};
    copy.outputs = {AddPart(view, from, joint)};
    return copy;
  }

  Graph* graph_;
  Uses uses_;
  std::vector<bool> is_whole_;                // others are views of it
  const std::vector<Node>* nodes_ = nullptr;  // as they were
  std::vector<Node> kept_;
  std::vector<int> kept_at_;  // by place in *nodes_; -1: not kept
};

}  // namespace

void ConcatInPlace(Graph* graph) { InPlace(graph).Run(); }

}  // namespace gles_delegate
