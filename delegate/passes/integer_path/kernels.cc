// The integer kernels by op.
#include <algorithm>
#include <iterator>

#include "absl/strings/string_view.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/int16_helpers.h"
#include "delegate/passes/integer_path/kernel.h"

namespace gles_delegate::integer_path {
namespace {

struct Kernels {
  absl::string_view op;
  Rewrite* int8 = nullptr;
  Int16Rewrite* int16 = nullptr;
};

constexpr Kernels kKernels[] = {
#define ROW(name, code, v, vq, signature, types, parse, plan, traits, \
            function, int8, int16, note)                              \
  {name, &int8, &int16},
#include "delegate/ops/op_list.inc"
};

// Both are No8 and No16 for ops that passes make.
Kernels KernelsOf(const Node& node) {
  const auto* found =
      std::find_if(std::begin(kKernels), std::end(kKernels),
                   [&](const Kernels& k) { return k.op == node.op->name; });
  return found == std::end(kKernels) ? Kernels{"", &No8, &No16} : *found;
}

struct OpRecipe {
  absl::string_view op;
  Recipe* recipe;
};
constexpr OpRecipe kRecipes[] = {
    {"BATCH_MATMUL", &BatchMatMul},
    {"CONV_2D", &Convolve},
    {"DEPTHWISE_CONV_2D", &Convolve},
    {"FULLY_CONNECTED", &Convolve},
    {"TRANSPOSE_CONV", &Convolve},
    {"BATCH_TO_SPACE_ND", &Move},
    {"BROADCAST_TO", &Move},
    {"DEPTH_TO_SPACE", &Move},
    {"EXPAND_DIMS", &Move},
    {"GATHER", &Move},
    {"GATHER_ND", &Move},
    {"MIRROR_PAD", &Move},
    {"PAD", &Move},
    {"RESHAPE", &Move},
    {"RESIZE_NEAREST_NEIGHBOR", &Move},
    {"REVERSE_SEQUENCE", &Move},
    {"REVERSE_V2", &Move},
    {"SLICE", &Move},
    {"SPACE_TO_BATCH_ND", &Move},
    {"SPACE_TO_DEPTH", &Move},
    {"SQUEEZE", &Move},
    {"STRIDED_SLICE", &Move},
    {"TILE", &Move},
    {"TRANSPOSE", &Move},
    {"ARG_MAX", &ArgExtreme},
    {"ARG_MIN", &ArgExtreme},
    {"CONCATENATION", &Join},
    {"DYNAMIC_UPDATE_SLICE", &MoveOfEightBits},
    {"FILL", &Fill},
    {"MAX_POOL_2D", &MaxPool},
    {"PADV2", &PadV2},
    {"SELECT", &Select},
    {"SELECT_V2", &Select},
    {"ABS", &Abs},
    {"ADD", &Add},
    {"DIV", &Div},
    {"ELU", &Table},
    {"EQUAL", &Comparison},
    {"EXP", &Table},
    {"GELU", &Table},
    {"GREATER", &Comparison},
    {"GREATER_EQUAL", &Comparison},
    {"HARD_SWISH", &Table},
    {"LEAKY_RELU", &LeakyRelu},
    {"LESS", &Comparison},
    {"LESS_EQUAL", &Comparison},
    {"LOG", &Table},
    {"LOGISTIC", &Table},
    {"MAXIMUM", &Maximum},
    {"MINIMUM", &Minimum},
    {"MUL", &Mul},
    {"NOT_EQUAL", &Comparison},
    {"PRELU", &Prelu},
    {"QUANTIZE", &Quantize},
    {"RELU", &Relu},
    {"RELU6", &Relu},
    {"RELU_0_TO_1", &ReluOfEightBits},
    {"RELU_N1_TO_1", &ReluOfEightBits},
    {"RSQRT", &Table},
    {"SQRT", &Table},
    {"SQUARED_DIFFERENCE", &SquaredDifference},
    {"SUB", &Sub},
    {"TANH", &Table},
};

}  // namespace

Nodes InIntegers(const Node& node, const KernelContext& context) {
  for (const OpRecipe& r : kRecipes) {
    if (r.op != node.op->name) continue;
    QuantizedNode q(node, context);
    return r.recipe(q);
  }
  return {};
}

std::optional<Node> No8(const Node&, const KernelContext&) {
  return std::nullopt;
}
std::vector<Node> No16(const Node&, const KernelContext&) { return {}; }

std::optional<Node> In8(const Node& node, const KernelContext& context) {
  Rewrite* const rewrite = KernelsOf(node).int8;
  if (!EndsInSimulator(node) ||
      !HoldsQuantized(*context.graph, node.outputs[0])) {
    return std::nullopt;
  }
  return rewrite(node, context);
}

std::vector<Node> InInt16(const Node& node, const KernelContext& context) {
  if (!EndsInSimulator(node) ||
      !IsInt16(context.graph->tensor(node.outputs[0]))) {
    return {};
  }
  return KernelsOf(node).int16(node, context);
}

}  // namespace gles_delegate::integer_path
