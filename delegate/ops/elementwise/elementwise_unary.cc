#include "delegate/ops/elementwise/elementwise_unary.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/builtin_params.h"

namespace gles_delegate {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

struct UnaryFunction {
  int builtin_code;
  const char* function;
  std::array<float, 4> params;
  unsigned types = kFloats;  // as TFLite's kernel takes them
};

constexpr UnaryFunction kUnaryFunctions[] = {
    {BuiltinOperator_FLOOR, "floor", {}},
    {BuiltinOperator_LOGISTIC, "logistic", {}},
    {BuiltinOperator_RELU, "clamp", {0, kInf}},
    {BuiltinOperator_RELU_N1_TO_1, "clamp", {-1, 1}},
    {BuiltinOperator_RELU6, "clamp", {0, 6}},
    {BuiltinOperator_TANH, "tanh", {}},
    {BuiltinOperator_EXP, "exp", {}},
    {BuiltinOperator_NEG, "neg", {}, kFloats | kInts},
    {BuiltinOperator_SIN, "sin", {}},
    {BuiltinOperator_LOG, "log", {}},
    {BuiltinOperator_SQRT, "sqrt", {}},
    {BuiltinOperator_RSQRT, "rsqrt", {}},
    {BuiltinOperator_SQUARE, "square", {}},
    {BuiltinOperator_LEAKY_RELU, "leaky_relu", {}},
    {BuiltinOperator_LOGICAL_NOT, "logical_not", {}, kBools},
    {BuiltinOperator_ABS, "abs", {}, kFloats | kInts},
    {BuiltinOperator_CEIL, "ceil", {}},
    {BuiltinOperator_COS, "cos", {}},
    {BuiltinOperator_ELU, "elu", {}},
    {BuiltinOperator_ROUND, "round", {}},
    {BuiltinOperator_HARD_SWISH, "hard_swish", {}},
    {BuiltinOperator_GELU, "gelu", {}},
    {BuiltinOperator_RELU_0_TO_1, "clamp", {0, 1}},
    {BuiltinOperator_SIGN, "sign", {}, kFloats | kInts},
};

absl::StatusOr<PostOp> PostOpOf(const UnaryFunction& f, const NodeView& node) {
  PostOp op{f.function, f.params};
  if (f.builtin_code == BuiltinOperator_LEAKY_RELU) {
    ASSIGN_OR_RETURN(auto params, node.Get<LeakyReluParams>());
    op.params[0] = params->alpha;
  }
  if (f.builtin_code == BuiltinOperator_GELU) {
    ASSIGN_OR_RETURN(auto params, node.Get<GeluParams>());
    if (params->approximate) op.function = "gelu_tanh";
  }
  return op;
}

}  // namespace

absl::StatusOr<ParsedNode> ParseUnary(const NodeView& node) {
  RETURN_IF_ERROR(node.CheckCounts(1, 1, 1));
  const Tensor& input = *node.inputs[0];
  const Tensor& output = *node.outputs[0];
  const auto* f = std::find_if(
      std::begin(kUnaryFunctions), std::end(kUnaryFunctions),
      [&](const auto& f) { return f.builtin_code == node.builtin_code; });
  if (f == std::end(kUnaryFunctions)) {
    return absl::UnimplementedError(
        absl::StrCat("op code ", node.builtin_code, " is no unary function"));
  }
  for (const Tensor* tensor : {&input, &output}) {
    RETURN_IF_ERROR(CheckOperand(*tensor, f->types));
  }
  RETURN_IF_ERROR(CheckSameType(input, output));
  if (input.dims != output.dims) {
    return absl::InvalidArgumentError(
        absl::StrCat("the output ", output.ToString(),
                     " must have the shape of the input ", input.ToString()));
  }
  ASSIGN_OR_RETURN(auto function, PostOpOf(*f, node));
  ElementwiseAttributes attributes;
  attributes.source_shape = input.shape;
  return ParsedNode{attributes, {std::move(function)}};
}

}  // namespace gles_delegate
