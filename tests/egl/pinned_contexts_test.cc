// labels: egl llvmpipe softpipe tsan
// Contexts that stay current on a thread between calls.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>

#include "egl/context.h"
#include "egl/objects.h"
#include "tests/testing/device.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/make_context.h"
#include "tests/testing/scoped_environment.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Context;
using ::gles_delegate::egl::egl;
using ::gles_delegate::egl::gl;

// A pinned context, beside one that is not.
class PinnedContextTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    pinned_ = MakeContext();
    other_ = MakeContext();
    ASSERT_NE(pinned_, nullptr);
    ASSERT_NE(other_, nullptr);
    pinned_->Pin();
  }
  static absl::Status Nothing() { return absl::OkStatus(); }

  std::unique_ptr<Context> pinned_, other_;
};

TEST_F(PinnedContextTest, StaysCurrentUntilItGoes) {
  EXPECT_FALSE(Context::HasCurrent());
  ASSERT_TRUE(pinned_->Run(Nothing).ok());
  EXPECT_EQ(egl().GetCurrentContext(), pinned_->handle());
  // Another one's turn ends with what was current before it.
  ASSERT_TRUE(other_->Run(Nothing).ok());
  EXPECT_EQ(egl().GetCurrentContext(), pinned_->handle());
  ASSERT_TRUE(pinned_->Run(Nothing).ok());
  pinned_.reset();
  EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
}

// Two pinned ones take turns on a thread: none stands for an app's.
TEST_F(PinnedContextTest, TheLastOneStaysCurrent) {
  other_->Pin();
  for (Context* context : {pinned_.get(), other_.get(), pinned_.get()}) {
    ASSERT_TRUE(context->Run(Nothing).ok());
    EXPECT_EQ(egl().GetCurrentContext(), context->handle());
  }
  other_.reset();
  EXPECT_EQ(egl().GetCurrentContext(), pinned_->handle());
}

// ... but within another one's turn that one is put back.
TEST_F(PinnedContextTest, ATurnWithinAnotherEndsWithIt) {
  other_->Pin();
  ASSERT_TRUE(pinned_
                  ->Run([&] {
                    EXPECT_TRUE(other_->Run(Nothing).ok());
                    EXPECT_EQ(egl().GetCurrentContext(), pinned_->handle());
                    return absl::OkStatus();
                  })
                  .ok());
  EXPECT_EQ(egl().GetCurrentContext(), pinned_->handle());
}

TEST_F(PinnedContextTest, IsNotAdoptedAsAnApps) {
  ASSERT_TRUE(pinned_->Run(Nothing).ok());
  EXPECT_EQ(Context::AdoptCurrent().status().code(),
            absl::StatusCode::kFailedPrecondition);
}

// EGL gives a context to one thread at a time: elsewhere a second one, which
// shares objects with the first, stands in.
TEST_F(PinnedContextTest, AnotherThreadWorksInASecondOne) {
  egl::Buffer buffer;
  ASSERT_TRUE(pinned_
                  ->Run([&] {
                    auto made =
                        egl::Buffer::Create(16, nullptr, GL_STATIC_DRAW);
                    buffer = std::move(made).value();
                    gl().Finish();
                    return absl::OkStatus();
                  })
                  .ok());
  const GLuint id = buffer.id();
  absl::Status first, second;
  std::thread([&] {
    EGLContext used = EGL_NO_CONTEXT;
    first = pinned_->Run([&] {
      used = egl().GetCurrentContext();
      EXPECT_EQ(gl().IsBuffer(id), GL_TRUE);
      // A nested call stays there.
      return pinned_->Run([&] {
        EXPECT_EQ(egl().GetCurrentContext(), used);
        return absl::OkStatus();
      });
    });
    EXPECT_NE(used, pinned_->handle());
    EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
    second = pinned_->Run([&] {
      EXPECT_EQ(egl().GetCurrentContext(), used);
      buffer = egl::Buffer();
      return absl::OkStatus();
    });
  }).join();
  EXPECT_TRUE(first.ok()) << first;
  EXPECT_TRUE(second.ok()) << second;
  EXPECT_EQ(egl().GetCurrentContext(), pinned_->handle());
  EXPECT_TRUE(pinned_
                  ->Run([&] {
                    EXPECT_EQ(gl().IsBuffer(id), GL_FALSE);
                    return absl::OkStatus();
                  })
                  .ok());
}

// The first thread is its owner, also while another context is current there.
TEST_F(PinnedContextTest, AnotherThreadDoesNotTakeItOver) {
  ASSERT_TRUE(pinned_->Run(Nothing).ok());
  ASSERT_TRUE(egl().MakeCurrent(other_->display(), EGL_NO_SURFACE,
                                EGL_NO_SURFACE, other_->handle()));
  std::thread([&] {
    EXPECT_TRUE(pinned_
                    ->Run([&] {
                      EXPECT_NE(egl().GetCurrentContext(), pinned_->handle());
                      return absl::OkStatus();
                    })
                    .ok());
    EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
  }).join();
  ASSERT_TRUE(egl().MakeCurrent(other_->display(), EGL_NO_SURFACE,
                                EGL_NO_SURFACE, EGL_NO_CONTEXT));
  ASSERT_TRUE(pinned_->Run(Nothing).ok());
  EXPECT_EQ(egl().GetCurrentContext(), pinned_->handle());
}

