// The delegate's options as delegate/session/ takes them.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_SESSION_OPTIONS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_SESSION_OPTIONS_H_

#include "delegate/session/gpu.h"
#include "delegate/session/session_options.h"
#include "delegate/tflite/options.h"

namespace gles_delegate {

GpuOptions GpuOptionsOf(const Options& options);
SessionOptions SessionOptionsOf(const Options& options);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_SESSION_OPTIONS_H_
