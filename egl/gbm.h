// GBM render nodes, opened without linking libgbm.
#ifndef GLES_DELEGATE_EGL_GBM_H_
#define GLES_DELEGATE_EGL_GBM_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gles_delegate::egl {

// The DRM render nodes of this machine: "/dev/dri/renderD128", ...
std::vector<std::string> RenderNodes();

// The gbm_device of a render node. Made once per node and kept until the
// process ends, since its EGLDisplay is never terminated. Thread-safe.
// kUnavailable, with the reason.
absl::StatusOr<void*> GbmDevice(const std::string& node);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_GBM_H_
