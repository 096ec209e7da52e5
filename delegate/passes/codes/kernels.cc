// The table of integer kernels. Sorted, one a line.
#include <algorithm>
#include <iterator>

#include "delegate/passes/codes/kernel.h"

namespace gles_delegate::codes {
namespace {

constexpr IntegerKernel kIntegerKernels[] = {
    {"ABS", &TableOnCodes},
    {"ADD", &AddOnCodes},
    {"ARG_MAX", &ArgExtremeOnCodes, /*ends_in_simulator=*/false},
    {"ARG_MIN", &ArgExtremeOnCodes, /*ends_in_simulator=*/false},
    {"AVERAGE_POOL_2D", &AveragePoolOnCodes},
    {"BATCH_MATMUL", &BatchMatMulOnCodes},
    {"BATCH_TO_SPACE_ND", &MoveOnCodes},
    {"BROADCAST_TO", &MoveOnCodes},
    {"CONV_2D", &Conv2dOnCodes},
    {"DEPTHWISE_CONV_2D", &DepthwiseConv2dOnCodes},
    {"DEPTH_TO_SPACE", &MoveOnCodes},
    {"DIV", &DivOnCodes},
    {"DYNAMIC_UPDATE_SLICE", &MoveOnCodes},
    {"ELU", &TableOnCodes},
    {"EQUAL", &ComparisonOnCodes, /*ends_in_simulator=*/false},
    {"EXP", &TableOnCodes},
    {"EXPAND_DIMS", &MoveOnCodes},
    {"FILL", &FillOnCodes, /*ends_in_simulator=*/false},
    {"FULLY_CONNECTED", &FullyConnectedOnCodes, /*ends_in_simulator=*/false},
    {"GATHER", &MoveOnCodes},
    {"GATHER_ND", &MoveOnCodes},
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
    {"MAXIMUM", &MaximumOnCodes},
    {"MAX_POOL_2D", &MaxPoolOnCodes},
    {"MEAN", &MeanOnCodes},
    {"MINIMUM", &MinimumOnCodes},
    {"MIRROR_PAD", &MoveOnCodes},
    {"MUL", &MulOnCodes},
    {"NOT_EQUAL", &ComparisonOnCodes, /*ends_in_simulator=*/false},
    {"PAD", &MoveOnCodes},
    {"PADV2", &PadV2OnCodes, /*ends_in_simulator=*/false},
    {"PRELU", &PreluOnCodes},
    {"QUANTIZE", &QuantizeOnCodes},
    {"REDUCE_MAX", &ExtremeOnCodes},
    {"REDUCE_MIN", &ExtremeOnCodes},
    {"REDUCE_PROD", &ProductOnCodes},
    {"RELU", &ReluOnCodes},
    {"RELU6", &ReluOnCodes},
    {"RELU_0_TO_1", &ReluOnCodes},
    {"RELU_N1_TO_1", &ReluOnCodes},
    {"RESHAPE", &MoveOnCodes},
    {"RESIZE_BILINEAR", &ResizeBilinearOnCodes},
    {"RESIZE_NEAREST_NEIGHBOR", &MoveOnCodes},
    {"REVERSE_SEQUENCE", &MoveOnCodes},
    {"REVERSE_V2", &MoveOnCodes},
    {"RSQRT", &TableOnCodes},
    {"SELECT", &SelectOnCodes, /*ends_in_simulator=*/false},
    {"SELECT_V2", &SelectOnCodes, /*ends_in_simulator=*/false},
    {"SLICE", &MoveOnCodes},
    {"SOFTMAX", &SoftmaxOnCodes},
    {"SPACE_TO_BATCH_ND", &MoveOnCodes},
    {"SPACE_TO_DEPTH", &MoveOnCodes},
    {"SQRT", &TableOnCodes},
    {"SQUARED_DIFFERENCE", &SquaredDifferenceOnCodes},
    {"SQUEEZE", &MoveOnCodes},
    {"STRIDED_SLICE", &MoveOnCodes},
    {"SUB", &SubOnCodes},
    {"SUM", &SumOnCodes},
    {"TANH", &TableOnCodes},
    {"TILE", &MoveOnCodes},
    {"TRANSPOSE", &MoveOnCodes},
    {"TRANSPOSE_CONV", &TransposeConvOnCodes},
};

}  // namespace

const IntegerKernel* FindIntegerKernel(absl::string_view op) {
  const auto* found =
      std::find_if(std::begin(kIntegerKernels), std::end(kIntegerKernels),
                   [op](const IntegerKernel& k) { return k.op == op; });
  return found == std::end(kIntegerKernels) ? nullptr : found;
}

}  // namespace gles_delegate::codes
