// Where exceptions end. The code throws none, but the standard library does if
// memory ends.
#ifndef GLES_DELEGATE_EGL_CAUGHT_H_
#define GLES_DELEGATE_EGL_CAUGHT_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace gles_delegate::egl {

// fn's result. kResourceExhausted: it threw, as if memory had run out.
//
// Each function that others call (the C API, the runtime's callbacks, threads)
// goes through this, and so does what must be undone: Context::Run().
absl::Status Caught(absl::FunctionRef<absl::Status()> fn);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_CAUGHT_H_
