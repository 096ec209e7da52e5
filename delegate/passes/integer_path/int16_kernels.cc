// The table of int16 kernels. Sorted, one per line.
#include "delegate/passes/integer_path/int16_kernels.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/string_view.h"
#include "delegate/graph/op.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/int16_helpers.h"
#include "delegate/passes/integer_path/int16_products.h"

namespace gles_delegate::integer_path {
namespace {

struct Int16Kernel {
  absl::string_view op;
  Int16Rewrite* rewrite;
};

constexpr Int16Kernel kInt16Kernels[] = {
    {"ABS", &Int16Abs},
    {"ADD", &Int16Add},
    {"AVERAGE_POOL_2D", &Int16AveragePool},
    {"BATCH_MATMUL", &Int16BatchMatMul},
    {"BATCH_TO_SPACE_ND", &Int16Move},
    {"BROADCAST_TO", &Int16Move},
    {"CONCATENATION", &Int16Join},
    {"CONV_2D", &Int16Product},
    {"DEPTHWISE_CONV_2D", &Int16Product},
    {"DEPTH_TO_SPACE", &Int16Move},
    {"EXP", &Int16Lines},
    {"EXPAND_DIMS", &Int16Move},
    {"FULLY_CONNECTED", &Int16Product},
    {"GATHER", &Int16Move},
    {"GATHER_ND", &Int16Move},
    {"GELU", &Int16Lines},
    {"LEAKY_RELU", &Int16LeakyRelu},
    {"LOG", &Int16Lines},
    {"LOGISTIC", &Int16Table},
    {"MAXIMUM", &Int16Maximum},
    {"MAX_POOL_2D", &Int16Move},
    {"MEAN", &Int16Mean},
    {"MINIMUM", &Int16Minimum},
    {"MIRROR_PAD", &Int16Move},
    {"MUL", &Int16Mul},
    {"PAD", &Int16Move},
    {"PADV2", &Int16Move},
    {"QUANTIZE", &Int16Quantize},
    {"REDUCE_PROD", &Int16ProductOfAxes},
    {"RELU", &Int16Relu},
    {"RELU6", &Int16Relu},
    {"RESHAPE", &Int16Move},
    {"RESIZE_BILINEAR", &Int16ResizeBilinear},
    {"RESIZE_NEAREST_NEIGHBOR", &Int16Move},
    {"REVERSE_SEQUENCE", &Int16Move},
    {"REVERSE_V2", &Int16Move},
    {"RSQRT", &Int16Lines},
    {"SELECT", &Int16Join},
    {"SELECT_V2", &Int16Join},
    {"SLICE", &Int16Move},
    {"SOFTMAX", &Int16Softmax},
    {"SPACE_TO_BATCH_ND", &Int16Move},
    {"SPACE_TO_DEPTH", &Int16Move},
    {"SQRT", &Int16Lines},
    {"SQUEEZE", &Int16Move},
    {"STRIDED_SLICE", &Int16Move},
    {"SUB", &Int16Sub},
    {"SUM", &Int16Sum},
    {"TANH", &Int16Table},
    {"TILE", &Int16Move},
    {"TRANSPOSE", &Int16Move},
    {"TRANSPOSE_CONV", &Int16Product},
};

}  // namespace

std::vector<Node> Int16Nodes(const Node& node, const KernelContext& c) {
  if (!EndsInSimulator(node) || !IsInt16(c.graph->tensor(node.outputs[0]))) {
    return {};
  }
  const auto* found =
      std::find_if(std::begin(kInt16Kernels), std::end(kInt16Kernels),
                   [&](const Int16Kernel& k) { return k.op == node.op->name; });
  if (found == std::end(kInt16Kernels)) return {};
  return found->rewrite(node, c);
}

}  // namespace gles_delegate::integer_path
