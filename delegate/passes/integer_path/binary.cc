// ADD, SUB, MUL, DIV, SQUARED_DIFFERENCE, MAXIMUM, MINIMUM, PRELU: functions of
// two tensors in integers, each of which may be broadcast, and one constant.
#include <any>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "delegate/ops/elementwise/comparison.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/int16_helpers.h"
#include "delegate/passes/integer_path/kernel.h"
#include "quant/code_quotient.h"

namespace gles_delegate::integer_path {
namespace {

// A function of two tensors, a and b in this order.
struct FunctionOfTwo {
  TensorId a = kNoTensor, b = kNoTensor;
  Range range;  // of the output
};

float ZeroPointOf(const Graph& graph, TensorId id) {
  return static_cast<float>(graph.tensor(id).quantization.zero_point[0]);
}

// The function is the first of the node's post-ops, or of its attributes' where
// an operand is seen in another shape.
bool IsAmongPostOps(const Node& node) {
  return std::any_cast<const ElementwiseAttributes&>(node.attributes)
      .functions.empty();
}

bool IsOperandOfQuantized(const Graph& graph, TensorId id, DataType quantized) {
  const Tensor& tensor = graph.tensor(id);
  return tensor.quantized == quantized &&
         tensor.quantization.scale.size() == 1 &&
         (tensor.holds_quantized || tensor.is_constant());
}

// nullopt: it is something else, or not of codes.
std::optional<FunctionOfTwo> AsFunctionOfTwo(const Node& node,
                                             const Graph& graph) {
  const auto* attributes =
      std::any_cast<ElementwiseAttributes>(&node.attributes);
  if (node.inputs.size() != 2 || attributes == nullptr) return std::nullopt;
  const Tensor& out = graph.tensor(node.outputs[0]);
  const FunctionOfTwo f = {node.inputs[0], node.inputs[1], {}};
  if (!IsOperandOfQuantized(graph, f.a, out.quantized) ||
      !IsOperandOfQuantized(graph, f.b, out.quantized) ||
      !HoldsQuantized(graph, node.inputs[attributes->source])) {
    return std::nullopt;
  }
  Node rest = node;
  if (IsAmongPostOps(node)) {
    if (node.post_ops.size() < 2) return std::nullopt;
    rest.post_ops.erase(rest.post_ops.begin());
  } else if (attributes->functions.size() != 1) {
    return std::nullopt;
  }
  const std::optional<Range> range = RangeOf(rest, out);
  if (!range) return std::nullopt;
  return FunctionOfTwo{f.a, f.b, *range};
}

// The node with `function` of its two tensors, in integers, and then `rest`.
Node WithFunction(const Node& node, PostOp function, std::vector<PostOp> rest,
                  Graph* graph) {
  Node rewritten = node;
  auto& attributes =
      std::any_cast<ElementwiseAttributes&>(rewritten.attributes);
  const int other = 1 - attributes.source;
  if (graph->tensor(node.inputs[other]).is_constant()) {
    rewritten.inputs[other] = AsQuantized(graph, node.inputs[other]);
  }
  function.operand_first = attributes.source == 1;
  if (IsAmongPostOps(node)) {
    // A constant of one element, too: the params have multipliers.
    function.operand = rewritten.inputs[other];
    rest.insert(rest.begin(), std::move(function));
  } else {
    function.operand = other;
    attributes.functions[0].function = std::move(function);
  }
  rewritten.post_ops = std::move(rest);
  return rewritten;
}

// The first step of ADD, SUB and SQUARED_DIFFERENCE: `flags` are those of
// op_add_terms, but for which of the two is finer.
PostOp Terms(const FunctionOfTwo& f, const quant::AddMultipliers& m, int flags,
             const Graph& graph) {
  const bool a_is_finer = ScaleOf(graph, f.a) < ScaleOf(graph, f.b);
  return {"add_terms",
          AsParams(a_is_finer ? m.a : m.b,
                   static_cast<float>(flags + (a_is_finer ? 1 : 0)))};
}

constexpr int kSubtract = 2, kSevenBits = 4;

// XNNPACK's ADD and SUB; nullopt where it leaves them to the built-in kernels.
std::optional<Node> AddedByXnnpack(const Node& node, const FunctionOfTwo& f,
                                   bool subtract, Graph* graph) {
  const std::optional<quant::FloatSum> s =
      quant::FloatSumOf(ScaleOf(*graph, f.a), ScaleOf(*graph, f.b),
                        ScaleOf(*graph, node.outputs[0]), subtract);
  if (!s) return std::nullopt;
  return WithFunction(node,
                      {"add_as_xnnpack",
                       {static_cast<float>(s->a), static_cast<float>(s->b),
                        static_cast<float>(s->shift), 0}},
                      {f.range.AsPostOp()}, graph);
}

std::optional<Node> SumOfTwo(const Node& node, bool subtract,
                             const KernelContext& c) {
  const std::optional<FunctionOfTwo> f = AsFunctionOfTwo(node, *c.graph);
  if (!f) return std::nullopt;
  if (c.cpu == quant::CpuKernels::kXnnpack) {
    if (auto sum = AddedByXnnpack(node, *f, subtract, c.graph)) return sum;
  }
  const quant::AddMultipliers m =
      quant::AddMultipliersOf(ScaleOf(*c.graph, f->a), ScaleOf(*c.graph, f->b),
                              ScaleOf(*c.graph, node.outputs[0]));
  // The sum has 29 bits.
  if (m.sum.shift > 0) return std::nullopt;
  const int flags = subtract ? kSubtract : 0;
  return WithFunction(
      node, Terms(*f, m, flags, *c.graph),
      {{"sum_of_terms", AsParams(m.sum, 0)}, f->range.AsPostOp()}, c.graph);
}

// TFLite's kernels take quantized values for numbers, and ask for no one
// quantization.
std::optional<Node> ExtremeOfTwo(const Node& node, const char* function,
                                 const KernelContext& c) {
  const std::optional<FunctionOfTwo> f = AsFunctionOfTwo(node, *c.graph);
  if (!f) return std::nullopt;
  return WithFunction(
      node,
      {function,
       {ZeroPointOf(*c.graph, f->a), ZeroPointOf(*c.graph, f->b),
        ZeroPointOf(*c.graph, node.outputs[0]), 0}},
      {}, c.graph);
}

}  // namespace

std::optional<Node> AddInIntegers(const Node& node, const KernelContext& c) {
  return SumOfTwo(node, /*subtract=*/false, c);
}
std::optional<Node> SubInIntegers(const Node& node, const KernelContext& c) {
  return SumOfTwo(node, /*subtract=*/true, c);
}
std::optional<Node> MaximumInIntegers(const Node& node,
                                      const KernelContext& c) {
  return ExtremeOfTwo(node, "maximum_of_quantized", c);
}
std::optional<Node> MinimumInIntegers(const Node& node,
                                      const KernelContext& c) {
  return ExtremeOfTwo(node, "minimum_of_quantized", c);
}

std::optional<Node> SquaredDifferenceInIntegers(const Node& node,
                                                const KernelContext& c) {
  const std::optional<FunctionOfTwo> f = AsFunctionOfTwo(node, *c.graph);
  if (!f) return std::nullopt;
  const quant::AddMultipliers m = quant::SquaredDifferenceMultipliersOf(
      ScaleOf(*c.graph, f->a), ScaleOf(*c.graph, f->b),
      ScaleOf(*c.graph, node.outputs[0]));
  // TFLite's kernel ends the process on it.
  if (m.sum.shift > 0) return std::nullopt;
  return WithFunction(
      node, Terms(*f, m, kSubtract + kSevenBits, *c.graph),
      {{"square_of_terms", AsParams(m.sum, 0)}, f->range.AsPostOp()}, c.graph);
}

std::optional<Node> MulInIntegers(const Node& node, const KernelContext& c) {
  const std::optional<FunctionOfTwo> f = AsFunctionOfTwo(node, *c.graph);
  if (!f) return std::nullopt;
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const float a = ScaleOf(*c.graph, f->a), b = ScaleOf(*c.graph, f->b),
              y = out.quantization.scale[0];
  const quant::Multiplier m = quant::MultiplierOf(quant::ProductScale(a, b, y));
  if (!IsMultiplier(m)) return std::nullopt;
  const quant::Rounding rounding =
      quant::RoundingOf(c.cpu, c.traits, quant::ProductOp::kMul,
                        out.quantized == DataType::kUint8);
  const PostOp scaling =
      rounding == quant::Rounding::kOnceToEven
          ? RequantizeAsFloat({quant::FloatScale(a, b, y)}, out, c.graph)
          : Requantize({m}, out, quant::TiesOf(rounding), c.graph);
  return WithFunction(node, {"mul"}, {scaling, f->range.AsPostOp()}, c.graph);
}

std::optional<Node> DivInIntegers(const Node& node, const KernelContext& c) {
  const std::optional<FunctionOfTwo> f = AsFunctionOfTwo(node, *c.graph);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  if (!f) return std::nullopt;
  const quant::AffineQuantized a = AffineQuantizedOf(c.graph->tensor(f->a));
  const quant::AffineQuantized b = AffineQuantizedOf(c.graph->tensor(f->b));
  const quant::AffineQuantized to = AffineQuantizedOf(out);
  auto table = quant::QuotientTable(a, b, to);
  if (!table) return std::nullopt;
  for (int16_t& code : *table) {
    code = static_cast<int16_t>(code - to.zero_point);
  }
  const std::string name = Formatted(
      "quotients of quantized values from %d of %a from %d, %a from %d as %a "
      "from %d",
      a.range.low, a.scale, a.zero_point, b.scale, b.zero_point, to.scale,
      to.zero_point);
  return WithFunction(node,
                      {"pair_of_quantized",
                       {static_cast<float>(a.zero_point - a.range.low),
                        static_cast<float>(b.zero_point - b.range.low), 0, 0}},
                      {Int16Lookup(name, *table, c.graph), f->range.AsPostOp()},
                      c.graph);
}

std::optional<Node> PreluInIntegers(const Node& node, const KernelContext& c) {
  const std::optional<FunctionOfTwo> f = AsFunctionOfTwo(node, *c.graph);
  if (!f) return std::nullopt;
  const float in = ScaleOf(*c.graph, f->a), alpha = ScaleOf(*c.graph, f->b),
              out = ScaleOf(*c.graph, node.outputs[0]);
  const quant::Multiplier positive =
      quant::MultiplierOf(quant::ReluScale(in, out));
  const quant::Multiplier negative =
      quant::MultiplierOf(quant::ProductScale(in, alpha, out));
  if (!IsMultiplier(positive) || !IsMultiplier(negative)) return std::nullopt;
  return WithFunction(node, {"prelu_requantize", AsParams(positive, negative)},
                      {f->range.AsPostOp()}, c.graph);
}

// --- Comparisons scale both sides in integers; SELECT moves values -----------

std::optional<Node> ComparisonInIntegers(const Node& node,
                                         const KernelContext& c) {
  if (!std::any_cast<const ComparisonAttributes&>(node.attributes)
           .of_quantized) {
    return std::nullopt;
  }
  Node comparison = node;
  for (TensorId& id : comparison.inputs) {
    if (c.graph->tensor(id).is_constant()) {
      id = AsQuantized(c.graph, id);
    } else if (!HoldsQuantized(*c.graph, id)) {
      return std::nullopt;
    }
  }
  return comparison;
}

std::optional<Node> SelectInIntegers(const Node& node, const KernelContext& c) {
  const TensorId out = node.outputs[0];
  if (!HoldsQuantized(*c.graph, out)) return std::nullopt;
  const Tensor& to = c.graph->tensor(out);
  for (int i : {1, 2}) {
    const Tensor& from = c.graph->tensor(node.inputs[i]);
    // Moves (value - zero point).
    if (from.quantized != to.quantized ||
        from.quantization.zero_point != to.quantization.zero_point ||
        (!from.is_constant() && !from.holds_quantized)) {
      return std::nullopt;
    }
  }
  Node select = node;
  // TFLite moves quantized values regardless of scales, so it has no
  // simulator.
  select.post_ops.clear();
  for (int i : {1, 2}) {
    if (c.graph->tensor(node.inputs[i]).is_constant()) {
      select.inputs[i] = AsQuantized(c.graph, node.inputs[i]);
    }
  }
  return select;
}

}  // namespace gles_delegate::integer_path
