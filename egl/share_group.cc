#include "egl/share_group.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/strings/match.h"
#include "base/hash_tables.h"
#include "egl/caught.h"
#include "egl/objects.h"
#include "egl/of_process.h"
#include "egl/pinned_contexts.h"

namespace gles_delegate::egl {
namespace {

// Of the context whose Run() this thread is in; 0: of none.
thread_local uint64_t current_share_group = 0;

uint64_t NextId() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

struct IdleGroups {
  std::mutex mutex;
  HashMap<EGLDisplay, std::vector<std::shared_ptr<ShareGroup>>> by_display;
};

// NVIDIA's own driver; Nouveau's vendor is Mesa.
bool MustNotDestroy(EGLDisplay display) {
  const char* vendor = egl().QueryString(display, EGL_VENDOR);
  return vendor != nullptr && absl::StrContains(vendor, "NVIDIA");
}

}  // namespace

uint64_t CurrentShareGroup() { return current_share_group; }

ScopedShareGroup::ScopedShareGroup(uint64_t group)
    : before_(std::exchange(current_share_group, group)) {}
ScopedShareGroup::~ScopedShareGroup() { current_share_group = before_; }

void Destroy(const EglContext& context) {
  if (context.surface != EGL_NO_SURFACE) {
    egl().DestroySurface(context.display, context.surface);
  }
  DestroyContext(context.display, context.context);
}

ShareGroup::ShareGroup(bool with_app) : id_(NextId()), with_app_(with_app) {}

void ShareGroup::Join() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++members_;
}

void ShareGroup::Leave(std::optional<EglContext> own) {
  // Destructors call it. Without memory the context stays until the process
  // ends.
  (void)Caught([&] {
    LeaveOrThrow(own);
    return absl::OkStatus();
  });
}

void ShareGroup::LeaveOrThrow(std::optional<EglContext> own) {
  std::vector<EglContext> destroyed;
  EGLDisplay idle = EGL_NO_DISPLAY;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool is_last = --members_ == 0;
    if (own) retired_.push_back(*own);
    if (!is_last || retired_.empty()) return;
    if (!with_app_ && MustNotDestroy(retired_[0].display)) {
      idle = retired_[0].display;
    } else {
      destroyed = std::exchange(retired_, {});
    }
  }
  for (const EglContext& context : destroyed) Destroy(context);
  if (idle == EGL_NO_DISPLAY) return;
  IdleGroups& groups = OfProcess<IdleGroups>();
  const std::lock_guard<std::mutex> lock(groups.mutex);
  groups.by_display[idle].push_back(shared_from_this());
}

std::optional<EglContext> ShareGroup::TakeRetired(bool debug) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find_if(
      retired_.begin(), retired_.end(), [debug](const EglContext& context) {
        return context.debug == debug && ForgetOwner(context.context);
      });
  if (found == retired_.end()) return std::nullopt;
  const EglContext context = *found;
  retired_.erase(found);
  return context;
}

std::optional<ShareGroup::Idle> ShareGroup::TakeIdle(EGLDisplay display,
                                                     bool debug) {
  IdleGroups& groups = OfProcess<IdleGroups>();
  const std::lock_guard<std::mutex> lock(groups.mutex);
  std::vector<std::shared_ptr<ShareGroup>>& idle = groups.by_display[display];
  for (auto group = idle.begin(); group != idle.end(); ++group) {
    const auto context = (*group)->TakeRetired(debug);
    if (!context) continue;
    Idle taken = {*group, *context};
    idle.erase(group);
    return taken;
  }
  return std::nullopt;
}

}  // namespace gles_delegate::egl
