// Where the LSTM kernels' inputs are, as TFLite numbers them
// (tensorflow/lite/kernels/lstm_shared.h).
#ifndef GLES_DELEGATE_DELEGATE_OPS_RECURRENT_LSTM_INPUTS_H_
#define GLES_DELEGATE_DELEGATE_OPS_RECURRENT_LSTM_INPUTS_H_

namespace gles_delegate::lstm {

// The full kernels'.
// Per gate, in TFLite's order: input, forget, cell, output.
inline constexpr int kGates = 4;
inline constexpr int kData = 0;
inline constexpr int kInputWeights = 1;      // and the three that follow
inline constexpr int kRecurrentWeights = 5;  // likewise
inline constexpr int kPeepholes = 9;         // of input, forget and output gate
inline constexpr int kBiases = 12;
inline constexpr int kProjectionWeights = 16;
inline constexpr int kProjectionBias = 17;
inline constexpr int kOutputState = 18;
inline constexpr int kCellState = 19;
inline constexpr int kNormCoefficients = 20;
inline constexpr int kInputs = 24;
inline constexpr int kInputsWithoutNorm = 20;

// The basic kernel's.
namespace basic {
inline constexpr int kData = 0;
inline constexpr int kPrevActivation = 1;
inline constexpr int kWeights = 2;
inline constexpr int kBiases = 3;
inline constexpr int kPrevState = 4;
inline constexpr int kInputs = 5;
inline constexpr int kActivation = 0;  // outputs
inline constexpr int kState = 1;
inline constexpr int kConcatenation = 2;
inline constexpr int kGateSums = 3;
inline constexpr int kOutputs = 4;
}  // namespace basic

}  // namespace gles_delegate::lstm

#endif  // GLES_DELEGATE_DELEGATE_OPS_RECURRENT_LSTM_INPUTS_H_
