// Buffers of a runtime that has its own kinds of them (LiteRT's TensorBuffer).
// Caches that a model reads and writes then stay on the GPU between inferences,
// and the GPU accesses other inputs and outputs where they are.
//
// The accelerator library calls this by C functions only, because it has
// another copy of the standard library. Both libraries are of one version.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_RUNTIME_BUFFERS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_RUNTIME_BUFFERS_H_

#include <stddef.h>

#include "gles_delegate/gles_delegate.h"

extern "C" {

// The runtime's side. Functions return 0 if all is well. `buffers`: the
// external context kTfLiteLiteRtBufferContext. `tensor`: a TfLiteTensor.
struct GlesRuntimeBuffers {
  const void* runtime;  // first argument of the functions
  // Asks the runtime to hold this tensor in a buffer of the functions below.
  int (*require)(const void* runtime, void* buffers, void* tensor,
                 size_t bytes);
  // The tensor's buffer, whose event has been waited for: `*buffer` of
  // GlesTensorBufferFunctions, or else nullptr and `*memory` of `*bytes`, which
  // is locked until unlock(*locked).
  int (*find)(const void* runtime, void* buffers, void* tensor, int writes,
              void** buffer, void** memory, size_t* bytes, void** locked);
  void (*unlock)(const void* runtime, void* locked);
};

// The delegate's side. `lock` gives host memory, which is valid until `unlock`.
// Threads: as TensorBuffer's.
struct GlesTensorBufferFunctions {
  void* (*create)(size_t bytes);
  void (*destroy)(void* buffer);
  int (*lock)(void* buffer, int reads, int writes, void** memory);
  void (*unlock)(void* buffer);
  int (*clear)(void* buffer);  // to zeros
  // For kernels of `delegate`, which was not applied yet. Copies `buffers`.
  int (*use)(struct TfLiteDelegate* delegate,
             const GlesRuntimeBuffers* buffers);
};

GLES_DELEGATE_EXPORT const GlesTensorBufferFunctions*
GlesDelegatePrivateTensorBuffers(void);

}  // extern "C"

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_RUNTIME_BUFFERS_H_
