// The table of integer kernels. Sorted, one a line.
#include <algorithm>
#include <iterator>

#include "delegate/passes/codes/kernel.h"

namespace gles_delegate::codes {
namespace {

constexpr IntegerKernel kKernels[] = {
    {"ABS", &TableOnCodes},
    {"ADD", &AddOnCodes},
    {"AVERAGE_POOL_2D", &AveragePoolOnCodes},
    {"CONV_2D", &Conv2dOnCodes},
    {"DEPTHWISE_CONV_2D", &DepthwiseConv2dOnCodes},
    {"ELU", &TableOnCodes},
    {"EQUAL", &ComparisonOnCodes, /*ends_in_simulator=*/false},
    {"EXP", &TableOnCodes},
    {"FULLY_CONNECTED", &FullyConnectedOnCodes},
    {"GELU", &TableOnCodes},
    {"GREATER", &ComparisonOnCodes, /*ends_in_simulator=*/false},
    {"GREATER_EQUAL", &ComparisonOnCodes, /*ends_in_simulator=*/false},
    {"HARD_SWISH", &TableOnCodes},
    {"L2_NORMALIZATION", &L2NormalizationOnCodes},
    {"LEAKY_RELU", &LeakyReluOnCodes},
    {"LESS", &ComparisonOnCodes, /*ends_in_simulator=*/false},
    {"LESS_EQUAL", &ComparisonOnCodes, /*ends_in_simulator=*/false},
    {"LOG", &TableOnCodes},
    {"LOGISTIC", &TableOnCodes},
    {"LOG_SOFTMAX", &LogSoftmaxOnCodes},
    {"MAXIMUM", &PairExtremeOnCodes},
    {"MAX_POOL_2D", &MaxPoolOnCodes},
    {"MEAN", &MeanOnCodes},
    {"MINIMUM", &PairExtremeOnCodes},
    {"MUL", &MulOnCodes},
    {"NOT_EQUAL", &ComparisonOnCodes, /*ends_in_simulator=*/false},
    {"PRELU", &PreluOnCodes},
    {"QUANTIZE", &QuantizeOnCodes},
    {"REDUCE_MAX", &ExtremeOnCodes},
    {"REDUCE_MIN", &ExtremeOnCodes},
    {"RELU", &ReluOnCodes},
    {"RELU6", &ReluOnCodes},
    {"RELU_0_TO_1", &ReluOnCodes},
    {"RELU_N1_TO_1", &ReluOnCodes},
    {"RESIZE_BILINEAR", &ResizeBilinearOnCodes},
    {"RSQRT", &TableOnCodes},
    {"SELECT", &SelectOnCodes, /*ends_in_simulator=*/false},
    {"SELECT_V2", &SelectOnCodes, /*ends_in_simulator=*/false},
    {"SOFTMAX", &SoftmaxOnCodes},
    {"SQUARED_DIFFERENCE", &SquaredDifferenceOnCodes},
    {"SUB", &AddOnCodes},
    {"SUM", &SumOnCodes},
    {"TANH", &TableOnCodes},
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
