// FILL: a tensor of constant dimensions (input 0, a vector) with the value of a
// scalar (input 1, constant or not) in each element. ZEROS_LIKE: zeros in the
// shape of the input. Elementwise ops: a copy that broadcasts.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_FILL_H_
#define GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_FILL_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// kInvalidArgument: a value of rank above 0, another output shape than the
// dimensions.
ParseFunction ParseFill;
ParseFunction ParseZerosLike;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_FILL_H_
