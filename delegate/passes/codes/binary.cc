// ADD, SUB, MUL: functions of two tensors on codes.
#include <any>
#include <utility>

#include "delegate/ops/elementwise.h"
#include "delegate/passes/codes/helpers.h"
#include "delegate/passes/codes/kernel.h"

namespace gles_delegate::codes {
namespace {

// A function of two tensors, a and b in this order, of which the post-op's
// operand may be broadcast or constant.
struct FunctionOfTwo {
  PostOp function;  // its operand is on codes
  float a_scale = 0;
  float b_scale = 0;
  Range range;
};

// nullopt: it is something else, or not of codes.
std::optional<FunctionOfTwo> AsFunctionOfTwo(const Node& node, Graph* graph) {
  if (node.inputs.size() != 2 || !IsPlainElementwise(*graph, node) ||
      node.post_ops.empty() || node.post_ops[0].operand == kNoTensor) {
    return std::nullopt;
  }
  const Tensor& out = graph->tensor(node.outputs[0]);
  FunctionOfTwo f;
  f.function = node.post_ops[0];
  const TensorId source =
      node.inputs[std::any_cast<const ElementwiseAttributes&>(node.attributes)
                      .source];
  const Tensor& operand = graph->tensor(f.function.operand);
  if (!HoldsCodes(*graph, source) || graph->tensor(source).codes != out.codes ||
      operand.codes != out.codes ||
      (!operand.holds_codes && !operand.is_constant()) ||
      operand.quantization.scale.size() != 1) {
    return std::nullopt;
  }
  Node rest = node;
  rest.post_ops.erase(rest.post_ops.begin());
  const std::optional<Range> range = RangeOf(rest, out);
  if (!range) return std::nullopt;
  f.range = *range;
  f.a_scale = graph->tensor(source).quantization.scale[0];
  f.b_scale = operand.quantization.scale[0];
  if (f.function.operand_first) std::swap(f.a_scale, f.b_scale);
  if (operand.is_constant()) {
    f.function.operand = AsCodes(graph, f.function.operand);
  }
  return f;
}

// XNNPACK's ADD and SUB; nullopt where it leaves them to the built-in kernels.
std::optional<Node> AddedByXnnpack(const Node& node, const FunctionOfTwo& f,
                                   float sum_scale) {
  const std::optional<quant::FloatSum> s = quant::FloatSumOf(
      f.a_scale, f.b_scale, sum_scale, node.op->name == "SUB");
  if (!s) return std::nullopt;
  PostOp add = f.function;
  add.function = "add_as_xnnpack";
  add.params = {static_cast<float>(s->a), static_cast<float>(s->b),
                static_cast<float>(s->shift), 0};
  Node sum = node;
  sum.post_ops = {add, f.range.AsPostOp()};
  return sum;
}

}  // namespace

std::optional<Node> AddOnCodes(const Node& node, const KernelContext& c) {
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  std::optional<FunctionOfTwo> f = AsFunctionOfTwo(node, c.graph);
  if (!f) return std::nullopt;
  if (c.cpu == quant::CpuKernels::kXnnpack) {
    if (auto sum = AddedByXnnpack(node, *f, out.quantization.scale[0])) {
      return sum;
    }
  }
  const quant::AddMultipliers m = quant::AddMultipliersOf(
      f->a_scale, f->b_scale, out.quantization.scale[0]);
  // The sum has 29 bits.
  if (m.sum.shift > 0) return std::nullopt;
  const bool a_is_finer = f->a_scale < f->b_scale;
  const int flags = (a_is_finer ? 1 : 0) + (node.op->name == "SUB" ? 2 : 0);
  PostOp& terms = f->function;
  terms.function = "add_terms";
  terms.params = AsParams(a_is_finer ? m.a : m.b, static_cast<float>(flags));
  Node sum = node;
  sum.post_ops = {
      terms, {"sum_of_terms", AsParams(m.sum, 0)}, f->range.AsPostOp()};
  return sum;
}

std::optional<Node> MulOnCodes(const Node& node, const KernelContext& c) {
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const std::optional<FunctionOfTwo> f = AsFunctionOfTwo(node, c.graph);
  if (!f) return std::nullopt;
  const std::vector<quant::Multiplier> multipliers = {quant::MultiplierOf(
      quant::ProductScale(f->a_scale, f->b_scale, out.quantization.scale[0]))};
  if (!FitSums(multipliers)) return std::nullopt;
  const quant::Rounding rounding = quant::RoundingOf(
      c.cpu, quant::ProductOp::kMul, out.codes == DataType::kUint8);
  const PostOp scaling =
      rounding == quant::Rounding::kOnceToEven
          ? RequantizeAsFloat({quant::FloatScale(f->a_scale, f->b_scale,
                                                 out.quantization.scale[0])},
                              out, c.graph)
          : Requantize(multipliers, out, quant::TiesOf(rounding), c.graph);
  Node product = node;
  product.post_ops = {f->function, scaling, f->range.AsPostOp()};
  return product;
}

}  // namespace gles_delegate::codes
