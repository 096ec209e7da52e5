// Functions of one 16-bit code.
#include <any>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/passes/codes/float_functions.h"
#include "delegate/passes/codes/helpers.h"
#include "delegate/passes/codes/wide_helpers.h"
#include "delegate/passes/codes/wide_kernels.h"
#include "quant/fixed_point.h"
#include "quant/sixteen_bit.h"

namespace gles_delegate::codes {
namespace {

// A code of 16 bits, shifted so far to the left, fits 32.
constexpr int kMostShift = 15;

// The function of one code: the first of the node's post-ops. nullptr: the node
// is something else.
const PostOp* FunctionOfOne(const Node& node, const Graph& graph) {
  return node.inputs.size() == 1 &&
                 IsSixteenBit(graph.tensor(node.inputs[0])) &&
                 IsPlainElementwise(graph, node) && !node.post_ops.empty()
             ? &node.post_ops[0]
             : nullptr;
}

// `node` with `functions` from its input's to its output's quantized values,
// and then `clamp`.
Node UnaryOfCodes(const Node& node, std::vector<PostOp> functions,
                  const Graph& graph) {
  Node wide = node;
  wide.on_codes = true;
  wide.post_ops = {{"code_of", {ScaleOf(graph, node.inputs[0]), 0, 0, 0}}};
  for (PostOp& op : functions) wide.post_ops.push_back(std::move(op));
  wide.post_ops.push_back({"mul", {ScaleOf(graph, node.outputs[0]), 0, 0, 0}});
  return wide;
}

std::vector<Node> WideRescaled(const Node& node, double scale,
                               const KernelContext& c,
                               quant::Ties ties = quant::Ties::kAwayFromZero) {
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const std::optional<PostOp> clamp = WideClamp(node.post_ops, out);
  const quant::Multiplier m = quant::MultiplierOf(scale);
  if (!clamp || m.shift > kMostShift) return {};
  return {UnaryOfCodes(node, {Requantize({m}, out, ties, c.graph), *clamp},
                       *c.graph)};
}

// The table of a function that newer runtimes have a 16-bit kernel of. nullopt:
// they have none.
std::optional<quant::WideTable> LinesOf(absl::string_view function, float from,
                                        float to) {
  const auto lines = [&](absl::FunctionRef<float(float)> f) {
    return quant::LinesOfSixteenBits(from, to, f);
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
  if (function == "sqrt") return quant::SqrtOfSixteenBits(from, to);
  return std::nullopt;
}

}  // namespace

std::vector<Node> WideTable(const Node& node, const KernelContext& c) {
  const PostOp* function = FunctionOfOne(node, *c.graph);
  if (function == nullptr || node.post_ops.size() != 2 ||
      !quant::IsScaleOfFractions(ScaleOf(*c.graph, node.outputs[0]))) {
    return {};
  }
  const float scale = ScaleOf(*c.graph, node.inputs[0]);
  const auto table = function->function == "logistic"
                         ? quant::LogisticOfSixteenBits(scale)
                         : quant::TanhOfSixteenBits(scale);
  if (!table) return {};
  // The scale in hexadecimal is all of its bits.
  const std::string name = absl::StrFormat("%s of 16-bit codes of scale %a",
                                           function->function, scale);
  return {UnaryOfCodes(node, {WideLookup(name, *table, c.graph)}, *c.graph)};
}

std::vector<Node> WideLines(const Node& node, const KernelContext& c) {
  const PostOp* function = FunctionOfOne(node, *c.graph);
  if (function == nullptr || node.post_ops.size() != 2) return {};
  const float from = ScaleOf(*c.graph, node.inputs[0]);
  const float to = ScaleOf(*c.graph, node.outputs[0]);
  const auto table = LinesOf(function->function, from, to);
  if (!table) return {};
  const std::string name = absl::StrFormat(
      "%s of 16-bit codes of scales %a, %a", function->function, from, to);
  return {UnaryOfCodes(node, {WideLookup(name, *table, c.graph)}, *c.graph)};
}

std::vector<Node> WideRelu(const Node& node, const KernelContext& c) {
  if (FunctionOfOne(node, *c.graph) == nullptr) return {};
  return WideRescaled(node,
                      quant::ReluScale(ScaleOf(*c.graph, node.inputs[0]),
                                       ScaleOf(*c.graph, node.outputs[0])),
                      c);
}

std::vector<Node> WideQuantize(const Node& node, const KernelContext& c) {
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  if (IsFloat(in) && c.traits.quantize_multiplies &&
      IsPlainElementwise(*c.graph, node) && node.post_ops.size() == 1) {
    const Tensor& out = c.graph->tensor(node.outputs[0]);
    Node quantized = node;
    quantized.on_codes = true;
    quantized.post_ops = {CodesByInverse(out),
                          {"mul", {out.quantization.scale[0], 0, 0, 0}}};
    return {quantized};
  }
  if (FunctionOfOne(node, *c.graph) == nullptr) return {};
  return WideRescaled(node,
                      quant::QuantizeScale(ScaleOf(*c.graph, node.inputs[0]),
                                           ScaleOf(*c.graph, node.outputs[0])),
                      c);
}

std::vector<Node> WideAbs(const Node& node, const KernelContext& c) {
  const PostOp* function = FunctionOfOne(node, *c.graph);
  if (function == nullptr || node.post_ops.size() != 2) return {};
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const float from = ScaleOf(*c.graph, node.inputs[0]);
  const float to = ScaleOf(*c.graph, node.outputs[0]);
  const quant::Multiplier m = quant::MultiplierOf(quant::ReluScale(from, to));
  const auto clamp = WideClamp(absl::MakeSpan(node.post_ops).subspan(1), out);
  if (!clamp || m.shift > kMostShift) return {};
  std::vector<PostOp> ops = {*function};
  if (from != to) {
    ops.push_back(Requantize({m}, out, quant::Ties::kAwayFromZero, c.graph));
  }
  ops.push_back(*clamp);
  return {UnaryOfCodes(node, std::move(ops), *c.graph)};
}

std::vector<Node> WideLeakyRelu(const Node& node, const KernelContext& c) {
  const PostOp* function = FunctionOfOne(node, *c.graph);
  if (function == nullptr || node.post_ops.size() != 2) return {};
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const float from = ScaleOf(*c.graph, node.inputs[0]);
  const float to = ScaleOf(*c.graph, node.outputs[0]);
  const float alpha = function->params[0];
  if (alpha < 0) {
    const auto table = quant::LeakyReluOfSixteenBits(from, to, alpha);
    if (!table) return {};
    const std::string name = absl::StrFormat(
        "leaky_relu by %a of 16-bit codes of scales %a, %a", alpha, from, to);
    return {UnaryOfCodes(node, {WideLookup(name, *table, c.graph)}, *c.graph)};
  }
  const quant::Multiplier positive =
      quant::MultiplierOf(quant::ReluScale(from, to));
  const quant::Multiplier negative =
      quant::MultiplierOf(double{from * alpha / to});
  const auto clamp = WideClamp(absl::MakeSpan(node.post_ops).subspan(1), out);
  if (!clamp || positive.shift > kMostShift || negative.shift > kMostShift) {
    return {};
  }
  return {UnaryOfCodes(
      node, {{"leaky_requantize", AsParams(positive, negative)}, *clamp},
      *c.graph)};
}

}  // namespace gles_delegate::codes
