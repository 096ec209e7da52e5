// SEGMENT_SUM and UNSORTED_SEGMENT_SUM, _PROD, _MAX and _MIN: row s of the
// output is the sum (product, maximum, minimum) of the rows of input 0 whose id
// is s. Input 1: the ids, int32; those of SEGMENT_SUM must be constant, as the
// output's shape follows from them. Input 2 of the others: the number of
// segments, constant. At run time a row whose id is past it is ignored; TFLite
// fails on it. All are a SCATTER_ND whose indices are the ids.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SEGMENT_SUM_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SEGMENT_SUM_H_

#include "delegate/graph/op.h"
#include "delegate/ops/reduction/reduction.h"

namespace gles_delegate {

// The nodes get the attributes of SCATTER_ND (scatter_nd.h) and are planned as
// that. kInvalidArgument: shapes that do not go together. kUnimplemented: ids
// known only at run time, other types.
ParseFunction ParseSegmentSum;
ParseFunction ParseUnsortedSegments;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SEGMENT_SUM_H_
