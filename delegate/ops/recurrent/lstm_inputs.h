// Where the LSTM kernels' inputs are, as TFLite numbers them
// (tensorflow/lite/kernels/lstm_shared.h).
#ifndef GLES_DELEGATE_DELEGATE_OPS_RECURRENT_LSTM_INPUTS_H_
#define GLES_DELEGATE_DELEGATE_OPS_RECURRENT_LSTM_INPUTS_H_

namespace gles_delegate::lstm {

// In TFLite's order: input, forget, cell, output.
inline constexpr int kGates = 4;

// The full kernels' inputs. Where there is one a gate, the first; the others
// follow it.
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

// The basic kernel's.
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
