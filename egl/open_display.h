// The display that a context is made on, among those that there are.
#ifndef GLES_DELEGATE_EGL_OPEN_DISPLAY_H_
#define GLES_DELEGATE_EGL_OPEN_DISPLAY_H_

#include <string>

#include "absl/status/statusor.h"
#include "egl/context.h"
#include "egl/device_info.h"
#include "egl/headless.h"

namespace gles_delegate::egl {

struct OpenedDisplay {
  HeadlessContext context;
  DeviceInfo device;
  std::string hardware_errors;  // as Context::hardware_errors()
};

// Opens displays until one is hardware and is what `options` and
// GLES_DELEGATE_DEVICE ask for. Where none is, takes the first of software that
// is, if `options` allow software. kUnavailable, with a line for each display
// tried. Needs LoadGl(), and the OpenGL ES API bound (SavedCurrent does it).
absl::StatusOr<OpenedDisplay> OpenBestDisplay(const ContextOptions& options);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_OPEN_DISPLAY_H_
