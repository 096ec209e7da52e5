// The symbols that LiteRT looks up in libLiteRtGpuAccelerator.so.
#ifndef GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_ACCELERATOR_H_
#define GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_ACCELERATOR_H_

#include "delegate/adapters/litert/abi.h"
#include "gles_delegate/gles_delegate.h"

extern "C" {

// For LiteRT 2.2 and newer. Its functions may be called on any thread.
GLES_DELEGATE_EXPORT extern const gles_delegate::litert::AcceleratorDefinition
    LiteRtAcceleratorImpl;

// For older versions, which do not know the struct's version. Refuses, and
// prints the LiteRT version that is needed to stderr.
GLES_DELEGATE_EXPORT int LiteRtRegisterGpuAccelerator(
    gles_delegate::litert::Environment environment);

}  // extern "C"

#endif  // GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_ACCELERATOR_H_
