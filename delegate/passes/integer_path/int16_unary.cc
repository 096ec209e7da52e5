// Functions of one 16-bit code.
#include <any>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/types/span.h"
#include "base/format.h"
#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/passes/integer_path/float_functions.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/int16_helpers.h"
#include "delegate/passes/integer_path/kernel.h"
#include "quant/fixed_point.h"
#include "quant/int16.h"

namespace gles_delegate::integer_path {
namespace {

// An int16 value shifted left by this many bits fits 32 bits.
constexpr int kMaxShift = 15;

// The function of one code: the first of the node's post-ops. nullptr: the node
// is something else.
const PostOp* FunctionOfOne(const Node& node, const Graph& graph) {
  return node.inputs.size() == 1 && IsInt16(graph.tensor(node.inputs[0])) &&
                 IsPlainElementwise(graph, node) && !node.post_ops.empty()
             ? &node.post_ops[0]
             : nullptr;
}

// `node` with `functions` from its input's to its output's quantized values,
// and then `clamp`.
Node UnaryOfQuantized(const Node& node, std::vector<PostOp> functions,
                      const Graph& graph) {
  Node wide = node;
  wide.integer_path = true;
  wide.post_ops = {{"code_of", {ScaleOf(graph, node.inputs[0]), 0, 0, 0}}};
  for (PostOp& op : functions) wide.post_ops.push_back(std::move(op));
  wide.post_ops.push_back({"mul", {ScaleOf(graph, node.outputs[0]), 0, 0, 0}});
  return wide;
}

std::vector<Node> Int16Rescaled(const Node& node, double scale,
                                const KernelContext& c,
                                quant::Ties ties = quant::Ties::kAwayFromZero) {
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const std::optional<PostOp> clamp = Int16Clamp(node.post_ops, out);
  const quant::Multiplier m = quant::MultiplierOf(scale);
  if (!clamp || m.shift > kMaxShift) return {};
  return {UnaryOfQuantized(node, {Requantize({m}, out, ties, c.graph), *clamp},
                           *c.graph)};
}

// The table of a function that newer runtimes have a 16-bit kernel of. nullopt:
// they have none.
std::optional<quant::Int16Table> LinesOf(absl::string_view function, float from,
                                         float to) {
  const auto lines = [&](absl::FunctionRef<float(float)> f) {
    return quant::LinesOfInt16(from, to, f);
  };
  if (function == "exp") return lines(Exp);
  if (function == "gelu") return lines(Gelu);
  if (function == "gelu_tanh") return lines(GeluByTanh);
  if (function == "log") {
    return lines([&](float x) { return x <= 0 ? -32768 * to : std::log(x); });
  }
  if (function == "rsqrt") {
    return lines(
        [&](float x) { return x <= 0 ? 32767 * to : 1 / std::sqrt(x); });
  }
  if (function == "sqrt") return quant::SqrtOfInt16(from, to);
  return std::nullopt;
}

}  // namespace

std::vector<Node> Int16Table(const Node& node, const KernelContext& c) {
  const PostOp* function = FunctionOfOne(node, *c.graph);
  if (function == nullptr || node.post_ops.size() != 2 ||
      !quant::IsScaleOfFractions(ScaleOf(*c.graph, node.outputs[0]))) {
    return {};
  }
  const float scale = ScaleOf(*c.graph, node.inputs[0]);
  const auto table = function->function == "logistic"
                         ? quant::LogisticOfInt16(scale)
                         : quant::TanhOfInt16(scale);
  if (!table) return {};
  // The scale in hexadecimal is all of its bits.
  const std::string name =
      Formatted("%s of int16 values of scale %a", function->function, scale);
  return {
      UnaryOfQuantized(node, {Int16Lookup(name, *table, c.graph)}, *c.graph)};
}

std::vector<Node> Int16Lines(const Node& node, const KernelContext& c) {
  const PostOp* function = FunctionOfOne(node, *c.graph);
  if (function == nullptr || node.post_ops.size() != 2) return {};
  const float from = ScaleOf(*c.graph, node.inputs[0]);
  const float to = ScaleOf(*c.graph, node.outputs[0]);
  const auto table = LinesOf(function->function, from, to);
  if (!table) return {};
  const std::string name = Formatted("%s of int16 values of scales %a, %a",
                                     function->function, from, to);
  return {
      UnaryOfQuantized(node, {Int16Lookup(name, *table, c.graph)}, *c.graph)};
}

std::vector<Node> Int16Relu(const Node& node, const KernelContext& c) {
  if (FunctionOfOne(node, *c.graph) == nullptr) return {};
  return Int16Rescaled(node,
                       quant::ReluScale(ScaleOf(*c.graph, node.inputs[0]),
                                        ScaleOf(*c.graph, node.outputs[0])),
                       c);
}

std::vector<Node> Int16Quantize(const Node& node, const KernelContext& c) {
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  if (IsFloat(in) && c.traits.quantize_multiplies &&
      IsPlainElementwise(*c.graph, node) && node.post_ops.size() == 1) {
    const Tensor& out = c.graph->tensor(node.outputs[0]);
    Node quantized = node;
    quantized.integer_path = true;
    quantized.post_ops = {QuantizedByInverse(out),
                          {"mul", {out.quantization.scale[0], 0, 0, 0}}};
    return {quantized};
  }
  if (FunctionOfOne(node, *c.graph) == nullptr) return {};
  return Int16Rescaled(node,
                       quant::QuantizeScale(ScaleOf(*c.graph, node.inputs[0]),
                                            ScaleOf(*c.graph, node.outputs[0])),
                       c);
}

std::vector<Node> Int16Abs(const Node& node, const KernelContext& c) {
  const PostOp* function = FunctionOfOne(node, *c.graph);
  if (function == nullptr || node.post_ops.size() != 2) return {};
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const float from = ScaleOf(*c.graph, node.inputs[0]);
  const float to = ScaleOf(*c.graph, node.outputs[0]);
  const quant::Multiplier m = quant::MultiplierOf(quant::ReluScale(from, to));
  const auto clamp = Int16Clamp(absl::MakeSpan(node.post_ops).subspan(1), out);
  if (!clamp || m.shift > kMaxShift) return {};
  std::vector<PostOp> ops = {*function};
  if (from != to) {
    ops.push_back(Requantize({m}, out, quant::Ties::kAwayFromZero, c.graph));
  }
  ops.push_back(*clamp);
  return {UnaryOfQuantized(node, std::move(ops), *c.graph)};
}

std::vector<Node> Int16LeakyRelu(const Node& node, const KernelContext& c) {
  const PostOp* function = FunctionOfOne(node, *c.graph);
  if (function == nullptr || node.post_ops.size() != 2) return {};
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const float from = ScaleOf(*c.graph, node.inputs[0]);
  const float to = ScaleOf(*c.graph, node.outputs[0]);
  const float alpha = function->params[0];
  if (alpha < 0) {
    const auto table = quant::LeakyReluOfInt16(from, to, alpha);
    if (!table) return {};
    const std::string name = Formatted(
        "leaky_relu by %a of int16 values of scales %a, %a", alpha, from, to);
    return {
        UnaryOfQuantized(node, {Int16Lookup(name, *table, c.graph)}, *c.graph)};
  }
  const quant::Multiplier positive =
      quant::MultiplierOf(quant::ReluScale(from, to));
  const quant::Multiplier negative =
      quant::MultiplierOf(double{from * alpha / to});
  const auto clamp = Int16Clamp(absl::MakeSpan(node.post_ops).subspan(1), out);
  if (!clamp || positive.shift > kMaxShift || negative.shift > kMaxShift) {
    return {};
  }
  return {UnaryOfQuantized(
      node, {{"leaky_requantize", AsParams(positive, negative)}, *clamp},
      *c.graph)};
}

}  // namespace gles_delegate::integer_path
