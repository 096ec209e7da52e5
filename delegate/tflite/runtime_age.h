// What can be told of the runtime's age from its TfLiteContext alone: no symbol
// of TFLite may be needed, since hosts hide or lack them.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_RUNTIME_AGE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_RUNTIME_AGE_H_

#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// True where the runtime is of 2.14 or newer, false where it is older or where
// nothing can be told. 2.14 appended AcquireSubgraphContext to TfLiteContext
// (2.13 lacks it); so the word behind the context of 2.13 is a function of the
// runtime from 2.14 on, and before that another member of the runtime's
// subgraph, which the context is part of. `context` is as TFLite gives it to a
// delegate's Prepare; a context that is no part of a subgraph is not read past
// its end.
bool IsRuntimeOf214(const TfLiteContext& context);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_RUNTIME_AGE_H_
