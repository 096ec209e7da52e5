// Ops that move values between quantizations, CONCATENATION with different
// quantizations, ARG_MAX and ARG_MIN.
#include <any>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/movement/space_depth.h"
#include "delegate/ops/op_list.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/kernel.h"
#include "quant/affine.h"

namespace gles_delegate::integer_path {
namespace {

constexpr int kQuantizeCode = 114, kSelectCode = 64, kSelectV2Code = 123;

// Converts (value - zero point) of `from` to that of the same quantized value
// in `to`. Always a post-op: a node without post-ops could be taken for the
// identity, which it is not for readers of real values.
PostOp ShiftOf(const Tensor& from, const Tensor& to) {
  const auto shift = CodeShift(from, to);
  return shift ? *shift : PostOp{"add", {0, 0, 0, 0}};
}

// TFLite's ConcatenationWithScaling: round(code * scale + bias) + zero point,
// in float32.
Node Converted(TensorId id, const Tensor& out, Graph* graph) {
  const Tensor& in = graph->tensor(id);
  const float scale =
      in.quantization.scale[0] * (1.0f / out.quantization.scale[0]);
  const quant::CodeRange range = quant::RangeOf(1, /*is_unsigned=*/true);
  const int zero = static_cast<int>(out.quantization.zero_point[0]);
  Tensor converted = in;
  converted.name = absl::StrCat(in.name, " as ", out.name);
  converted.quantization = out.quantization;
  converted.tflite_index = -1;
  Node node;
  node.op = FindOp(kQuantizeCode, "");
  node.inputs = {id};
  node.attributes = ElementwiseAttributes{0, in.shape, {}};
  node.post_ops = {
      {"scaled_code",
       {scale, static_cast<float>(in.quantization.zero_point[0]), 0, 0}},
      Range{range.low - zero, range.high - zero}.AsPostOp()};
  node.integer_path = true;
  node.outputs = {graph->AddTensor(std::move(converted))};
  return node;
}

// Lets input i of node n be read in the quantization of its output, by a node
// before it unless it is a constant.
void ReadAsOutput(Rewriter& r, int n, int i) {
  Node mover = r.node(n);
  const TensorId id = mover.inputs[i];
  const Tensor &in = r.tensor(id), &out = r.tensor(mover.outputs[0]);
  if (SameQuantized(in, out)) return;
  Tensor same = in;
  same.quantization = out.quantization;
  if (in.is_constant()) {
    mover.inputs[i] = r.AddTensor(std::move(same));
    return r.Replace(n, std::move(mover));
  }
  same.name = absl::StrCat(in.name, " as ", out.name);
  same.tflite_index = -1;
  Node node;
  node.op = FindOp(kQuantizeCode, "");
  node.tflite_index = mover.tflite_index;
  node.inputs = {id};
  node.attributes = ElementwiseAttributes{0, in.shape, {}};
  node.post_ops = {ShiftOf(in, out)};
  node.integer_path = true;
  node.outputs = {r.AddTensor(std::move(same))};
  mover.inputs[i] = node.outputs[0];
  r.InsertBefore(n, std::move(node));
  r.Replace(n, std::move(mover));
}

// A SELECT of 8-bit quantized values of the output's type.
bool SelectsQuantized(const Node& node, const Graph& graph) {
  if (node.op->builtin_code != kSelectCode &&
      node.op->builtin_code != kSelectV2Code) {
    return false;
  }
  const TensorId out = node.outputs[0];
  if (!EndsInSimulator(node) || !HoldsQuantized(graph, out)) return false;
  for (const int i : {1, 2}) {
    const Tensor& in = graph.tensor(node.inputs[i]);
    if (in.quantized != graph.tensor(out).quantized ||
        in.quantization.scale.size() != 1 ||
        (!in.holds_quantized && !in.is_constant())) {
      return false;
    }
  }
  return true;
}

// uint8 inputs, some with another quantization than the output; TFLite's int8
// kernel refuses that.
bool RescalesInputs(const Node& node, const Graph& graph) {
  if (!node.op->Has(kJoins) || node.post_ops.size() != 1 ||
      !EndsInSimulator(node) || !HoldsQuantized(graph, node.outputs[0]) ||
      graph.tensor(node.outputs[0]).quantized != DataType::kUint8) {
    return false;
  }
  const Tensor& out = graph.tensor(node.outputs[0]);
  for (TensorId id : node.inputs) {
    const bool same_constant =
        graph.tensor(id).is_constant() && SameQuantized(graph.tensor(id), out);
    if (!same_constant && (!HoldsQuantized(graph, id) ||
                           graph.tensor(id).quantized != DataType::kUint8)) {
      return false;
    }
  }
  return true;
}

// A PADV2 whose input has another quantization than the output, with a runtime
// value, which TFLite expects in the output's quantization.
bool PadsOtherQuantized(const Node& node, const Graph& graph) {
  const auto* pad = std::any_cast<PadAttributes>(&node.attributes);
  if (pad == nullptr || !pad->runtime_value || node.post_ops.size() != 1 ||
      !EndsInSimulator(node) || !HoldsQuantized(graph, node.outputs[0])) {
    return false;
  }
  const Tensor& out = graph.tensor(node.outputs[0]);
  const Tensor& in = graph.tensor(node.inputs[0]);
  return in.holds_quantized && in.quantized == out.quantized &&
         !SameQuantized(in, out) && HoldsQuantized(graph, node.inputs[2]) &&
         SameQuantized(graph.tensor(node.inputs[2]), out);
}

}  // namespace

void MatchQuantizations(Rewriter& r, int n) {
  if (SelectsQuantized(r.node(n), r.graph())) {
    for (const int i : {1, 2}) ReadAsOutput(r, n, i);
  }
  if (PadsOtherQuantized(r.node(n), r.graph())) {
    ReadAsOutput(r, n, 0);
    r.own(n).post_ops.clear();
  }
  if (!RescalesInputs(r.node(n), r.graph())) return;
  Node joined = r.node(n);
  for (TensorId& id : joined.inputs) {
    const Tensor& out = r.tensor(joined.outputs[0]);
    if (SameQuantized(r.tensor(id), out)) continue;
    Node converted = Converted(id, out, &r.graph());
    converted.tflite_index = joined.tflite_index;
    id = converted.outputs[0];
    r.InsertBefore(n, std::move(converted));
  }
  joined.post_ops.clear();
  r.Replace(n, std::move(joined));
}

std::optional<Node> MoveInIntegers(const Node& node, const KernelContext& c) {
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  if (node.post_ops.size() != 1 || !in.holds_quantized ||
      in.quantized != out.quantized) {
    return std::nullopt;
  }
  Node moved = node;
  moved.post_ops = {ShiftOf(in, out)};
  // The fill value is shifted, too.
  const float shift = moved.post_ops[0].params[0];
  if (const auto* pad = std::any_cast<PadAttributes>(&node.attributes)) {
    if (pad->runtime_value) return std::nullopt;
    PadAttributes filled = *pad;
    filled.value = std::round(pad->value / out.quantization.scale[0]) - shift;
    moved.attributes = filled;
  }
  if (const auto* blocks =
          std::any_cast<SpaceBatchAttributes>(&node.attributes)) {
    SpaceBatchAttributes filled = *blocks;
    filled.fill = -shift;
    moved.attributes = filled;
  }
  return moved;
}

std::optional<Node> PadV2InIntegers(const Node& node, const KernelContext& c) {
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  if (!HoldsQuantized(*c.graph, node.outputs[0])) return std::nullopt;
  if (EndsInSimulator(node)) return MoveInIntegers(node, c);
  const auto* pad = std::any_cast<PadAttributes>(&node.attributes);
  if (pad == nullptr || !node.post_ops.empty() ||
      !HoldsQuantized(*c.graph, node.inputs[0]) ||
      (pad->runtime_value && !HoldsQuantized(*c.graph, node.inputs[2]))) {
    return std::nullopt;
  }
  // Of one quantization, so that nothing is shifted.
  PadAttributes filled = *pad;
  filled.value = std::round(pad->value / out.quantization.scale[0]);
  Node moved = node;
  moved.attributes = filled;
  return moved;
}

std::optional<Node> FillInIntegers(const Node& node, const KernelContext& c) {
  const Tensor& value = c.graph->tensor(node.inputs[1]);
  const TensorId out = node.outputs[0];
  if (!node.post_ops.empty() || !HoldsQuantized(*c.graph, out) ||
      !SameQuantized(value, c.graph->tensor(out)) ||
      (!value.is_constant() && !value.holds_quantized)) {
    return std::nullopt;
  }
  Node filled = node;
  if (value.is_constant())
    filled.inputs[1] = AsQuantized(c.graph, node.inputs[1]);
  return filled;
}

std::optional<Node> ArgExtremeInIntegers(const Node& node,
                                         const KernelContext& c) {
  if (!HoldsQuantized(*c.graph, node.inputs[0])) return std::nullopt;
  return node;  // quantized values are in the order of what they stand for
}

}  // namespace gles_delegate::integer_path
