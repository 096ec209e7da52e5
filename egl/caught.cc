#include "egl/caught.h"

#include <exception>

namespace gles_delegate::egl {
namespace {

// A libgcc that is linked statically gets ready when it first throws. Before,
// it ends the process if another library's exception passes: the runtime's and
// Mesa's compiler throw std::bad_alloc, too.
bool ThrowOnce() {
  try {
    throw 0;
  } catch (int) {
  }
  return true;
}

}  // namespace

absl::Status Caught(absl::FunctionRef<absl::Status()> fn) {
  static const bool can_catch = ThrowOnce();
  (void)can_catch;
  try {
    return fn();
  } catch (const std::exception&) {
  }
  try {
    return absl::ResourceExhaustedError("the process has run out of memory");
  } catch (const std::exception&) {
    return absl::Status(absl::StatusCode::kResourceExhausted, "");
  }
}

}  // namespace gles_delegate::egl
