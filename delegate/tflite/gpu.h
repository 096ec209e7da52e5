// The GPU that a delegate and its kernels share.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_GPU_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_GPU_H_

#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "delegate/runtime/program_cache.h"
#include "delegate/tflite/options.h"
#include "egl/context.h"

namespace gles_delegate {

// The context with what lives in it; gone with the last of its owners.
struct Gpu {
  ~Gpu();
  std::unique_ptr<egl::Context> context;
  ProgramCache programs;  // emptied inside the context
};

// The GPU that `options` ask for: in the context that is current on this
// thread, unless force_own_context is set or the context cannot be used; else
// in a headless context. `log` takes what the user is to know at the options'
// verbosity, a line each. Errors: no display that the options allow has OpenGL
// ES 3.1.
absl::StatusOr<std::shared_ptr<Gpu>> MakeGpu(
    const Options& options, absl::FunctionRef<void(const std::string&)> log);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_GPU_H_
