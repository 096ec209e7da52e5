// What LiteRT finds in libLiteRtGpuAccelerator.so.
#ifndef GLES_DELEGATE_DELEGATE_LITERT_ACCELERATOR_H_
#define GLES_DELEGATE_DELEGATE_LITERT_ACCELERATOR_H_

#include "delegate/litert/abi.h"
#include "gles_delegate/gles_delegate.h"

extern "C" {

// LiteRT 2.2 and newer take this. Its functions may be called by any thread.
GLES_DELEGATE_EXPORT extern const gles_delegate::litert::AcceleratorDefinition
    LiteRtAcceleratorImpl;

// Older ones look for this where the struct's version is not theirs. Refuses,
// with a line on stderr that says which LiteRT is needed.
GLES_DELEGATE_EXPORT int LiteRtRegisterGpuAccelerator(
    gles_delegate::litert::Environment environment);

}  // extern "C"

#endif  // GLES_DELEGATE_DELEGATE_LITERT_ACCELERATOR_H_
