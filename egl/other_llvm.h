// Mesa in a process that exports another LLVM, as the package tensorflow does
// (libtensorflow_framework). The functions of Mesa's libLLVM are found by name,
// so Mesa would call the other's, and crash at its first shader.
#ifndef GLES_DELEGATE_EGL_OTHER_LLVM_H_
#define GLES_DELEGATE_EGL_OTHER_LLVM_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gles_delegate::egl {

// Loads Mesa in such a process so that its libraries call each other first.
// To be called before libEGL is opened.
void BindMesaToItsLlvm();

// kFailedPrecondition if `renderer` is of a Mesa that would crash: it was
// loaded before the other LLVM, or could not be loaded as above.
absl::Status CheckLlvm(absl::string_view renderer);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_OTHER_LLVM_H_
