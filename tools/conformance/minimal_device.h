// Any driver as a device that has OpenGL ES 3.1's guaranteed minima and no
// more.
#ifndef GLES_DELEGATE_TOOLS_CONFORMANCE_MINIMAL_DEVICE_H_
#define GLES_DELEGATE_TOOLS_CONFORMANCE_MINIMAL_DEVICE_H_

#include "absl/status/status.h"

namespace gles_delegate::conformance {

// From here on glGetIntegerv and its like report no more than the minima of
// OpenGL ES 3.1 (its tables 20.40 to 20.48) for what the delegate plans with:
// sizes, bindings, work groups, shared memory. That holds for the rest of the
// process; call it before any context is made. Fails without GL.
absl::Status PretendMinimalDevice();

}  // namespace gles_delegate::conformance

#endif  // GLES_DELEGATE_TOOLS_CONFORMANCE_MINIMAL_DEVICE_H_
