// LSTM of the basic kernel ("LSTM v2"), one step:
//   [i, g, f, o] = W [x, h] + b
//   c = sigmoid(i) * tanh(g) + sigmoid(f) * c
//   h = sigmoid(o) * tanh(c)
// Inputs: data x [B,I], previous activation h [B,D], weights [4D,I+D], biases
// [4D], previous state c [B,D]. Outputs: h, c, and TFLite's two scratch
// tensors, [x, h] and W [x, h] + b. h and c are states: after the step the
// inputs hold the outputs. Source: reference_ops::LstmCell, which also ignores
// the node's clips and activation. kInvalidArgument: inconsistent shapes;
// kUnimplemented: states that another node computes.
#ifndef GLES_DELEGATE_DELEGATE_OPS_RECURRENT_BASIC_LSTM_H_
#define GLES_DELEGATE_DELEGATE_OPS_RECURRENT_BASIC_LSTM_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

struct BasicLstmAttributes {};

ParseFunction ParseBasicLstm;
PlanFunction PlanBasicLstm;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_RECURRENT_BASIC_LSTM_H_