TEST_F(PinnedContextTest, TwoThreadsAtOnceAreRefused) {
  absl::Status elsewhere;
  ASSERT_TRUE(
      pinned_
          ->Run([&] {
            std::thread([&] { elsewhere = pinned_->Run(Nothing); }).join();
            return absl::OkStatus();
          })
          .ok());
  EXPECT_EQ(elsewhere.code(), absl::StatusCode::kFailedPrecondition);
}

// A thread that ends lets the context go, and another one takes it over.
TEST_F(PinnedContextTest, AThreadThatEndsReleasesIt) {
  std::thread([&] { EXPECT_TRUE(pinned_->Run(Nothing).ok()); }).join();
  ASSERT_TRUE(pinned_->Run(Nothing).ok());
  EXPECT_EQ(egl().GetCurrentContext(), pinned_->handle());
}

// ... unless it has worked in the second one: queries are not shared.
TEST_F(PinnedContextTest, WhoWorksInTheSecondOneStaysThere) {
  EGLContext used = EGL_NO_CONTEXT;
  const auto use = [&] {
    EXPECT_TRUE(pinned_
                    ->Run([&] {
                      used = egl().GetCurrentContext();
                      return absl::OkStatus();
                    })
                    .ok());
  };
  std::thread([&] {
    EXPECT_TRUE(pinned_->Run(Nothing).ok());
    std::thread(use).join();
  }).join();
  EXPECT_NE(used, pinned_->handle());
  const EGLContext second = used;
  use();
  EXPECT_EQ(used, second);
}

// A forked child that ends leaves the parent's context alone, also with an EGL
// that takes it for current there, as libglvnd does not.
TEST_F(PinnedContextTest, AForkedChildDoesNotTouchIt) {
  ASSERT_TRUE(pinned_->Run(Nothing).ok());
  const egl::Instead<&egl::EglApi::GetCurrentContext> current(
      [this](auto...) { return pinned_->handle(); });
  const egl::Instead<&egl::EglApi::MakeCurrent> told(
      [](auto...) -> EGLBoolean { _exit(9); });
  const pid_t child = fork();
  if (child == 0) {
    // The thread's objects end before such a handler runs; objects that
    // belong to the driver, which may not survive a fork, end after it.
    std::atexit([] { _exit(0); });
    std::exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// One that another thread has destroyed is no one's: it is released at the next
// occasion, and taken for no app's until then.
TEST_F(PinnedContextTest, AnOrphanIsReleased) {
  ASSERT_TRUE(pinned_->Run(Nothing).ok());
  const EGLContext handle = pinned_->handle();
  std::thread([&] { pinned_.reset(); }).join();
  EXPECT_EQ(egl().GetCurrentContext(), handle);
  EXPECT_FALSE(Context::HasCurrent());
  ASSERT_TRUE(other_->Run(Nothing).ok());
  EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
}

// A thread that asks while it is destroyed is not told that it is an app's.
TEST_F(PinnedContextTest, IsNoAppsWhileItIsDestroyed) {
  ASSERT_TRUE(pinned_->Run(Nothing).ok());
  std::atomic<bool> destroys = false;
  const egl::Before<&egl::EglApi::DestroyContext> slow([&](auto...) {
    destroys = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  std::thread destroyer([&] { pinned_.reset(); });
  while (!destroys) std::this_thread::yield();
  EXPECT_FALSE(Context::HasCurrent());
  destroyer.join();
  EXPECT_FALSE(Context::HasCurrent());
  EXPECT_TRUE(other_->Run(Nothing).ok());
}

// An app that had bound another API finds it bound.
TEST_F(PinnedContextTest, TheBoundApiIsRestored) {
  if (!egl().BindAPI(EGL_OPENGL_API)) {
    GTEST_SKIP() << "the driver has no OpenGL";
  }
  EXPECT_TRUE(pinned_->Run(Nothing).ok());
  EXPECT_EQ(egl().QueryAPI(), EGLenum{EGL_OPENGL_API});
  egl().BindAPI(EGL_OPENGL_ES_API);
}

TEST(MayStayCurrentTest, NotWhereAnAppMayUseGlx) {
  const ScopedEnvironment none("DISPLAY", "");
  EXPECT_TRUE(egl::MayStayCurrent());
  const ScopedEnvironment x("DISPLAY", ":0");
  EXPECT_FALSE(egl::MayStayCurrent());
}

// Where another context is current, that one is restored as ever.
TEST_F(PinnedContextTest, TakesNoOtherOnesPlace) {
  ASSERT_TRUE(other_
                  ->Run([&] {
                    EXPECT_TRUE(pinned_->Run(Nothing).ok());
                    EXPECT_EQ(egl().GetCurrentContext(), other_->handle());
                    return absl::OkStatus();
                  })
                  .ok());
  EXPECT_FALSE(Context::HasCurrent());
}

}  // namespace
}  // namespace gles_delegate::testing
