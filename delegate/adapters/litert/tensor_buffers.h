// LiteRT's TensorBuffers of this accelerator's kind, which the GPU accesses
// without copies on the host (docs/litert.md).
#ifndef GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_TENSOR_BUFFERS_H_
#define GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_TENSOR_BUFFERS_H_

#include "delegate/adapters/litert/abi.h"

struct TfLiteDelegate;

namespace gles_delegate::litert {

// The functions by which LiteRT makes, locks and deletes such buffers: for
// AcceleratorDefinition, constant-initialised.
extern const BufferHandlers kBufferHandlers;

// Lets `delegate`, which was not applied yet, use such buffers.
// `runtime_context` outlives it. No effect if this LiteRT has no such buffers.
void UseTensorBuffers(const void* runtime_context, TfLiteDelegate* delegate);

}  // namespace gles_delegate::litert

#endif  // GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_TENSOR_BUFFERS_H_
