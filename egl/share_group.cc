#include "egl/share_group.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "egl/kept_contexts.h"
#include "egl/objects.h"

namespace gles_delegate::egl {
namespace {

// Of the context whose Run() this thread is in; 0: of none.
thread_local uint64_t current_share_group = 0;

uint64_t NextId() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
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

ShareGroup::ShareGroup() : id_(NextId()) {}

void ShareGroup::Join() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++members_;
}

bool ShareGroup::Leave(std::optional<EglContext> own, bool keeps) {
  std::vector<EglContext> destroyed;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (own) retired_.push_back(*own);
    if (--members_ > 0) return false;
    if (keeps) return !retired_.empty();
    destroyed = std::exchange(retired_, {});
  }
  for (const EglContext& context : destroyed) Destroy(context);
  return false;
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

}  // namespace gles_delegate::egl
