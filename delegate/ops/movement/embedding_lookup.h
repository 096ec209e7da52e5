// EMBEDDING_LOOKUP: one row of a table per index. The table is float32, or
// constant and float16, int8 or int4 with one scale or one per row and zero
// points of 0; results are float32. Indices are a vector, int32 at run time,
// int32 or int64 if constant. At run time, indices outside the table are
// clamped; TFLite fails.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_EMBEDDING_LOOKUP_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_EMBEDDING_LOOKUP_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// kInvalidArgument: constant indices outside the table, or a wrong output
// shape.
ParseFunction ParseEmbeddingLookup;  // attributes: LinearGather
PlanFunction PlanEmbeddingLookup;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_EMBEDDING_LOOKUP_H_
