// Who holds the newest values of a variable tensor: the GPU or the runtime.
//
// State (an LSTM's, an SVDF's) stays on the GPU from one Invoke to the next.
// The runtime's own buffer of such a tensor is out of date from then on, and is
// marked: its first four bytes become a NaN that nothing computes. Whoever
// writes the tensor removes the mark: TFLite when AllocateTensors or
// TfLiteInterpreterResetVariableTensors zeroes it, an app that sets a state of
// its own. So an Invoke that finds no mark uploads the buffer, and one that
// finds it goes on with what the GPU has. No call tells a delegate of a reset:
// the buffer is all that it can see.
//
// Reading a variable tensor on the CPU therefore gives its state only until the
// first Invoke. The reader refuses nodes whose state another node uses too.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_STATE_MARK_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_STATE_MARK_H_

#include "delegate/tflite/abi.h"

namespace gles_delegate {

// `tensor` must hold at least four bytes.
void MarkStateOnGpu(TfLiteTensor& tensor);
bool IsStateOnGpu(const TfLiteTensor& tensor);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_STATE_MARK_H_
