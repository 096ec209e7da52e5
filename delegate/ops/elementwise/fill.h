// FILL: a tensor of constant dimensions (input 0, a vector) filled with a
// scalar (input 1, constant or not). ZEROS_LIKE: zeros in the shape of the
// input. Both are copies that broadcast.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_FILL_H_
#define GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_FILL_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// kInvalidArgument: a value of rank above 0, or an output shape that differs
// from the dimensions.
ParseFunction ParseFill;
ParseFunction ParseZerosLike;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_FILL_H_
