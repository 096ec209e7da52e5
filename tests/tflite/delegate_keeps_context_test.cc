// labels: op egl delegate llvmpipe softpipe
// thread_mode: caller_keeps_context: a context of the delegate's own stays
// current on the thread that applied the delegate.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "egl/context.h"
#include "egl/testing.h"
#include "gtest/gtest.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Context;
using ::gles_delegate::egl::egl;
using ::gles_delegate::egl::EglApi;

DelegatePtr MakeKeeping() {
  return MakeDelegate([](TfLiteGlesDelegateOptions& o) {
    o.thread_mode = kTfLiteGlesThreadCallerKeepsContext;
  });
}

int g_changes = 0;  // of the current context

class DelegateKeepsContextTest : public DeviceTest {
 protected:
  DelegateKeepsContextTest()
      : model_(LoadOrDie(ChainModel("can"))), expected_(CpuResult(*model_)) {}

  // Makes `context` current on this thread, or lets go of what is.
  static void MakeCurrent(const Context& app, EGLContext context) {
    ASSERT_TRUE(egl().MakeCurrent(app.display(), EGL_NO_SURFACE, EGL_NO_SURFACE,
                                  context));
  }

  const std::unique_ptr<Model> model_;
  const std::vector<float> expected_;
};

TEST_F(DelegateKeepsContextTest, LaterInvokesMakeNothingCurrent) {
  DelegatePtr delegate = MakeKeeping();
  auto interpreter = Applied(*model_, delegate);
  ExpectClose(RunOnce(interpreter.get()), expected_);
  const EGLContext kept = egl().GetCurrentContext();
  EXPECT_NE(kept, EGL_NO_CONTEXT);
  EXPECT_EQ(ReportOf(delegate)["thread_mode"], "caller_keeps_context");
  {
    const egl::ScopedGlOverride changes(
        &EglApi::MakeCurrent, +[](EGLDisplay display, EGLSurface draw,
                                  EGLSurface read, EGLContext context) {
          ++g_changes;
          return egl::driver_egl().MakeCurrent(display, draw, read, context);
        });
    g_changes = 0;
    ExpectClose(RunOnce(interpreter.get()), expected_);
    EXPECT_EQ(g_changes, 0);
  }
  EXPECT_EQ(egl().GetCurrentContext(), kept);
  interpreter.reset();
  delegate.reset();
  EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
}

// It is no app's context, and no other delegate borrows it.
TEST_F(DelegateKeepsContextTest, AnotherDelegateHasAContextOfItsOwn) {
  DelegatePtr delegate = MakeKeeping();
  auto interpreter = Applied(*model_, delegate);
  ExpectClose(RunOnce(interpreter.get()), expected_);
  for (const DelegatePtr& other : {MakeDelegate(), MakeKeeping()}) {
    auto beside = Applied(*model_, other);
    EXPECT_EQ(ReportOf(other)["context"], "own");
    for (int turn = 0; turn < 2; ++turn) {
      ExpectClose(RunOnce(beside.get()), expected_);
      ExpectClose(RunOnce(interpreter.get()), expected_);
    }
    beside.reset();
  }
  interpreter.reset();
  delegate.reset();
  EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
}

TEST_F(DelegateKeepsContextTest, AnAppsContextIsRestored) {
  DelegatePtr delegate = MakeKeeping();
  auto interpreter = Applied(*model_, delegate);
  ExpectClose(RunOnce(interpreter.get()), expected_);
  const auto app = Context::Create({});
  ASSERT_TRUE(app.ok()) << app.status();
  MakeCurrent(**app, (*app)->handle());
  ExpectClose(RunOnce(interpreter.get()), expected_);
  EXPECT_EQ(egl().GetCurrentContext(), (*app)->handle());
  MakeCurrent(**app, EGL_NO_CONTEXT);
  ExpectClose(RunOnce(interpreter.get()), expected_);
  EXPECT_NE(egl().GetCurrentContext(), EGL_NO_CONTEXT) << "kept again";
}

TEST_F(DelegateKeepsContextTest, ABorrowedContextIsLeftAsItWasFound) {
  const auto app = Context::Create({});
  ASSERT_TRUE(app.ok()) << app.status();
  MakeCurrent(**app, (*app)->handle());
  DelegatePtr delegate = MakeKeeping();
  auto interpreter = Applied(*model_, delegate);
  EXPECT_EQ(ReportOf(delegate)["context"], "borrowed");
  MakeCurrent(**app, EGL_NO_CONTEXT);
  ExpectClose(RunOnce(interpreter.get()), expected_);
  EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
}

// What another thread may not do is said, and what it deletes does no harm.
TEST_F(DelegateKeepsContextTest, AnotherThreadHasNoContext) {
  DelegatePtr delegate = MakeKeeping();
  auto interpreter = InterpreterOrDie(*model_);
  auto late = InterpreterOrDie(*model_);
  absl::Status applied;
  std::thread([&] {
    ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
    ExpectClose(RunOnce(interpreter.get()), expected_);
    std::thread([&] {
      applied = late->ApplyDelegate(delegate.get());
      interpreter.reset();
      late.reset();
      delegate.reset();
    }).join();
    EXPECT_NE(egl().GetCurrentContext(), EGL_NO_CONTEXT);
  }).join();
  EXPECT_FALSE(applied.ok());
  // The next delegate of this process is as any.
  const DelegatePtr next = MakeKeeping();
  ExpectClose(RunOnce(Applied(*model_, next).get()), expected_);
}

}  // namespace
}  // namespace gles_delegate::testing
