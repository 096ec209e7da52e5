// The ways to an EGL display on a machine without a window system.
#ifndef GLES_DELEGATE_EGL_DISPLAYS_H_
#define GLES_DELEGATE_EGL_DISPLAYS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "egl/gl_api.h"

namespace gles_delegate::egl {

// One way to a display, which nobody has opened yet: starting a driver takes
// milliseconds.
struct DisplayCandidate {
  // "EGL device 0 (/dev/dri/renderD128)", "surfaceless", ... For messages only:
  // NVIDIA's driver takes 100 ms to name a device's files and CUDA number.
  std::function<std::string()> describe;
  // The display is known for a software renderer's before it is opened.
  bool software = false;
  // Returns the display, which is not initialised yet. The status says why
  // there is none.
  std::function<absl::StatusOr<EGLDisplay>()> open;
  // Says what may have kept the display from being opened: "; cannot open
  // /dev/dri/renderD128: Permission denied", or "" where nothing is known. The
  // words go behind EGL's own, which often are EGL_NOT_INITIALIZED alone.
  // Called after a failure only. May be an empty function.
  std::function<std::string()> obstacle;
};

// In the order to try: EGL devices (software ones last), surfaceless, GBM
// render nodes, the default display. The order is that of ListDisplays().
// A way that this libEGL does not offer stays in the list: its open() says so.
// Needs LoadGl(). Thread-safe.
std::vector<DisplayCandidate> FindDisplays();

// "; cannot open FILE: Permission denied" where this process may not read and
// write `file`, else "".
std::string AccessObstacle(const std::string& file);

// True where the space-separated list `extensions` has exactly `name`.
bool HasEglExtension(const char* extensions, absl::string_view name);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_DISPLAYS_H_
