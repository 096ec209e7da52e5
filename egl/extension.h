// Asks the current context for an extension by name.
#ifndef GLES_DELEGATE_EGL_EXTENSION_H_
#define GLES_DELEGATE_EGL_EXTENSION_H_

#include "absl/strings/string_view.h"

namespace gles_delegate::egl {

// Searches the driver's list; not for every inference (use DeviceInfo::Has()).
// Needs a current context.
bool HasExtension(absl::string_view name);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_EXTENSION_H_
