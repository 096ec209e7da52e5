#include "egl/caught.h"

#include <exception>

namespace gles_delegate::egl {

absl::Status Caught(absl::FunctionRef<absl::Status()> fn) {
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
