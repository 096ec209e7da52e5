// Ops that move values between quantizations, joins of different
// quantizations, ARG_MAX and ARG_MIN.
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/movement/transpose.h"
#include "delegate/ops/op_list.h"
#include "delegate/passes/integer_path/recipe.h"

namespace gles_delegate::integer_path {
namespace {

// --- Inputs of another quantization ------------------------------------------

// Lets input i of node n be read as another tensor, with the quantization of
// the node's output, that a node before it makes by `post_ops`.
void ReadAsOutput(Rewriter& r, int n, int i, std::vector<PostOp> post_ops) {
  Node mover = r.node(n);
  const Tensor &in = r.tensor(mover.inputs[i]),
               &out = r.tensor(mover.outputs[0]);
  Tensor same = in;
  same.name = absl::StrCat(in.name, " as ", out.name);
  same.quantization = out.quantization;
  same.tflite_index = -1;
  Node node = Node::Of(FindOp(BuiltinOperator_QUANTIZE, ""), {mover.inputs[i]},
                       {r.AddTensor(std::move(same))},
                       ElementwiseAttributes{0, in.shape, {}});
  node.tflite_index = mover.tflite_index;
  node.post_ops = std::move(post_ops);
  node.integer_path = true;
  mover.inputs[i] = node.outputs[0];
  r.InsertBefore(n, std::move(node));
  r.Replace(n, std::move(mover));
}

// The quantized values of input i of node n in the quantization of its output,
// by a node before it unless it is a constant. Always with a post-op: a node
// without post-ops could be taken for the identity, which it is not for readers
// of real values.
void Reinterpret(Rewriter& r, int n, int i) {
  Node mover = r.node(n);
  const Tensor &in = r.tensor(mover.inputs[i]),
               &out = r.tensor(mover.outputs[0]);
  if (SameQuantized(in, out)) return;
  if (!in.is_constant()) return ReadAsOutput(r, n, i, {ShiftOf(in, out)});
  Tensor same = in;
  same.quantization = out.quantization;
  mover.inputs[i] = r.AddTensor(std::move(same));
  r.Replace(n, std::move(mover));
}

// TFLite's ConcatenationWithScaling: round(code * scale + bias) + zero point,
// in float32.
void Rescale(Rewriter& r, int n, int i) {
  const Tensor &in = r.tensor(r.node(n).inputs[i]),
               &out = r.tensor(r.node(n).outputs[0]);
  if (SameQuantized(in, out)) return;
  const quant::AffineQuantized from = AffineQuantizedOf(in),
                               to = AffineQuantizedOf(out);
  ReadAsOutput(
      r, n, i,
      {PostOpOf("scaled_code", from.scale * (1.0f / to.scale), from.zero_point),
       PostOpOf("clamp", to.range.low - to.zero_point,
                to.range.high - to.zero_point)});
}

// A SELECT of 8-bit quantized values of the output's type.
bool SelectsQuantized(const QuantizedNode& q) {
  const int code = q.node.op->builtin_code;
  return (code == BuiltinOperator_SELECT ||
          code == BuiltinOperator_SELECT_V2) &&
         !q.is_int16() && q.ends_in_quantized &&
         q.HoldsOrIsConstant(q.node.inputs[1]) &&
         q.HoldsOrIsConstant(q.node.inputs[2]);
}

// uint8 inputs, some with another quantization than the output; TFLite's int8
// kernel refuses that.
bool RescalesInputs(const QuantizedNode& q) {
  return q.node.op->Has(kJoins) && q.EndsAfter(0) && q.is_uint8() &&
         absl::c_all_of(q.node.inputs, [&](TensorId id) {
           const Tensor& in = q.graph.tensor(id);
           return q.Holds(id) ||
                  (in.is_constant() && SameQuantized(in, q.out()));
         });
}

// A PADV2 whose input has another quantization than the output, with a runtime
// value, which TFLite expects in the output's quantization.
bool PadsOtherQuantized(const QuantizedNode& q) {
  const auto* pad = q.node.As<RemapAttributes>();
  return pad != nullptr && pad->fill_input >= 0 && q.EndsAfter(0) &&
         !q.is_int16() && q.Holds() && !SameQuantized(q.in(), q.out()) &&
         HoldsQuantized(q.graph, q.node.inputs[2]) &&
         SameQuantized(q.in(2), q.out());
}

// How a PAD with a fill value moves its input; nullptr: another node.
Remap* PadOf(Node* node) {
  auto* a = node->As<RemapAttributes>();
  return a != nullptr && a->remaps[0].edge == Remap::Edge::kFill ? &a->remaps[0]
                                                                 : nullptr;
}

// The node fills with `shift` less than the quantized value.
void ShiftFill(float step, float shift, Node* node) {
  if (Remap* pad = PadOf(node)) {
    pad->fill = std::round(pad->fill / step) - shift;
  }
  if (auto* blocks = node->As<SpaceBatchAttributes>()) {
    blocks->fill = -shift;
  }
}

}  // namespace

void MatchQuantizations(Rewriter& r, int n) {
  const QuantizedNode q(r, n);
  if (SelectsQuantized(q)) {
    for (const int i : {1, 2}) Reinterpret(r, n, i);
  } else if (PadsOtherQuantized(q)) {
    Reinterpret(r, n, 0);
    r.own(n).post_ops.clear();
  } else if (RescalesInputs(q)) {
    const int inputs = static_cast<int>(q.node.inputs.size());
    r.own(n).post_ops.clear();
    for (int i = 0; i < inputs; ++i) Rescale(r, n, i);
  }
}

// --- Recipes -----------------------------------------------------------------

namespace {

// int16 tensor or constant `id` in the scale of the output.
TensorId InScaleOfOutput(QuantizedNode& q, TensorId id) {
  Tensor tensor = q.graph.tensor(id);
  const Quantization from = tensor.quantization;
  if (tensor.is_constant()) {
    tensor.quantization = q.out().quantization;
    return q.graph.AddTensor(std::move(tensor));
  }
  if (from.scale[0] == q.out_scale()) return id;
  const TensorId moved = q.AddLike(tensor, "quantized values moved");
  q.AddCopy(
      id, moved,
      {PostOpOf("code_of", from.scale[0]), PostOpOf("mul", q.out_scale())});
  return moved;
}

// The node as it moves real values of one scale.
Nodes MovedAsIs(QuantizedNode& q, Node last) {
  last.post_ops.clear();
  last.integer_path = true;
  q.before.push_back(std::move(last));
  return std::move(q.before);
}

// A PADV2 of int16 with a runtime value, which TFLite expects in the output's
// scale, so that only the input is converted.
Nodes PadByTensor(QuantizedNode& q) {
  if (!q.EndsAfter(0) || !IsInt16(q.in(2)) || q.scale(2) != q.out_scale()) {
    return {};
  }
  Node pad = q.node;
  pad.inputs[0] = InScaleOfOutput(q, pad.inputs[0]);
  return MovedAsIs(q, std::move(pad));
}

}  // namespace

Nodes Move(QuantizedNode& q) {
  const auto* pad = q.node.As<RemapAttributes>();
  const bool by_tensor = pad != nullptr && pad->fill_input >= 0;
  const std::optional<PostOp> clamp = q.Clamp();
  if (!clamp || !q.Holds()) return {};
  Node moved = q.node;
  if (q.is_int16()) {
    if (by_tensor) return PadByTensor(q);
    // The fill value has the output's scale, and passes the post-ops, too.
    if (Remap* pad = PadOf(&moved)) {
      pad->fill = std::round(pad->fill / q.out_scale()) * q.scale();
    }
    return q.End(std::move(moved), {PostOpOf("code_of", q.scale()), *clamp});
  }
  if (by_tensor || !q.EndsAfter(0)) return {};
  const PostOp shift = ShiftOf(q.in(), q.out());
  ShiftFill(q.out_scale(), shift.params[0], &moved);
  return q.End(std::move(moved), {shift});
}

// TFLite has no kernel of 16 bits.
Nodes MoveOfEightBits(QuantizedNode& q) {
  return q.is_int16() ? Nodes() : Move(q);
}

Nodes PadV2(QuantizedNode& q) {
  if (q.ends_in_quantized) return Move(q);
  const auto* pad = q.node.As<RemapAttributes>();
  if (pad == nullptr || !q.node.post_ops.empty() || !q.out().holds_quantized ||
      !HoldsQuantized(q.graph, q.node.inputs[0]) ||
      (pad->fill_input >= 0 && !HoldsQuantized(q.graph, q.node.inputs[2]))) {
    return {};
  }
  // Of one quantization, so that nothing is shifted.
  Node moved = q.node;
  ShiftFill(q.out_scale(), 0, &moved);
  return q.End(std::move(moved), {});
}

Nodes MaxPool(QuantizedNode& q) {
  if (q.is_int16()) return Move(q);
  const std::optional<PostOp> clamp = q.Clamp();
  if (!clamp || !q.Holds()) return {};
  const PostOp shift = ShiftOf(q.in(), q.out());
  if (shift.params[0] == 0) return q.End(q.node, {*clamp});
  return q.End(q.node, {shift, *clamp});
}

Nodes Fill(QuantizedNode& q) {
  if (!q.node.post_ops.empty() || !q.out().holds_quantized ||
      !SameQuantized(q.in(1), q.out()) ||
      (!q.in(1).is_constant() && !q.in(1).holds_quantized)) {
    return {};
  }
  Node filled = q.node;
  filled.inputs[1] = q.Read(q.node.inputs[1]);
  return q.End(std::move(filled), {});
}

Nodes ArgExtreme(QuantizedNode& q) {
  // Quantized values are in the order of what they stand for.
  if (!HoldsQuantized(q.graph, q.node.inputs[0])) return {};
  return q.End(q.node, q.node.post_ops);
}

// int16 inputs of any scale; those of 8 bits are moved.
Nodes Join(QuantizedNode& q) {
  if (!q.is_int16() || !q.EndsAfter(0)) return {};
  Node joined = q.node;
  for (TensorId& id : joined.inputs) {
    const Tensor& in = q.graph.tensor(id);
    if (!in.is_float_view()) continue;  // a condition
    if (!q.HoldsOrIsConstant(id)) return {};
    id = InScaleOfOutput(q, id);
  }
  return MovedAsIs(q, std::move(joined));
}

Nodes Select(QuantizedNode& q) {
  if (q.is_int16()) return Join(q);
  if (!q.out().holds_quantized) return {};
  Node select = q.node;
  for (const int i : {1, 2}) {
    // Moves (value - zero point).
    const Tensor& from = q.in(i);
    if (from.quantized != q.out().quantized ||
        from.quantization.zero_point != q.out().quantization.zero_point ||
        (!from.is_constant() && !from.holds_quantized)) {
      return {};
    }
    select.inputs[i] = q.Read(q.node.inputs[i]);
  }
  // TFLite moves quantized values regardless of scales, so it has no
  // simulator.
  return q.End(std::move(select), {});
}

}  // namespace gles_delegate::integer_path
