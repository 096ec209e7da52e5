// DEQUANTIZE and QUANTIZE. Of a constant (16-bit weights mostly) DEQUANTIZE
// runs nowhere: its output is a constant once FoldConstantNode
// (delegate/passes/fold_constants.h) has seen it. At run time both are copies
// in the float view (delegate/graph/float_view.h), where every tensor holds
// real values; QUANTIZE's rounding is the simulator behind its output. From
// int16 to int32 QUANTIZE is TFLite's integers: floats do not hold such codes.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_DEQUANTIZE_H_
#define GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_DEQUANTIZE_H_

#include "delegate/graph/op.h"
#include "quant/fixed_point.h"

namespace gles_delegate {

// Of a QUANTIZE from int16 to int32.
struct RequantizeAttributes {
  float scale = 1;  // of the input's codes
  quant::Multiplier multiplier;
  int zero_point = 0;  // of the output
};

ParseFunction ParseDequantize;
// kInvalidArgument: an output without quantization parameters. kUnimplemented:
// int32 from another type than int16, or by a factor of 2^15 or more.
ParseFunction ParseQuantize;
PlanFunction PlanQuantize;
PlanFunction PlanDequantize;

// Ok, without a dispatch, where all outputs are constants by now.
PlanFunction PlanFoldedConstant;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_DEQUANTIZE_H_
