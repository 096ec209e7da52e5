// UNIDIRECTIONAL_SEQUENCE_LSTM, and LSTM of the full kernel (one step).
//
// For each step, with the step's input x and the states h and c:
//   i = sigmoid(Wi x + Ri h + pi * c + bi)   (CIFG, no input gate: 1 - f)
//   f = sigmoid(Wf x + Rf h + pf * c + bf)
//   c = clip(f * c + i * act(Wc x + Rc h + bc), cell_clip)
//   o = sigmoid(Wo x + Ro h + po * c + bo)
//   h = o * act(c), and with a projection clip(Wp h + bp, proj_clip)
// Peepholes p, projection and layer normalization (of each gate's sum before
// its bias: (v - mean) / sqrt(variance + 1e-8) * coefficients) are optional. A
// clip of 0 means none. Source: tensorflow/lite/kernels/lstm_eval.cc, float.
//
// Inputs by TFLite's numbers: 0 data [B,T,I] ([T,B,I] with time_major; LSTM:
// [B,I]), 1..8 weights, 9..11 peepholes, 12..15 biases, 16, 17 projection, 18
// output state [B,O], 19 cell state [B,C], 20..23 layer norm coefficients.
// Weights are constants of a float type; states are variable tensors, which
// stay on the GPU (delegate/session/host_memory.h). kInvalidArgument: nodes
// that TFLite's kernel refuses. kUnimplemented: weights computed at run time.
// kResourceExhausted, from the plan: a state too large for the device's shared
// memory.
#ifndef GLES_DELEGATE_DELEGATE_OPS_RECURRENT_RECURRENT_H_
#define GLES_DELEGATE_DELEGATE_OPS_RECURRENT_RECURRENT_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// TFLite's input indices for the LSTM kernels
// (tensorflow/lite/kernels/lstm_shared.h).
namespace lstm {

// In TFLite's order: input, forget, cell, output.
inline constexpr int kGates = 4;

// The full kernels' inputs. For one input per gate, the first; the others
// follow.
enum Input : int {
  kData,
  kInputWeights,
  kRecurrentWeights = kInputWeights + kGates,
  kPeepholes = kRecurrentWeights + kGates,  // of input, forget and output gate
  kBiases = kPeepholes + 3,
  kProjectionWeights = kBiases + kGates,
  kProjectionBias,
  kOutputState,
  kCellState,
  kInputsWithoutNorm,
  kNormCoefficients = kInputsWithoutNorm,
  kInputs = kNormCoefficients + kGates,
};
static_assert(kInputs == 24);

// The basic kernel's inputs.
namespace basic {
enum Input : int {
  kData,
  kPrevActivation,
  kWeights,
  kBiases,
  kPrevState,
  kInputs
};
enum Output : int { kActivation, kState, kConcatenation, kGateSums, kOutputs };
}  // namespace basic

}  // namespace lstm

struct LstmAttributes {
  bool time_major = false;
  bool cifg = false;
  bool peephole = false;
  bool projection = false;
  bool layer_norm = false;
  float cell_clip = 0;  // 0: none
  float proj_clip = 0;
  PostOp activation;
};

// --- The basic cell ----------------------------------------------------------

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

struct BasicLstmAttributes {};

ParseFunction ParseBasicLstm;
PlanFunction PlanBasicLstm;

// --- SVDF --------------------------------------------------------------------

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

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_RECURRENT_RECURRENT_H_
