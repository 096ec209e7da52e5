// Chooses the display for a context.
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

// Opens displays until one is hardware and matches `options` and
// GLES_DELEGATE_DEVICE; otherwise takes the first software renderer that
// matches, if `options` allow it. kUnavailable, with a line for each display
// tried. Needs LoadGl() and the OpenGL ES API bound (SavedCurrent does it).
absl::StatusOr<OpenedDisplay> OpenBestDisplay(const ContextOptions& options);

// Opens the display given in `options`. kUnavailable, with EGL's reason, or if
// it does not match `options` and GLES_DELEGATE_DEVICE. Same requirements.
absl::StatusOr<OpenedDisplay> OpenDisplayOfApp(const ContextOptions& options);

// A context on `display` that shares objects with `shared`, which may be
// current on another thread. kUnavailable, with EGL's reason. Same
// requirements.
absl::StatusOr<OpenedDisplay> OpenSharing(EGLDisplay display,
                                          const SharedWith& shared, bool debug);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_OPEN_DISPLAY_H_
