// TFLite's input indices for the LSTM kernels
// (tensorflow/lite/kernels/lstm_shared.h).
#ifndef GLES_DELEGATE_DELEGATE_OPS_RECURRENT_LSTM_INPUTS_H_
#define GLES_DELEGATE_DELEGATE_OPS_RECURRENT_LSTM_INPUTS_H_

namespace gles_delegate::lstm {

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

}  // namespace gles_delegate::lstm

#endif  // GLES_DELEGATE_DELEGATE_OPS_RECURRENT_LSTM_INPUTS_H_
