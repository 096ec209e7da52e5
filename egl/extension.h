// Asks the current context for an extension by name.
#ifndef GLES_DELEGATE_EGL_EXTENSION_H_
#define GLES_DELEGATE_EGL_EXTENSION_H_

#include "absl/strings/string_view.h"

namespace gles_delegate::egl {

// Walks the driver's list: for creating things, not for every inference (there
// is DeviceInfo::Has() for that). Needs a current context.
bool HasExtension(absl::string_view name);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_EXTENSION_H_
