// ADD, SUB, MUL, MAXIMUM and MINIMUM of 16-bit activations in TFLite's
// integers.

#include <any>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/int16_helpers.h"
#include "delegate/passes/integer_path/kernel.h"
#include "quant/fixed_point.h"

namespace gles_delegate::integer_path {
namespace {

// The exponent of a scale that TFLite takes for a power of two.
std::optional<int> ExponentOf(float scale) {
  constexpr float kSlack = 1e-3f;
  const float exponent = std::log(scale) * (1.0f / std::log(2.0f));
  const float rounded = std::round(exponent);
  if (!(std::abs(exponent - rounded) < kSlack)) return std::nullopt;
  return static_cast<int>(rounded);
}

bool ArePowersOfTwo(float a, float b, float out) {
  return ExponentOf(a) && ExponentOf(b) && ExponentOf(out);
}

// Of powers of two: the output's scale is the larger input's, which is not
// shifted. TFLite's kernel refuses others.
std::optional<PostOp> ShiftedSum(float a, float b, float out, bool subtract) {
  const int right_a = *ExponentOf(out) - *ExponentOf(a);
  const int right_b = *ExponentOf(out) - *ExponentOf(b);
  if (right_a < 0 || right_b < 0 || (right_a > 0 && right_b > 0)) {
    return std::nullopt;
  }
  return PostOp{"add_shifted",
                {std::ldexp(1.0f, -right_a), std::ldexp(1.0f, -right_b),
                 subtract ? -1.0f : 1.0f, 0}};
}

// A multiplier's 31 bits as those of a float: 2^29 less, which is never
// denormal or NaN.
float AsBits(const quant::Multiplier& m) {
  const int32_t bits = m.value - (1 << 29);
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

std::optional<PostOp> Sum(float a, float b, float out, bool subtract,
                          bool rounds_once) {
  const quant::AddMultipliers m = quant::AddMultipliersOf(
      a, b, out, quant::AddMultipliers::kMoreBitsOfSixteen);
  const bool a_is_finer = a < b;
  const quant::Multiplier& finer = a_is_finer ? m.a : m.b;
  if (finer.value == 0 || m.sum.value == 0 || m.sum.shift > 0) {
    return std::nullopt;
  }
  const int flags =
      (a_is_finer ? 1 : 0) + (subtract ? 2 : 0) + (rounds_once ? 4 : 0);
  return PostOp{"add_int16",
                {AsBits(finer), AsBits(m.sum),
                 static_cast<float>(-finer.shift * 64 - m.sum.shift),
                 static_cast<float>(flags)}};
}

std::optional<PostOp> RescaledProduct(float a, float b, float out) {
  const quant::Multiplier m =
      quant::MultiplierOf(quant::ProductScale(a, b, out));
  // A product has 31 bits.
  if (m.value == 0 || m.shift > 0) return std::nullopt;
  return PostOp{"mul_int16", AsParams(m, 0)};
}

// The scales of a function of two int16 tensors.
struct ScalesOfTwo {
  float a = 0, b = 0, out = 0;
  bool asks_for_shifts = false;  // pot_scale_int16
};

std::optional<PostOp> AnySum(const ScalesOfTwo& s, bool subtract,
                             bool rounds_once) {
  return s.asks_for_shifts && ArePowersOfTwo(s.a, s.b, s.out)
             ? ShiftedSum(s.a, s.b, s.out, subtract)
             : Sum(s.a, s.b, s.out, subtract, rounds_once);
}

// The nodes that replace `node`: the quantized values of both operands, and the
// function of them given by `integers_of`. Empty: the node is something else,
// or TFLite has another arithmetic, or none, for its scales.
std::vector<Node> Int16FunctionOfTwo(
    const Node& node, const KernelContext& c,
    absl::FunctionRef<std::optional<PostOp>(const ScalesOfTwo&)> integers_of) {
  Graph* const graph = c.graph;
  if (node.inputs.size() != 2 || !IsPlainElementwise(*graph, node) ||
      node.post_ops[0].operand == kNoTensor) {
    return {};
  }
  const auto& attributes =
      std::any_cast<const ElementwiseAttributes&>(node.attributes);
  const int source_input = attributes.source;
  const TensorId source = node.inputs[source_input];
  const PostOp function = node.post_ops[0];
  const Tensor& out = graph->tensor(node.outputs[0]);
  const Tensor& x = graph->tensor(source);
  const Tensor& y = graph->tensor(function.operand);
  const std::optional<PostOp> clamp =
      Int16Clamp(absl::MakeSpan(node.post_ops).subspan(1), out);
  if (!clamp || !IsInt16(out) || !IsInt16(x) ||
      (!IsInt16(y) && !IsInt16Constant(y))) {
    return {};
  }
  ScalesOfTwo scales = {x.quantization.scale[0], y.quantization.scale[0],
                        out.quantization.scale[0], attributes.shifts_quantized};
  if (function.operand_first) std::swap(scales.a, scales.b);
  std::optional<PostOp> integers = integers_of(scales);
  if (!integers) return {};
  std::vector<Node> nodes;
  const auto quantized_of = [&](TensorId id) {
    if (graph->tensor(id).is_constant()) return AsQuantized(graph, id);
    const Tensor& tensor = graph->tensor(id);
    const TensorId quantized = AddLike(tensor, "quantized", graph);
    nodes.push_back(Int16Elementwise(
        node, id, quantized,
        {{"code_of", {tensor.quantization.scale[0], 0, 0, 0}}}, *graph));
    return quantized;
  };
  Node last = node;
  last.integer_path = true;
  last.inputs[source_input] = quantized_of(source);
  integers->operand = function.operand == source
                          ? last.inputs[source_input]
                          : quantized_of(function.operand);
  integers->operand_first = function.operand_first;
  last.inputs[1 - source_input] = integers->operand;
  last.post_ops = {
      *std::move(integers), *clamp, {"mul", {scales.out, 0, 0, 0}}};
  nodes.push_back(std::move(last));
  return nodes;
}

// Whether TFLite adds vectors of 16 codes. It adds the rest of the tensor one
// by one, and rounds otherwise there, which is not followed: near a tie, a code
// of the rest may differ by one.
bool FillsVectors(const Node& node, const Graph& graph) {
  constexpr int kQuantized = 16;
  return node.inputs.size() == 2 &&
         graph.tensor(node.inputs[0]).dims ==
             graph.tensor(node.inputs[1]).dims &&
         graph.tensor(node.outputs[0]).shape.elements() >= kQuantized;
}

}  // namespace

std::vector<Node> Int16Add(const Node& node, const KernelContext& c) {
  const bool once =
      c.traits.int16_adds_round_once && FillsVectors(node, *c.graph);
  return Int16FunctionOfTwo(node, c, [once](const ScalesOfTwo& s) {
    return AnySum(s, /*subtract=*/false, once);
  });
}

std::vector<Node> Int16Sub(const Node& node, const KernelContext& c) {
  return Int16FunctionOfTwo(node, c, [](const ScalesOfTwo& s) {
    return AnySum(s, /*subtract=*/true, /*rounds_once=*/false);
  });
}

std::vector<Node> Int16Mul(const Node& node, const KernelContext& c) {
  return Int16FunctionOfTwo(node, c, [](const ScalesOfTwo& s) {
    return RescaledProduct(s.a, s.b, s.out);
  });
}

// Of the quantized values, regardless of their scales.
std::vector<Node> Int16Maximum(const Node& node, const KernelContext& c) {
  return Int16FunctionOfTwo(
      node, c, [](const ScalesOfTwo&) { return PostOp{"maximum"}; });
}
std::vector<Node> Int16Minimum(const Node& node, const KernelContext& c) {
  return Int16FunctionOfTwo(
      node, c, [](const ScalesOfTwo&) { return PostOp{"minimum"}; });
}

}  // namespace gles_delegate::integer_path
