// Groups of contexts that nothing uses any more, kept for the next
// Context::Create() with the same options: for drivers that compute wrong
// results after a context was destroyed (egl/share_group.h).
#ifndef GLES_DELEGATE_EGL_IDLE_GROUPS_H_
#define GLES_DELEGATE_EGL_IDLE_GROUPS_H_

#include <memory>
#include <optional>
#include <string>

#include "egl/device_info.h"
#include "egl/share_group.h"

namespace gles_delegate::egl {

struct IdleGroup {
  std::shared_ptr<ShareGroup> group;
  DeviceInfo device;
  std::string hardware_errors;
};

// Not inherited by forked children. Threads: any. `kind`: of the options.
void KeepIdle(const std::string& kind, IdleGroup idle);
std::optional<IdleGroup> TakeIdle(const std::string& kind);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_IDLE_GROUPS_H_
