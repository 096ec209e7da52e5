// Tracks whether the GPU or the runtime has the newest values of a variable
// tensor.
//
// State (of an LSTM or SVDF) stays on the GPU between Invokes. The runtime's
// buffer for it is then outdated and marked: its first four bytes become a
// special NaN. Any write to the tensor removes the mark: by TFLite, when
// AllocateTensors or TfLiteInterpreterResetVariableTensors zeroes it, or by an
// app that sets a state. An Invoke uploads an unmarked buffer, and otherwise
// continues with the GPU's state. This is necessary since delegates are not
// told of resets.
//
// Reading a variable tensor on the CPU therefore gives its state only until the
// first Invoke. The reader refuses nodes whose state another node uses too.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_STATE_MARK_H_
#define GLES_DELEGATE_DELEGATE_SESSION_STATE_MARK_H_

#include "delegate/session/host_memory.h"

namespace gles_delegate {

// `memory` must hold at least four bytes, or be none.
void MarkStateOnGpu(const HostMemory& memory);
bool IsStateOnGpu(const HostMemory& memory);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_STATE_MARK_H_
