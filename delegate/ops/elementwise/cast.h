// CAST between float32, int32 and bool. To int32: truncates; saturates, with
// NaN as the maximum, as later TFLite kernels do (2.9 has undefined behaviour).
// To bool: whether the value is not 0 (NaN is true). To float32: nearest; with
// 16-bit storage infinite past 65504. Refuses float views, for which TFLite
// casts the quantized values.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_CAST_H_
#define GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_CAST_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// kUnimplemented: another type. kInvalidArgument: the output's shape is not the
// input's.
ParseFunction ParseCast;
PlanFunction PlanCast;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_CAST_H_
