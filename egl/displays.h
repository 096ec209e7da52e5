// Lists the EGL displays of a machine without a window system.
#ifndef GLES_DELEGATE_EGL_DISPLAYS_H_
#define GLES_DELEGATE_EGL_DISPLAYS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "egl/gl_api.h"

namespace gles_delegate::egl {

// A display that has not been opened: starting a driver takes milliseconds.
struct DisplayCandidate {
  // "EGL device 0 (/dev/dri/renderD128)", "surfaceless", ... For messages only:
  // NVIDIA's driver takes 100 ms to name a device's files and CUDA number.
  std::function<std::string()> describe;
  // True if the display is known to be a software renderer before it is opened.
  bool software = false;
  // Returns the display, not yet initialised, or the reason why there is none.
  std::function<absl::StatusOr<EGLDisplay>()> open;
  // A likely reason why the display cannot be opened: "; cannot open
  // /dev/dri/renderD128: Permission denied", or "" if unknown. Appended to
  // EGL's error, which often is just EGL_NOT_INITIALIZED. Called only after a
  // failure. May be an empty function.
  std::function<std::string()> obstacle;
};

// All candidates in the order to try and of ListDisplays(): EGL devices
// (software last), surfaceless, GBM render nodes, the default display. Includes
// those that this libEGL does not support, whose open() says so. Needs
// LoadGl(). Thread-safe.
std::vector<DisplayCandidate> FindDisplays();

// "; cannot open FILE: Permission denied" if this process may not read and
// write `file`, else "".
std::string AccessObstacle(const std::string& file);

// True if the space-separated list `extensions` contains exactly `name`.
bool HasEglExtension(const char* extensions, absl::string_view name);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_DISPLAYS_H_
