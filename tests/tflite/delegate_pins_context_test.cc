// labels: op egl delegate llvmpipe softpipe tsan
// A context of the delegate's own stays current on the thread that applied the
// delegate, except in an X app.
#include <memory>
#include <thread>

#include "egl/context.h"
#include "egl/objects.h"
#include "tests/testing/child.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/life.h"
#include "tests/testing/scoped_environment.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Context;
using ::gles_delegate::egl::egl;
using ::gles_delegate::egl::EglApi;

DelegatePtr Make(TfLiteGlesToggle pins) {
  return MakeDelegate(
      [pins](TfLiteGlesDelegateOptions& o) { o.keep_context_current = pins; });
}
DelegatePtr MakePinning() { return Make(kTfLiteGlesAuto); }

class DelegatePinsContextTest : public ChainTest {
 protected:
  // Makes `context` current on this thread, or releases what is.
  static void MakeCurrent(const Context& app, EGLContext context) {
    ASSERT_TRUE(egl().MakeCurrent(app.display(), EGL_NO_SURFACE, EGL_NO_SURFACE,
                                  context));
  }

  // Whether the context stays current after an Invoke, with that option.
  bool Pins(TfLiteGlesToggle pins_context) {
    DelegatePtr delegate = Make(pins_context);
    auto interpreter = Applied(*model_, delegate);
    ExpectClose(RunOnce(interpreter.get()), expected_);
    const bool pins = egl().GetCurrentContext() != EGL_NO_CONTEXT;
    EXPECT_EQ(ReportOf(delegate)["context_stays_current"], pins);
    interpreter.reset();
    delegate.reset();
    EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
    return pins;
  }

  const ScopedEnvironment no_x_{"DISPLAY", ""};
};

TEST_F(DelegatePinsContextTest, LaterInvokesMakeNothingCurrent) {
  DelegatePtr delegate = MakePinning();
  auto interpreter = Applied(*model_, delegate);
  ExpectClose(RunOnce(interpreter.get()), expected_);
  const EGLContext pinned = egl().GetCurrentContext();
  EXPECT_NE(pinned, EGL_NO_CONTEXT);
  {
    int changes = 0;
    const egl::Before<&EglApi::MakeCurrent> changed(
        [&](auto...) { ++changes; });
    ExpectClose(RunOnce(interpreter.get()), expected_);
    EXPECT_EQ(changes, 0);
  }
  EXPECT_EQ(egl().GetCurrentContext(), pinned);
  interpreter.reset();
  delegate.reset();
  EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
}

