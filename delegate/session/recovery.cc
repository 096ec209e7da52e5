#include "delegate/session/recovery.h"

#include "absl/strings/str_cat.h"

namespace gles_delegate {

void Recovery::Note(const absl::Status& status, const egl::Context& context) {
  if (status.ok()) {
    guilty_resets_ = 0;
  } else if (absl::IsAborted(status) && context.is_guilty()) {
    ++guilty_resets_;
  }
}

std::string Recovery::WhyNot(size_t nodes, const std::string& renderer) const {
  std::string why = absl::StrCat(
      guilty_resets_, " Invokes in a row of the partition of ", nodes,
      " nodes ended with a reset of the OpenGL ES context on ", renderer,
      " that its own commands may have caused");
  return why;
}

}  // namespace gles_delegate
