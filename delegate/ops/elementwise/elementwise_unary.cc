#include "delegate/ops/elementwise/elementwise_unary.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_params.h"

namespace gles_delegate {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr int kLeakyRelu = 98;
constexpr int kGelu = 150;

struct UnaryFunction {
  int builtin_code;
  const char* function;
  std::array<float, 4> params;
  unsigned types = kFloats;  // as TFLite's kernel takes them
};

constexpr UnaryFunction kFunctions[] = {
    {8, "floor", {}},
    {14, "logistic", {}},
    {19, "clamp", {0, kInf}},  // RELU
    {20, "clamp", {-1, 1}},    // RELU_N1_TO_1
    {21, "clamp", {0, 6}},     // RELU6
    {28, "tanh", {}},
    {47, "exp", {}},
    {59, "neg", {}, kFloats | kInts},
    {66, "sin", {}},
    {73, "log", {}},
    {75, "sqrt", {}},
    {76, "rsqrt", {}},
    {92, "square", {}},
    {kLeakyRelu, "leaky_relu", {}},
    {87, "logical_not", {}, kBools},
    {101, "abs", {}, kFloats | kInts},
    {104, "ceil", {}},
    {108, "cos", {}},
    {111, "elu", {}},
    {116, "round", {}},
    {117, "hard_swish", {}},
    {kGelu, "gelu", {}},
    {152, "clamp", {0, 1}},  // RELU_0_TO_1
    {158, "sign", {}, kFloats | kInts},
};

absl::StatusOr<PostOp> PostOpOf(const UnaryFunction& f, const NodeView& node) {
  PostOp op{f.function, f.params};
  if (f.builtin_code == kLeakyRelu) {
    auto params = node.Get<LeakyReluParams>();
    if (!params.ok()) return params.status();
    op.params[0] = (*params)->alpha;
  }
  if (f.builtin_code == kGelu) {
    auto params = node.Get<GeluParams>();
    if (!params.ok()) return params.status();
    if ((*params)->approximate) op.function = "gelu_tanh";
  }
  return op;
}

}  // namespace

absl::StatusOr<ParsedNode> ParseUnary(const NodeView& node) {
  if (auto s = node.CheckCounts(1, 1, 1); !s.ok()) return s;
  const Tensor& input = *node.inputs[0];
  const Tensor& output = *node.outputs[0];
  const auto* f = std::find_if(
      std::begin(kFunctions), std::end(kFunctions),
      [&](const auto& f) { return f.builtin_code == node.builtin_code; });
  if (f == std::end(kFunctions)) {
    return absl::UnimplementedError(
        absl::StrCat("op code ", node.builtin_code, " is no unary function"));
  }
  for (const Tensor* tensor : {&input, &output}) {
    if (auto s = CheckOperand(*tensor, f->types); !s.ok()) return s;
  }
  if (auto s = CheckSameType(input, output); !s.ok()) return s;
  if (input.dims != output.dims) {
    return absl::InvalidArgumentError(
        absl::StrCat("the output ", output.ToString(),
                     " must have the shape of the input ", input.ToString()));
  }
  auto function = PostOpOf(*f, node);
  if (!function.ok()) return function.status();
  ElementwiseAttributes attributes;
  attributes.source_shape = input.shape;
  return ParsedNode{attributes, {*std::move(function)}};
}

}  // namespace gles_delegate
