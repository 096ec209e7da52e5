// PRELU: y = x < 0 ? alpha * x : x. Alpha, constant or not, is broadcast to x
// by TFLite's rule (aligned from the right; mostly [1,1,C]). kInvalidArgument:
// the output's shape is not x's.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_PRELU_H_
#define GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_PRELU_H_

#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"

namespace gles_delegate {

ParseFunction ParsePrelu;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_PRELU_H_
