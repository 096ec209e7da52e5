// TOPK_V2: the k greatest elements of the last axis, in falling order, and
// their positions as int32; of equals the first come first, NaN comes last.
// Input of float32 or int32, of any rank; k constant, at most 64: each costs a
// pass over the row.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_TOP_K_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_TOP_K_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// kInvalidArgument: k past the row, or other output shapes than it gives.
// kUnimplemented: k past 64.
ParseFunction ParseTopK;
PlanFunction PlanTopK;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_TOP_K_H_
