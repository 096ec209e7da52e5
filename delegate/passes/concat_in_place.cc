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
#include "delegate/passes/all_passes.h"

namespace gles_delegate {
namespace {

// The same bits mean the same value in both.
bool LiesAlike(const Tensor& part, const Tensor& whole) {
  return part.holds_quantized ? LieAlike(part, whole)
                              : IsStoredAlike(part, whole);
}

bool AreSameEverywhere(const std::vector<PostOp>& ops) {
  return std::all_of(ops.begin(), ops.end(), IsSameEverywhere);
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
  explicit InPlace(Rewriter& r) : r_(r) {}

  // nullopt: the pass does not fire.
  std::optional<Joint> JointOf(int n) const {
    const Node& node = r_.node(n);
    const auto* a = r_.AttributesOf<ConcatenationAttributes>(n);
    if (a == nullptr) return std::nullopt;
    const auto decline = [&](const char* why) {
      r_.Decline(n, why);
      return std::nullopt;
    };
    if (!AreSameEverywhere(node.post_ops)) {
      return decline("its functions depend on the place");
    }
    // A fifth axis is part of the batch, where boxes are not contiguous.
    if (a->axis == kOuterAxis || tensor(node.outputs[0]).dims.size() > 4) {
      return decline("five axes");
    }
    if (a->axis == kChannelAxis && !BeginAtTexels(node)) {
      return decline("a part begins within a texel");
    }
    const Joint joint = {node, node.outputs[0], a->axis, -1, node.post_ops};
    if (std::optional<Joint> turned = Turned(joint)) return turned;
    if (std::none_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
          return CanBeView(id, joint) || CanBeMade(id, joint);
        })) {
      return decline("all parts would be copied");
    }
    return joint;
  }

  // Turns the parts into views, with the remaining copies, in place of node n.
  void Place(int n, const Joint& joint);

 private:
  const Tensor& tensor(TensorId id) const { return r_.tensor(id); }

  bool BeginAtTexels(const Node& node) const {
    int begin = 0;
    for (TensorId id : node.inputs) {
      if (begin % 4 != 0) return false;
      begin += tensor(id).shape.c;
    }
    return true;
  }

  // The joint of a column (width 1) whose only reader lays it out as a row, or
  // vice versa, which can be removed if all producers can lay out their part
  // that way.
  std::optional<Joint> Turned(const Joint& joint) const {
    const int n = r_.OnlyReaderOf(joint.whole);
    if (n < 0) return std::nullopt;
    const Node& reader = r_.node(n);
    if (!reader.op->Has(kKeepsOrder) ||
        reader.integer_path != joint.node.integer_path ||
        !AreSameEverywhere(reader.post_ops) ||
        !HasRoomFor(reader.post_ops.size(), joint.post_ops)) {
      return std::nullopt;
    }
    const Shape& from = tensor(joint.whole).shape;
    const Shape& to = tensor(reader.outputs[0]).shape;
    const bool column = joint.axis == kHeightAxis && from.w == 1;
    const bool row = joint.axis == kWidthAxis && from.h == 1;
    if (!(column || row) || !(to == Shape{from.b, from.w, from.h, from.c})) {
      return std::nullopt;
    }
    Joint turned = joint;
    turned.whole = reader.outputs[0];
    turned.axis = column ? kWidthAxis : kHeightAxis;
    turned.turned_by = n;
    AddFunctions(reader.post_ops, &turned.post_ops);
    const bool all =
        std::all_of(joint.node.inputs.begin(), joint.node.inputs.end(),
                    [&](TensorId id) { return CanBeMade(id, turned); });
    return all ? std::optional<Joint>(turned) : std::nullopt;
  }

  bool IsFree(TensorId id, const Joint& joint) const {
    const Tensor& tensor = r_.tensor(id);
    return r_.MakerOf(id) >= 0 && !r_.IsOutput(id) && !tensor.is_constant() &&
           !tensor.is_variable && tensor.view.of == kNoTensor &&
           std::count(joint.node.inputs.begin(), joint.node.inputs.end(), id) ==
               1;
  }

  // Whether the input itself can be a view of the output, regardless of its
  // other readers.
  bool CanBeView(TensorId id, const Joint& joint) const {
    return joint.post_ops.empty() && joint.turned_by < 0 && IsFree(id, joint) &&
           LiesAlike(tensor(id), tensor(joint.whole));
  }

  // Whether the producer can write its part directly, with other post-ops and
  // layout: true of nodes that change a tensor's dims, if this is their only
  // reader.
  bool CanBeMade(TensorId id, const Joint& joint) const {
    if (joint.post_ops.empty() && joint.turned_by < 0) return false;
    if (!IsFree(id, joint) || r_.OnlyReaderOf(id) < 0 ||
        !IsStoredAlike(tensor(id), tensor(joint.whole))) {
      return false;
    }
    // Without post-ops quantized values do not change.
    if (joint.post_ops.empty() && !LiesAlike(tensor(id), tensor(joint.whole))) {
      return false;
    }
    const Node& maker = r_.node(r_.MakerOf(id));
    // A source, an operand, weights and the output, which any device can bind.
    return maker.op->Has(kKeepsOrder) &&
           maker.integer_path == joint.node.integer_path &&
           HasRoomFor(joint.post_ops.size(), maker.post_ops) &&
           OperandsOf({{"", maker.post_ops}, {"", joint.post_ops}}).size() <= 1;
  }

  // The part of the whole that has the elements of `from`.
  TensorId AddPart(const MemoryView& view, TensorId from, const Joint& joint) {
    const Tensor& source = tensor(from);
    Tensor part = tensor(view.of);
    part.name = source.name;
    part.dims = source.dims;
    part.shape = source.shape;
    if (joint.turned_by >= 0) {
      std::swap(part.shape.h, part.shape.w);
      part.dims = {part.shape.b, part.shape.h, part.shape.w, part.shape.c};
    }
    part.tflite_index = -1;
    part.view = view;
    return r_.AddTensor(std::move(part));
  }

  Node CopyTo(const MemoryView& view, TensorId from, const Joint& joint) {
    Node copy = ReshapeNode(from, AddPart(view, from, joint));
    copy.tflite_index = joint.node.tflite_index;
    copy.integer_path = joint.node.integer_path;
    copy.post_ops = joint.post_ops;
    return copy;
  }

  Rewriter& r_;
};

void InPlace::Place(int n, const Joint& joint) {
  MemoryView view;
  view.of = joint.whole;
  const int from_axis =
      joint.turned_by < 0 ? joint.axis : kHeightAxis + kWidthAxis - joint.axis;
  for (TensorId id : joint.node.inputs) {
    const int extent = ExtentsOf(tensor(id))[from_axis];
    if (CanBeView(id, joint)) {
      r_.tensor(id).view = view;
    } else if (CanBeMade(id, joint)) {
      const TensorId part = AddPart(view, id, joint);
      r_.Change(r_.MakerOf(id), [&](Node& maker) {
        maker.outputs = {part};
        AddFunctions(joint.post_ops, &maker.post_ops);
      });
    } else {
      r_.InsertBefore(n, CopyTo(view, id, joint));
    }
    view.at[joint.axis] += extent;
  }
  r_.Remove(n);
  if (joint.turned_by >= 0) r_.Remove(joint.turned_by);
}

}  // namespace

void ConcatInPlace(Rewriter& r, int n) {
  InPlace in_place(r);
  if (const auto joint = in_place.JointOf(n)) in_place.Place(n, *joint);
}

}  // namespace gles_delegate
