// The table of integer kernels. Sorted, one a line.
#include <algorithm>
#include <iterator>

#include "delegate/passes/codes/kernel.h"

namespace gles_delegate::codes {
namespace {

constexpr IntegerKernel kKernels[] = {
    {"ADD", &AddOnCodes},
    {"AVERAGE_POOL_2D", &AveragePoolOnCodes},
    {"CONV_2D", &Conv2dOnCodes},
    {"DEPTHWISE_CONV_2D", &DepthwiseConv2dOnCodes},
    {"FULLY_CONNECTED", &FullyConnectedOnCodes},
    {"L2_NORMALIZATION", &L2NormalizationOnCodes},
    {"LOG_SOFTMAX", &LogSoftmaxOnCodes},
    {"MAX_POOL_2D", &MaxPoolOnCodes},
    {"MEAN", &MeanOnCodes},
    {"MUL", &MulOnCodes},
    {"QUANTIZE", &QuantizeOnCodes},
    {"REDUCE_MAX", &ExtremeOnCodes},
    {"REDUCE_MIN", &ExtremeOnCodes},
    {"RELU", &ReluOnCodes},
    {"RELU6", &ReluOnCodes},
    {"RELU_N1_TO_1", &ReluOnCodes},
    {"RESIZE_BILINEAR", &ResizeBilinearOnCodes},
    {"SOFTMAX", &SoftmaxOnCodes},
    {"SUB", &AddOnCodes},
    {"SUM", &SumOnCodes},
    {"TRANSPOSE_CONV", &TransposeConvOnCodes},
};

}  // namespace

absl::Span<const IntegerKernel> IntegerKernels() { return kKernels; }

const IntegerKernel* FindIntegerKernel(absl::string_view op) {
  const auto* found =
      std::find_if(std::begin(kKernels), std::end(kKernels),
                   [op](const IntegerKernel& k) { return k.op == op; });
  return found == std::end(kKernels) ? nullptr : found;
}

}  // namespace gles_delegate::codes
