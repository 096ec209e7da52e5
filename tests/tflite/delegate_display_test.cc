// labels: op egl delegate llvmpipe softpipe
// TfLiteGlesDelegateCreateOnDisplay: a context of the delegate's own on the
// app's EGLDisplay.
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "egl/context.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/watched_contexts.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Context;

class DelegateDisplayTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    model_ = LoadOrDie(ChainModel("can"));
    display_ = AnotherThanByDefault();
  }

  // A display that the delegate would not take by itself, if there is one.
  static EGLDisplay AnotherThanByDefault() {
    const auto by_default = Context::Create({});
    EXPECT_TRUE(by_default.ok()) << by_default.status();
    EGLDisplay found = (*by_default)->display();
    const ScopedEnvironment any("GLES_DELEGATE_DEVICE", "");
    for (const auto& report : egl::ListDisplays()) {
      const auto context = Context::Create({std::to_string(report.index)});
      if (!context.ok() ||
          (*context)->device().renderer != (*by_default)->device().renderer) {
        continue;
      }
      if ((*context)->display() != found) return (*context)->display();
    }
    return found;
  }

  // Where the contexts were made that a life of a delegate on `display` takes.
  std::set<EGLDisplay> DisplaysOf(
      void* display, int mode,
      const std::function<void(TfLiteGlesDelegateOptions&)>& configure = {}) {
    const WatchedContexts contexts;
    TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
    options.thread_mode = mode;
    if (configure) configure(options);
    const DelegatePtr delegate(
        TfLiteGlesDelegateCreateOnDisplay(&options, display),
        TfLiteGlesDelegateDelete);
    auto interpreter = Applied(*model_, delegate);
    EXPECT_EQ(ReportOf(delegate)["context"], "own");
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model_));
    log_ = interpreter->log();
    const std::vector<EGLDisplay> displays = contexts.displays();
    return {displays.begin(), displays.end()};
  }

  std::unique_ptr<Model> model_;
  EGLDisplay display_ = EGL_NO_DISPLAY;
  std::vector<std::string> log_;  // of the interpreter
};

TEST_F(DelegateDisplayTest, TheContextIsMadeThere) {
  for (const int mode : {kTfLiteGlesThreadCaller, kTfLiteGlesThreadWorker}) {
    EXPECT_THAT(DisplaysOf(display_, mode), ElementsAre(display_));
    EXPECT_THAT(log_, Not(Contains(HasSubstr("EGLDisplay is not used"))));
  }
  EXPECT_THAT(DisplaysOf(display_, kTfLiteGlesThreadWorker,
                         [](TfLiteGlesDelegateOptions& options) {
                           options.share_key = "of the display's test";
                         }),
              ElementsAre(display_));
}

TEST_F(DelegateDisplayTest, WithoutOneADisplayIsLookedFor) {
  EXPECT_THAT(DisplaysOf(nullptr, kTfLiteGlesThreadCaller), Not(IsEmpty()));
  EXPECT_THAT(log_, Not(Contains(HasSubstr("EGLDisplay is not used"))));
}

TEST_F(DelegateDisplayTest, OneThatEglDoesNotKnowIsNotUsed) {
  int no_display = 0;
  EXPECT_THAT(DisplaysOf(&no_display, kTfLiteGlesThreadCaller),
              Not(Contains(static_cast<EGLDisplay>(&no_display))));
  EXPECT_THAT(log_,
              Contains(AllOf(HasSubstr("the app's EGLDisplay is not used"),
                             HasSubstr("EGL_BAD_DISPLAY"))));
}

// `device` is the user's word, too.
TEST_F(DelegateDisplayTest, ADeviceByItsIndexGoesFirst) {
  const ScopedEnvironment first("GLES_DELEGATE_DEVICE", "0");
  if (!Context::Create({}).ok()) GTEST_SKIP() << "display 0 is none";
  DisplaysOf(display_, kTfLiteGlesThreadCaller);
  EXPECT_THAT(log_,
              Contains(HasSubstr("GLES_DELEGATE_DEVICE names display 0")));
}

TEST_F(DelegateDisplayTest, ADeviceByNameMustBeTheDisplays) {
  const auto context = Context::Create({});
  ASSERT_TRUE(context.ok());
  const ScopedEnvironment any("GLES_DELEGATE_DEVICE", "");
  const auto named = [&](const char* device) {
    return [device](TfLiteGlesDelegateOptions& options) {
      options.device = device;
    };
  };
  EXPECT_THAT(DisplaysOf(display_, kTfLiteGlesThreadCaller,
                         named((*context)->device().renderer.c_str())),
              ElementsAre(display_));
}

}  // namespace
}  // namespace gles_delegate::testing
