// Functions of one quantized value: LEAKY_RELU in integers, the others as
// tables of 256 values that the host fills as TFLite's kernels do.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/types/span.h"
#include "base/format.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/int16_helpers.h"
#include "delegate/passes/integer_path/kernel.h"
#include "quant/code_table.h"
#include "quant/fixed_point.h"
#include "quant/int16.h"

namespace gles_delegate::integer_path {
namespace {

// --- Functions from which TFLite fills its tables, in its precision ----------

inline float Logistic(float x) { return 1.0f / (1.0f + std::exp(-x)); }
inline float Tanh(float x) { return std::tanh(x); }
inline float Elu(float x) { return x < 0.0f ? std::exp(x) - 1.0f : x; }
inline float Exp(float x) { return std::exp(x); }
inline float Gelu(float x) {
  constexpr double kRootOfHalf = 0.70710678118654752440;
  return static_cast<float>(
      x * 0.5 * double{std::erfc(-x * static_cast<float>(kRootOfHalf))});
}
inline float GeluByTanh(float x) {
  constexpr double kRootOfTwoByPi = 0.79788456080286535588;
  return static_cast<float>(
      0.5 * x *
      (1 + std::tanh(kRootOfTwoByPi * (x + 0.044715 * std::pow(x, 3)))));
}

using quant::AffineQuantized;
using quant::CodeTable;

using MakeTable = std::optional<CodeTable> (*)(const AffineQuantized& in,
                                               const AffineQuantized& out);

template <float (*function)(float)>
std::optional<CodeTable> FloatTable(const AffineQuantized& in,
                                    const AffineQuantized& out) {
  return quant::TableOf(in, out, function);
}

// Of 0 and below: the output's least value.
std::optional<CodeTable> LogTable(const AffineQuantized& in,
                                  const AffineQuantized& out) {
  const float min =
      static_cast<float>(out.range.low - out.zero_point) * out.scale;
  return quant::TableOf(
      in, out, [min](float x) { return x <= 0.0f ? min : std::log(x); });
}

struct TableFunction {
  const char* post_op;  // as the op's parser writes it
  MakeTable make;
};
constexpr TableFunction kFunctions[] = {
    {"abs", &quant::AbsTable},
    {"elu", &FloatTable<Elu>},
    {"exp", &FloatTable<Exp>},
    {"gelu", &FloatTable<Gelu>},
    {"gelu_tanh", &FloatTable<GeluByTanh>},
    {"hard_swish", &quant::HardSwishTable},
    {"log", &LogTable},
    {"logistic", &FloatTable<Logistic>},
    {"rsqrt", &quant::RsqrtTable},
    {"sqrt", &quant::SqrtTable},
    {"tanh", &FloatTable<Tanh>},
};

// A function between quantized values of one type, whose node has two post-ops:
// the function and the simulator.
bool IsFunctionOfQuantized(const Node& node, const Graph& graph) {
  return node.inputs.size() == 1 && node.post_ops.size() == 2 &&
         HoldsQuantized(graph, node.inputs[0]) &&
         graph.tensor(node.inputs[0]).quantized ==
             graph.tensor(node.outputs[0]).quantized;
}

std::optional<Node> RewrittenWithTable(const Node& node,
                                       const std::optional<CodeTable>& table,
                                       Graph* graph) {
  if (!table) return std::nullopt;
  Node rewritten = node;
  rewritten.post_ops = {Lookup(*table, graph->tensor(node.inputs[0]),
                               graph->tensor(node.outputs[0]), graph)};
  return rewritten;
}

std::optional<Node> LeakyReluByXnnpack(const Node& node, float alpha,
                                       const Graph& graph) {
  const Tensor& out = graph.tensor(node.outputs[0]);
  const auto factors = quant::LeakyReluIn256ths(
      graph.tensor(node.inputs[0]).quantization.scale[0],
      out.quantization.scale[0], alpha);
  Node leaky = node;
  leaky.post_ops.erase(leaky.post_ops.begin());
  const std::optional<Range> range = RangeOf(leaky, out);
  if (!factors || !range) return std::nullopt;
  leaky.post_ops = {{"leaky_by_256ths",
                     {static_cast<float>(factors->positive),
                      static_cast<float>(factors->negative), 0, 0}},
                    range->AsPostOp()};
  return leaky;
}

}  // namespace

std::optional<Node> TableInIntegers(const Node& node, const KernelContext& c) {
  if (!IsFunctionOfQuantized(node, *c.graph)) return std::nullopt;
  const auto* function = std::find_if(
      std::begin(kFunctions), std::end(kFunctions),
      [&](const auto& f) { return f.post_op == node.post_ops[0].function; });
  if (function == std::end(kFunctions)) return std::nullopt;
  const auto table =
      function->make(AffineQuantizedOf(c.graph->tensor(node.inputs[0])),
                     AffineQuantizedOf(c.graph->tensor(node.outputs[0])));
  return RewrittenWithTable(node, table, c.graph);
}

std::optional<Node> LeakyReluInIntegers(const Node& node,
                                        const KernelContext& c) {
  if (!IsFunctionOfQuantized(node, *c.graph)) return std::nullopt;
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const float alpha = node.post_ops[0].params[0];
  if (c.cpu == quant::CpuKernels::kXnnpack) {
    if (auto leaky = LeakyReluByXnnpack(node, alpha, *c.graph)) return leaky;
  }
  // Multipliers in params have no sign.
  if (alpha < 0) {
    return RewrittenWithTable(
        node,
        quant::LeakyReluTable(AffineQuantizedOf(in), AffineQuantizedOf(out),
                              alpha),
        c.graph);
  }
  const float from = in.quantization.scale[0], to = out.quantization.scale[0];
  const quant::Multiplier positive =
      quant::MultiplierOf(quant::ReluScale(from, to));
  const quant::Multiplier negative =
      quant::MultiplierOf(double{from * alpha / to});
  if (!IsMultiplier(positive) || !IsMultiplier(negative)) return std::nullopt;
  Node simulator = node;
  simulator.post_ops.erase(simulator.post_ops.begin());
  const std::optional<Range> range = RangeOf(simulator, out);
  if (!range) return std::nullopt;
  Node leaky = node;
  leaky.post_ops = {{"leaky_requantize", AsParams(positive, negative)},
                    range->AsPostOp()};
  return leaky;
}

namespace {

// --- Functions of one 16-bit value -------------------------------------------

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