// It is no app's context, and no other delegate borrows it.
TEST_F(DelegatePinsContextTest, AnotherDelegateHasAContextOfItsOwn) {
  DelegatePtr delegate = MakePinning();
  auto interpreter = Applied(*model_, delegate);
  ExpectClose(RunOnce(interpreter.get()), expected_);
  for (const DelegatePtr& other : {MakeDelegate(), MakePinning()}) {
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

TEST_F(DelegatePinsContextTest, AnAppsContextIsRestored) {
  DelegatePtr delegate = MakePinning();
  auto interpreter = Applied(*model_, delegate);
  ExpectClose(RunOnce(interpreter.get()), expected_);
  const auto app = Context::Create({});
  ASSERT_TRUE(app.ok()) << app.status();
  MakeCurrent(**app, (*app)->handle());
  ExpectClose(RunOnce(interpreter.get()), expected_);
  EXPECT_EQ(egl().GetCurrentContext(), (*app)->handle());
  MakeCurrent(**app, EGL_NO_CONTEXT);
  ExpectClose(RunOnce(interpreter.get()), expected_);
  EXPECT_NE(egl().GetCurrentContext(), EGL_NO_CONTEXT) << "pinned again";
}

TEST_F(DelegatePinsContextTest, ABorrowedContextIsLeftAsItWasFound) {
  const auto app = Context::Create({});
  ASSERT_TRUE(app.ok()) << app.status();
  MakeCurrent(**app, (*app)->handle());
  DelegatePtr delegate = MakePinning();
  auto interpreter = Applied(*model_, delegate);
  EXPECT_EQ(ReportOf(delegate)["context"], "borrowed");
  MakeCurrent(**app, EGL_NO_CONTEXT);
  ExpectClose(RunOnce(interpreter.get()), expected_);
  EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
}

TEST_F(DelegatePinsContextTest, TheOptionAndTheXDisplaySayWhetherItStays) {
  EXPECT_TRUE(Pins(kTfLiteGlesAuto));
  EXPECT_TRUE(Pins(kTfLiteGlesOn));
  EXPECT_FALSE(Pins(kTfLiteGlesOff));
  const ScopedEnvironment x("DISPLAY", ":0");
  EXPECT_FALSE(Pins(kTfLiteGlesAuto));
  EXPECT_TRUE(Pins(kTfLiteGlesOn));
}

// One delegate, an interpreter on each of two threads, which take turns.
TEST_F(DelegatePinsContextTest, AnotherThreadMayApplyInvokeAndDelete) {
  DelegatePtr delegate = MakePinning();
  auto first = Applied(*model_, delegate);
  ExpectClose(RunOnce(first.get()), expected_);
  const EGLContext pinned = egl().GetCurrentContext();
  auto second = InterpreterOrDie(*model_);
  std::thread([&] {
    const absl::Status applied = second->ApplyDelegate(delegate.get());
    ASSERT_TRUE(applied.ok()) << applied;
    ExpectClose(RunOnce(second.get()), expected_);
    ExpectClose(RunOnce(second.get()), expected_);
    EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
  }).join();
  ExpectClose(RunOnce(first.get()), expected_);
  EXPECT_EQ(egl().GetCurrentContext(), pinned);
  std::thread([&] {
    second.reset();
    first.reset();
    delegate.reset();
  }).join();
  // The next delegate of this thread is as any.
  const DelegatePtr next = MakePinning();
  ExpectClose(RunOnce(Applied(*model_, next).get()), expected_);
}

// Buffers go with what is deleted on another thread.
TEST_F(DelegatePinsContextTest, BuffersOfWhatAnotherThreadDeletesAreGone) {
  int buffers = 0;
  const egl::Before<&egl::GlApi::GenBuffers> made(
      [&](GLsizei n, auto...) { buffers += n; });
  const egl::Before<&egl::GlApi::DeleteBuffers> gone(
      [&](GLsizei n, auto...) { buffers -= n; });
  DelegatePtr delegate = MakePinning();
  auto interpreter = Applied(*model_, delegate);
  ExpectClose(RunOnce(interpreter.get()), expected_);
  EXPECT_GT(buffers, 0);
  std::thread([&] {
    interpreter.reset();
    delegate.reset();
  }).join();
  EXPECT_EQ(buffers, 0);
}

// worker_sharing wants an app's context, and this is none.
TEST_F(DelegatePinsContextTest, NoDelegateSharesObjectsWithIt) {
  const DelegatePtr pinning = MakePinning();
  ExpectClose(RunOnce(Applied(*model_, pinning).get()), expected_);
  ASSERT_NE(egl().GetCurrentContext(), EGL_NO_CONTEXT);
  const DelegatePtr sharing = MakeDelegate([](auto& options) {
    options.thread_mode = kTfLiteGlesThreadWorkerSharing;
  });
  const absl::Status applied =
      InterpreterOrDie(*model_)->ApplyDelegate(sharing.get());
  EXPECT_FALSE(applied.ok());
}

// A thread that ends leaves its interpreter to be deleted by another.
TEST_F(DelegatePinsContextTest, AThreadThatEndsReleasesTheContext) {
  DelegatePtr delegate = MakePinning();
  std::unique_ptr<Interpreter> interpreter;
  std::thread([&] {
    interpreter = Applied(*model_, delegate);
    ExpectClose(RunOnce(interpreter.get()), expected_);
    EXPECT_NE(egl().GetCurrentContext(), EGL_NO_CONTEXT);
  }).join();
  auto next = Applied(*model_, delegate);
  ExpectClose(RunOnce(next.get()), expected_);
  EXPECT_NE(egl().GetCurrentContext(), EGL_NO_CONTEXT)
      << "the context itself, not a second one";
}

// In separate processes: the thread ends before the driver does.
TEST_F(DelegatePinsContextTest, TheProcessMayEnd) {
  for (const char* test :
       {"DelegatePinsContextChildTest.DISABLED_LeftAtExit",
        "DelegatePinsContextChildTest.DISABLED_DeletedAtExit"}) {
    ExpectChildPasses(test);
  }
}

Life* PinOnce() {
  const ScopedEnvironment no_x("DISPLAY", "");
  Life* life = LiveOnce(MakePinning());
  EXPECT_NE(egl().GetCurrentContext(), EGL_NO_CONTEXT);
  return life;
}

TEST(DelegatePinsContextChildTest, DISABLED_LeftAtExit) {
  LeaveAtExit(PinOnce());
}

TEST(DelegatePinsContextChildTest, DISABLED_DeletedAtExit) {
  DeleteAtExit(PinOnce());
}

}  // namespace
}  // namespace gles_delegate::testing
