// Fences and timers.
#include <chrono>
#include <utility>

#include "base/status_macros.h"
#include "egl/extension.h"
#include "egl/objects.h"

namespace gles_delegate::egl {
namespace {

// Of one wait. Waking up once a second, to wait again, costs nothing.
constexpr GLuint64 kSleepNanoseconds = 1000000000;

using Clock = std::chrono::steady_clock;

// Of a wait that begins now.
Clock::time_point EndOfPolling(Waiting how) {
  switch (how) {
    case Waiting::kPassive:
      break;
    case Waiting::kActive:
      // Polling saves a few microseconds over sleeping in the driver, which is
      // not worth a busy core for longer inferences.
      return Clock::now() + std::chrono::milliseconds(2);
    case Waiting::kAggressive:
      return Clock::time_point::max();
  }
  return Clock::time_point::min();
}

// Whether timers were disturbed since the last call: reading
// GL_GPU_DISJOINT_EXT resets it.
bool WasDisjoint() {
  GLint disjoint = 0;
  gl().GetIntegerv(GL_GPU_DISJOINT_EXT, &disjoint);
  return disjoint != 0;
}

bool Done(GLenum result) {
  return result == GL_ALREADY_SIGNALED || result == GL_CONDITION_SATISFIED;
}

}  // namespace

Fence::Fence(Fence&& other) noexcept
    : sync_(std::exchange(other.sync_, nullptr)),
      context_(std::exchange(other.context_, EGL_NO_CONTEXT)) {}

Fence& Fence::operator=(Fence&& other) noexcept {
  std::swap(sync_, other.sync_);
  std::swap(context_, other.context_);
  return *this;
}

Fence::~Fence() {
  if (sync_ != nullptr && CurrentContext() == context_) gl().DeleteSync(sync_);
}

absl::StatusOr<Fence> Fence::Insert() {
  Fence fence;
  fence.sync_ = gl().FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  fence.context_ = CurrentContext();
  if (fence.sync_ != nullptr) return fence;
  absl::Status status = CheckGl("glFenceSync");
  return status.ok() ? absl::InternalError("glFenceSync gave no fence")
                     : status;
}

absl::Status Fence::Wait(Waiting how) const {
  if (sync_ == nullptr) return absl::FailedPreconditionError("an empty fence");
  GLenum result =
      gl().ClientWaitSync(sync_, GL_SYNC_FLUSH_COMMANDS_BIT, /*timeout=*/0);
  const Clock::time_point end = EndOfPolling(how);
  while (result == GL_TIMEOUT_EXPIRED && Clock::now() < end) {
    result = gl().ClientWaitSync(sync_, 0, /*timeout=*/0);
  }
  while (result == GL_TIMEOUT_EXPIRED) {
    result = gl().ClientWaitSync(sync_, 0, kSleepNanoseconds);
  }
  if (Done(result)) return absl::OkStatus();
  absl::Status status = CheckGl("waiting for a fence (glClientWaitSync)");
  return status.ok() ? absl::InternalError("glClientWaitSync failed") : status;
}

absl::StatusOr<TimerQuery> TimerQuery::Create() {
  if (!HasExtension("GL_EXT_disjoint_timer_query")) {
    return absl::UnimplementedError(
        "this driver has no GL_EXT_disjoint_timer_query (GPU timers)");
  }
  WasDisjoint();
  GLint bits = 0;
  gl().GetQueryiv(GL_TIMESTAMP_EXT, GL_QUERY_COUNTER_BITS_EXT, &bits);
  TimerQuery query;
  query.begin_ = Query::New(gl().GenQueries);
  if (bits > 0 && gl().QueryCounterEXT != nullptr) {
    query.end_ = Query::New(gl().GenQueries);
  }
  return query;
}

uint64_t TimerQuery::Now() {
  GLint64 now = 0;
  gl().GetInteger64v(GL_TIMESTAMP_EXT, &now);
  return static_cast<uint64_t>(now);
}

bool TimerQuery::IsBlocked() const {
  if (has_timestamps()) return false;
  GLint running = 0;
  gl().GetQueryiv(GL_TIME_ELAPSED_EXT, GL_CURRENT_QUERY, &running);
  return running != 0;
}

void TimerQuery::Begin() {
  if (has_timestamps()) {
    gl().QueryCounterEXT(begin_.id(), GL_TIMESTAMP_EXT);
  } else {
    gl().BeginQuery(GL_TIME_ELAPSED_EXT, begin_.id());
  }
}

void TimerQuery::End() {
  if (has_timestamps()) {
    gl().QueryCounterEXT(end_.id(), GL_TIMESTAMP_EXT);
  } else {
    gl().EndQuery(GL_TIME_ELAPSED_EXT);
  }
}

absl::StatusOr<TimerQuery::Times> TimerQuery::Read() const {
  GLuint64 first = 0, end = 0;
  gl().GetQueryObjectui64vEXT(begin_.id(), GL_QUERY_RESULT, &first);
  if (has_timestamps()) {
    gl().GetQueryObjectui64vEXT(end_.id(), GL_QUERY_RESULT, &end);
  }
  RETURN_IF_ERROR(CheckGl("reading a GPU timer"));
  if (WasDisjoint() || (has_timestamps() && end < first)) {
    return absl::UnavailableError(
        "the GPU's clock was disturbed while the timer ran (its frequency "
        "changed, say); measure again");
  }
  if (has_timestamps()) return Times{first, end - first};
  return Times{std::nullopt, first};
}

}  // namespace gles_delegate::egl
