// FULLY_CONNECTED: y[m,n] = bias[n] + sum over k of x[m,k] * weights[n,k], x of
// any rank taken flat in its element order as rows of K. The output is [M,N],
// or with keep_num_dims the input's shape with N for its last dimension.
// Weights and bias constant (float32 or float16) or computed at run time
// (float32). kInvalidArgument: shapes that disagree; kUnimplemented: shuffled
// weights.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MATMUL_FULLY_CONNECTED_H_
#define GLES_DELEGATE_DELEGATE_OPS_MATMUL_FULLY_CONNECTED_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// No attributes: shapes say it all. Node inputs: data, weights, bias (may be
// absent).
ParseFunction ParseFullyConnected;
PlanFunction PlanFullyConnected;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MATMUL_FULLY_CONNECTED_H_
