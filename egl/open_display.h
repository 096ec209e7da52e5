// Chooses the display for a context.
#ifndef GLES_DELEGATE_EGL_OPEN_DISPLAY_H_
#define GLES_DELEGATE_EGL_OPEN_DISPLAY_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "egl/context.h"
#include "egl/device_info.h"
#include "egl/gl_api.h"

namespace gles_delegate::egl {

// --- EGL displays of a machine without a window system -----------------------

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

// "; cannot open FILE: Permission denied" if this process may not read and
// write `file`, else "".
std::string AccessObstacle(const std::string& file);

// A context to share objects with, and its group; nothing: a new group.
struct SharedWith {
  EGLContext context = EGL_NO_CONTEXT;
  std::shared_ptr<ShareGroup> group;
};

// Owns an EGLContext and, if the driver lacks surfaceless contexts, a 1x1
// pbuffer. Retires both (ShareGroup), and terminates the display if nothing
// else uses it (egl/gl_api.h). Move-only.
class HeadlessContext {
 public:
  HeadlessContext() = default;
  HeadlessContext(HeadlessContext&& other) noexcept;
  HeadlessContext& operator=(HeadlessContext&& other) noexcept;
  ~HeadlessContext();

  // Opens `candidate`'s display and makes a context of the highest version from
  // 3.2 down to 3.1, or takes one that was retired (is_used()): robust if the
  // driver supports that, with debug messages if `debug`, sharing objects with
  // `shared` if that has a context of the display.
  // Does not change what is current. With EGL_KHR_context_flush_control,
  // releasing the context does not flush, so callers flush commands that others
  // wait for. kUnavailable, with the failed step and EGL's reason or the
  // driver's older version. The OpenGL ES API must be bound (SavedCurrent does
  // it).
  static absl::StatusOr<HeadlessContext> Open(const DisplayCandidate& candidate,
                                              bool debug,
                                              const SharedWith& shared);

  // kFailedPrecondition with EGL's reason.
  absl::Status MakeCurrent() const;

  EGLDisplay display() const { return use_.display(); }
  const EglContext& own() const { return own_; }
  const std::shared_ptr<ShareGroup>& group() const { return group_; }
  // A context that was used before may be lost by now.
  bool is_used() const { return is_used_; }

  // Transfers ownership of context and surface, and their place in the group,
  // to the caller. The display stays initialised.
  void Release();
  // Destroys the context, of which no other use is made.
  void Discard();

 private:
  void Join(const EglContext& own, std::shared_ptr<ShareGroup> group);
  // False: no context was retired.
  bool TakeUsed(bool debug, const SharedWith& shared);

  DisplayUse use_;
  EglContext own_;
  std::shared_ptr<ShareGroup> group_;  // joined while there is a context
  bool is_used_ = false;
};

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
