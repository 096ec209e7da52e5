// The table of integer kernels. Sorted, one a line.
#include <algorithm>
#include <iterator>

#include "delegate/passes/integer_path/kernel.h"

namespace gles_delegate::integer_path {
namespace {

constexpr IntegerKernel kIntegerKernels[] = {
    {"ABS", &TableInIntegers},
    {"ADD", &AddInIntegers},
    {"ARG_MAX", &ArgExtremeInIntegers, /*ends_in_simulator=*/false},
    {"ARG_MIN", &ArgExtremeInIntegers, /*ends_in_simulator=*/false},
    {"AVERAGE_POOL_2D", &AveragePoolInIntegers},
    {"BATCH_MATMUL", &BatchMatMulInIntegers},
    {"BATCH_TO_SPACE_ND", &MoveInIntegers},
    {"BROADCAST_TO", &MoveInIntegers},
    {"CONV_2D", &Conv2dInIntegers},
    {"DEPTHWISE_CONV_2D", &DepthwiseConv2dInIntegers},
    {"DEPTH_TO_SPACE", &MoveInIntegers},
    {"DIV", &DivInIntegers},
    {"DYNAMIC_UPDATE_SLICE", &MoveInIntegers},
    {"ELU", &TableInIntegers},
    {"EQUAL", &ComparisonInIntegers, /*ends_in_simulator=*/false},
    {"EXP", &TableInIntegers},
    {"EXPAND_DIMS", &MoveInIntegers},
    {"FILL", &FillInIntegers, /*ends_in_simulator=*/false},
    {"FULLY_CONNECTED", &FullyConnectedInIntegers, /*ends_in_simulator=*/false},
    {"GATHER", &MoveInIntegers},
    {"GATHER_ND", &MoveInIntegers},
    {"GELU", &TableInIntegers},
    {"GREATER", &ComparisonInIntegers, /*ends_in_simulator=*/false},
    {"GREATER_EQUAL", &ComparisonInIntegers, /*ends_in_simulator=*/false},
    {"HARD_SWISH", &TableInIntegers},
    {"L2_NORMALIZATION", &L2NormalizationInIntegers},
    {"LEAKY_RELU", &LeakyReluInIntegers},
    {"LESS", &ComparisonInIntegers, /*ends_in_simulator=*/false},
    {"LESS_EQUAL", &ComparisonInIntegers, /*ends_in_simulator=*/false},
    {"LOG", &TableInIntegers},
    {"LOGISTIC", &TableInIntegers},
    {"LOG_SOFTMAX", &LogSoftmaxInIntegers},
    {"MAXIMUM", &MaximumInIntegers},
    {"MAX_POOL_2D", &MaxPoolInIntegers},
    {"MEAN", &MeanInIntegers},
    {"MINIMUM", &MinimumInIntegers},
    {"MIRROR_PAD", &MoveInIntegers},
    {"MUL", &MulInIntegers},
    {"NOT_EQUAL", &ComparisonInIntegers, /*ends_in_simulator=*/false},
    {"PAD", &MoveInIntegers},
    {"PADV2", &PadV2InIntegers, /*ends_in_simulator=*/false},
    {"PRELU", &PreluInIntegers},
    {"QUANTIZE", &QuantizeInIntegers},
    {"REDUCE_MAX", &ExtremeInIntegers},
    {"REDUCE_MIN", &ExtremeInIntegers},
    {"REDUCE_PROD", &ProductInIntegers},
    {"RELU", &ReluInIntegers},
    {"RELU6", &ReluInIntegers},
    {"RELU_0_TO_1", &ReluInIntegers},
    {"RELU_N1_TO_1", &ReluInIntegers},
    {"RESHAPE", &MoveInIntegers},
    {"RESIZE_BILINEAR", &ResizeBilinearInIntegers},
    {"RESIZE_NEAREST_NEIGHBOR", &MoveInIntegers},
    {"REVERSE_SEQUENCE", &MoveInIntegers},
    {"REVERSE_V2", &MoveInIntegers},
    {"RSQRT", &TableInIntegers},
    {"SELECT", &SelectInIntegers, /*ends_in_simulator=*/false},
    {"SELECT_V2", &SelectInIntegers, /*ends_in_simulator=*/false},
    {"SLICE", &MoveInIntegers},
    {"SOFTMAX", &SoftmaxInIntegers},
    {"SPACE_TO_BATCH_ND", &MoveInIntegers},
    {"SPACE_TO_DEPTH", &MoveInIntegers},
    {"SQRT", &TableInIntegers},
    {"SQUARED_DIFFERENCE", &SquaredDifferenceInIntegers},
    {"SQUEEZE", &MoveInIntegers},
    {"STRIDED_SLICE", &MoveInIntegers},
    {"SUB", &SubInIntegers},
    {"SUM", &SumInIntegers},
    {"TANH", &TableInIntegers},
    {"TILE", &MoveInIntegers},
    {"TRANSPOSE", &MoveInIntegers},
    {"TRANSPOSE_CONV", &TransposeConvInIntegers},
};

}  // namespace

const IntegerKernel* FindIntegerKernel(absl::string_view op) {
  const auto* found =
      std::find_if(std::begin(kIntegerKernels), std::end(kIntegerKernels),
                   [op](const IntegerKernel& k) { return k.op == op; });
  return found == std::end(kIntegerKernels) ? nullptr : found;
}

}  // namespace gles_delegate::integer_path
