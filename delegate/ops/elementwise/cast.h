// CAST among float32, int32 and bool. To int32: towards zero; what lies outside
// is the nearest int32, NaN the greatest, as later TFLite kernels have it (2.9
// leaves it to C++, which leaves it open). To bool: whether it is not 0 (NaN is
// not). To float32: the nearest; with 16-bit storage, infinite past 65504.
// Tensors with a float view are refused: TFLite casts their codes.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_CAST_H_
#define GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_CAST_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// kUnimplemented: another type. kInvalidArgument: another output shape than the
// input's.
ParseFunction ParseCast;
PlanFunction PlanCast;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_CAST_H_
