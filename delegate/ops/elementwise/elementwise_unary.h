// y = f(x), elementwise: RELU and its variants, ABS, CEIL, COS, ELU, EXP,
// FLOOR, GELU, HARD_SWISH, LEAKY_RELU, LOG, LOGISTIC, NEG, ROUND (ties to
// even), RSQRT, SIGN, SIN, SQRT, SQUARE, TANH. Any rank and batch.
// kInvalidArgument: the shapes differ; kUnimplemented: the tensors are not
// float.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_UNARY_H_
#define GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_UNARY_H_

#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"

namespace gles_delegate {

ParseFunction ParseUnary;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_UNARY_H_
