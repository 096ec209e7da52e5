// Functions of one quantized value: LEAKY_RELU in integers, the others as
// tables of 256 values that the host fills as TFLite's kernels do.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "delegate/passes/integer_path/float_functions.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/kernel.h"
#include "quant/code_table.h"

namespace gles_delegate::integer_path {
namespace {

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

}  // namespace gles_delegate::integer_path
