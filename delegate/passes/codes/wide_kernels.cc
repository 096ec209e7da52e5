// The table of int16 kernels. Sorted, one per line.
#include "delegate/passes/codes/wide_kernels.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/string_view.h"
#include "delegate/graph/op.h"
#include "delegate/passes/codes/helpers.h"
#include "delegate/passes/codes/wide_helpers.h"
#include "delegate/passes/codes/wide_products.h"

namespace gles_delegate::codes {
namespace {

struct WideKernel {
  absl::string_view op;
  WideRewrite* rewrite;
};

constexpr WideKernel kWideKernels[] = {
    {"ABS", &WideAbs},
    {"ADD", &WideAdd},
    {"AVERAGE_POOL_2D", &WideAveragePool},
    {"BATCH_MATMUL", &WideBatchMatMul},
    {"BATCH_TO_SPACE_ND", &WideMove},
    {"BROADCAST_TO", &WideMove},
    {"CONCATENATION", &WideJoin},
    {"CONV_2D", &WideProduct},
    {"DEPTHWISE_CONV_2D", &WideProduct},
    {"DEPTH_TO_SPACE", &WideMove},
    {"EXP", &WideLines},
    {"EXPAND_DIMS", &WideMove},
    {"FULLY_CONNECTED", &WideProduct},
    {"GATHER", &WideMove},
    {"GATHER_ND", &WideMove},
    {"GELU", &WideLines},
    {"LEAKY_RELU", &WideLeakyRelu},
    {"LOG", &WideLines},
    {"LOGISTIC", &WideTable},
    {"MAXIMUM", &WideMaximum},
    {"MAX_POOL_2D", &WideMove},
    {"MEAN", &WideMean},
    {"MINIMUM", &WideMinimum},
    {"MIRROR_PAD", &WideMove},
    {"MUL", &WideMul},
    {"PAD", &WideMove},
    {"PADV2", &WideMove},
    {"QUANTIZE", &WideQuantize},
    {"REDUCE_PROD", &WideProductOfAxes},
    {"RELU", &WideRelu},
    {"RELU6", &WideRelu},
    {"RESHAPE", &WideMove},
    {"RESIZE_BILINEAR", &WideResizeBilinear},
    {"RESIZE_NEAREST_NEIGHBOR", &WideMove},
    {"REVERSE_SEQUENCE", &WideMove},
    {"REVERSE_V2", &WideMove},
    {"RSQRT", &WideLines},
    {"SELECT", &WideJoin},
    {"SELECT_V2", &WideJoin},
    {"SLICE", &WideMove},
    {"SOFTMAX", &WideSoftmax},
    {"SPACE_TO_BATCH_ND", &WideMove},
    {"SPACE_TO_DEPTH", &WideMove},
    {"SQRT", &WideLines},
    {"SQUEEZE", &WideMove},
    {"STRIDED_SLICE", &WideMove},
    {"SUB", &WideSub},
    {"SUM", &WideSum},
    {"TANH", &WideTable},
    {"TILE", &WideMove},
    {"TRANSPOSE", &WideMove},
    {"TRANSPOSE_CONV", &WideProduct},
};

}  // namespace

std::vector<Node> WideNodes(const Node& node, const KernelContext& c) {
  // 16-bit floats cannot represent such values.
  if (c.profile.options.half || !EndsInSimulator(node) ||
      !IsSixteenBit(c.graph->tensor(node.outputs[0]))) {
    return {};
  }
  const auto* found =
      std::find_if(std::begin(kWideKernels), std::end(kWideKernels),
                   [&](const WideKernel& k) { return k.op == node.op->name; });
  if (found == std::end(kWideKernels)) return {};
  return found->rewrite(node, c);
}

}  // namespace gles_delegate::codes
