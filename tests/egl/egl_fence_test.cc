// labels: egl llvmpipe softpipe
// How a thread waits for a fence, with a driver whose GPU is busy.
#include <chrono>

#include "egl/objects.h"
#include "egl/testing.h"
#include "tests/testing/device.h"
#include "tests/testing/gl.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Fence;
using ::gles_delegate::egl::GlApi;
using ::gles_delegate::egl::ScopedGlOverride;
using ::gles_delegate::egl::Waiting;

// Counters of the replacement of glClientWaitSync below. Its GPU works until
// `g_busy_until`, or until somebody sleeps.
int g_polls = 0;
int g_sleeps = 0;
std::chrono::steady_clock::time_point g_busy_until;

GLenum WaitForABusyGpu(GLsync, GLbitfield, GLuint64 timeout) {
  if (timeout > 0) {
    ++g_sleeps;
    return GL_CONDITION_SATISFIED;
  }
  ++g_polls;
  return std::chrono::steady_clock::now() < g_busy_until
             ? GL_TIMEOUT_EXPIRED
             : GL_CONDITION_SATISFIED;
}

// An aggressive wait outlasts the 2 ms after which an active one goes to sleep.
TEST(FenceTest, AsksOnceForAWhileOrToTheEnd) {
  GLES_SKIP_WITHOUT_DEVICE();
  InContext([] {
    const Fence fence = Must(Fence::Insert());
    const ScopedGlOverride slow(&GlApi::ClientWaitSync, WaitForABusyGpu);
    const auto wait = [&](Waiting how,
                          std::chrono::steady_clock::time_point busy_until) {
      g_polls = g_sleeps = 0;
      g_busy_until = busy_until;
      EXPECT_TRUE(fence.Wait(how).ok());
    };
    const auto never = std::chrono::steady_clock::time_point::max();
    wait(Waiting::kPassive, never);
    EXPECT_EQ(g_polls, 1);
    EXPECT_EQ(g_sleeps, 1);
    wait(Waiting::kActive, never);
    EXPECT_GT(g_polls, 1);
    EXPECT_EQ(g_sleeps, 1);
    wait(Waiting::kAggressive,
         std::chrono::steady_clock::now() + std::chrono::milliseconds(20));
    EXPECT_GT(g_polls, 1);
    EXPECT_EQ(g_sleeps, 0);
  });
}

TEST(FenceTest, AFailedWaitIsAnError) {
  GLES_SKIP_WITHOUT_DEVICE();
  InContext([] {
    const Fence fence = Must(Fence::Insert());
    const ScopedGlOverride fault(
        &GlApi::ClientWaitSync,
        +[](GLsync, GLbitfield, GLuint64) -> GLenum { return GL_WAIT_FAILED; });
    EXPECT_EQ(fence.Wait().code(), absl::StatusCode::kInternal);
  });
}

}  // namespace
}  // namespace gles_delegate::testing
