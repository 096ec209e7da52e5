// TOPK_V2: the k largest elements of the last axis in descending order, and
// their positions as int32; the first of equals first, NaN last. Input of
// float32 or int32, any rank; k constant, at most 64, since each costs a pass
// over the row.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_TOP_K_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_TOP_K_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// kInvalidArgument: k exceeds the row, or wrong output shapes. kUnimplemented:
// k above 64.
ParseFunction ParseTopK;
PlanFunction PlanTopK;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_TOP_K_H_
