// EMBEDDING_LOOKUP: rows of a table, one for each index. The table is float32,
// or constant and float16, int8 or int4 with a scale for all or for each row
// and zero points of 0; its rows come out as float32.
// Indices are a vector, int32 at run time, int32 or int64 if constant. At run
// time an index outside of the table counts as the nearest inside; TFLite fails
// on it.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_EMBEDDING_LOOKUP_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_EMBEDDING_LOOKUP_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// kInvalidArgument: constant indices outside the table, or another output shape
// than indices and table give.
ParseFunction ParseEmbeddingLookup;  // attributes: LinearGather
PlanFunction PlanEmbeddingLookup;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_EMBEDDING_LOOKUP_H_
