// SVDF: F = units * rank filters remember the last M of their features:
//   a[b,f] = sum over i of x[b,i] * feature[f,i]
//   state[b,f,:] = [state[b,f,1:], a[b,f]]
//   y[b,u] = act(bias[u] + sum over r, m of
//                state[b, u*rank + r, m] * time[u*rank + r, m])
// Inputs: data [B,I], feature weights [F,I], time weights [F,M], bias [U]
// (optional), state [B,F*M], a variable tensor that stays on the GPU. Weights
// and bias are constant or computed at run time. Source:
// reference_ops::EvalFloatSVDF. kInvalidArgument: nodes that TFLite's kernel
// refuses.
#ifndef GLES_DELEGATE_DELEGATE_OPS_RECURRENT_SVDF_H_
#define GLES_DELEGATE_DELEGATE_OPS_RECURRENT_SVDF_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

struct SvdfAttributes {
  int rank = 1;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_RECURRENT_SVDF_H_
