// DEQUANTIZE and QUANTIZE. DEQUANTIZE of a constant (mostly 16-bit weights) is
// folded (FoldConstantNode, delegate/passes/fold_constants.cc). At run time
// both are copies in the float view (delegate/graph/float_view.h), where every
// tensor holds real values; the simulator of QUANTIZE's output rounds. QUANTIZE
// from int16 to int32 uses TFLite's integer arithmetic, since floats cannot
// hold such values.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_CAST_H_
#define GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_CAST_H_

#include "delegate/graph/op.h"
#include "quant/fixed_point.h"

namespace gles_delegate {

// Of QUANTIZE from int16 to int32.
struct RequantizeAttributes {
  float scale = 1;  // of the input's quantized values
  quant::Multiplier multiplier;
  int zero_point = 0;  // of the output
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_CAST_H_
