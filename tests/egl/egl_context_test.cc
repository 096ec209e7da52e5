// labels: egl llvmpipe softpipe
// The delegate's own contexts, and contexts that it adopts from an app.
#include <dlfcn.h>

#include <cstdio>
#include <string>
#include <thread>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "base/status_macros.h"
#include "egl/context.h"
#include "egl/objects.h"
#include "tests/testing/child.h"
#include "tests/testing/device_test.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/make_context.h"
#include "tests/testing/matchers.h"
#include "tests/testing/pretended_resets.h"
#include "tests/testing/scoped_environment.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Context;
using ::gles_delegate::egl::DisplayReport;
using ::gles_delegate::egl::egl;
using ::gles_delegate::egl::gl;
using ::gles_delegate::egl::ListDisplays;

// Everything eglMakeCurrent sets, to compare.
struct Current {
  EGLenum api;
  EGLDisplay display;
  EGLSurface draw, read;
  EGLContext context;
  bool operator==(const Current& other) const {
    return api == other.api && display == other.display && draw == other.draw &&
           read == other.read && context == other.context;
  }
};

Current GetCurrent() {
  return {egl().QueryAPI(), egl().GetCurrentDisplay(),
          egl().GetCurrentSurface(EGL_DRAW), egl().GetCurrentSurface(EGL_READ),
          egl().GetCurrentContext()};
}

class ContextTest : public DeviceTest {};

TEST_F(ContextTest, IsMadeHeadlessAndLeavesNothingCurrent) {
  const Current before = GetCurrent();
  ASSERT_EQ(before.context, EGL_NO_CONTEXT);
  std::unique_ptr<Context> context = MakeContext();
  ASSERT_NE(context, nullptr);
  EXPECT_TRUE(GetCurrent() == before);
  EXPECT_TRUE(context->owned());
  EXPECT_FALSE(Context::HasCurrent());

  EGLContext seen = EGL_NO_CONTEXT;
  ASSERT_TRUE(context
                  ->Run([&] {
                    seen = egl().GetCurrentContext();
                    EXPECT_TRUE(Context::HasCurrent());
                    EXPECT_NE(gl().GetString(GL_VERSION), nullptr);
                    return absl::OkStatus();
                  })
                  .ok());
  EXPECT_EQ(seen, context->handle());
  EXPECT_TRUE(GetCurrent() == before);
}

TEST_F(ContextTest, RunReturnsWhatFnReturns) {
  const absl::Status status =
      TestContext()->Run([] { return absl::OutOfRangeError("mine"); });
  EXPECT_EQ(status, absl::OutOfRangeError("mine"));
  EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
}

TEST_F(ContextTest, NestedRunStaysInTheContext) {
  Context& context = *TestContext();
  const absl::Status status = context.Run([&] {
    EXPECT_EQ(context.Run([] { return absl::NotFoundError("inner"); }),
              absl::NotFoundError("inner"));
    EXPECT_EQ(egl().GetCurrentContext(), context.handle());
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
}

// The driver's action when a context is released: flush it, or nothing.
GLint ReleaseBehavior(Context& context) {
  GLint behavior = -1;
  EXPECT_TRUE(context
                  .Run([&] {
                    gl().GetIntegerv(GL_CONTEXT_RELEASE_BEHAVIOR_KHR,
                                     &behavior);
                    return absl::OkStatus();
                  })
                  .ok());
  return behavior;
}

TEST_F(ContextTest, LettingGoFlushesWhereOthersAreToSeeIt) {
  const std::unique_ptr<Context> alone = MakeContext();
  ASSERT_NE(alone, nullptr);
  GLES_SKIP_WITHOUT("GL_KHR_context_flush_control");
  EXPECT_EQ(ReleaseBehavior(*alone), GL_NONE);
  const auto sharing = Context::CreateSharing(*alone);
  ASSERT_TRUE(sharing.ok()) << sharing.status();
  int count = 0;
  const egl::Before<&egl::GlApi::Flush> flushes([&](auto...) { ++count; });
  const auto flushes_of = [&](Context& context) {
    count = 0;
    EXPECT_TRUE(context.Run([] { return absl::OkStatus(); }).ok());
    return count;
  };
  EXPECT_EQ(flushes_of(*alone), 0);
  EXPECT_EQ(flushes_of(**sharing), 1);
  alone->FlushWhenReleased();
  EXPECT_EQ(flushes_of(*alone), 1);
}

bool Exists(EGLDisplay display, EGLContext context) {
  EGLint type = 0;
  return egl().QueryContext(display, context, EGL_CONTEXT_CLIENT_TYPE, &type);
}

// NVIDIA's driver miscomputes in the others if one of them is destroyed.
TEST_F(ContextTest, SharingContextsAreRetiredAndTakenAgain) {
  std::unique_ptr<Context> first = MakeContext();
  ASSERT_NE(first, nullptr);
  auto second = Context::CreateSharing(*first);
  ASSERT_TRUE(second.ok()) << second.status();
  const EGLDisplay display = first->display();
  const EGLContext handle = (*second)->handle();
  (*second)->Pin();
  EXPECT_TRUE((*second)->Run([] { return absl::OkStatus(); }).ok());
  second->reset();
  EXPECT_TRUE(Exists(display, handle));
  second = Context::CreateSharing(*first);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ((*second)->handle(), handle);
  EXPECT_TRUE((*second)->Run([] { return absl::OkStatus(); }).ok());
  // The first of the group, too.
  const EGLContext first_handle = first->handle();
  first.reset();
  EXPECT_TRUE(Exists(display, first_handle));
  second->reset();
  EXPECT_FALSE(Exists(display, handle));
  EXPECT_FALSE(Exists(display, first_handle));
}

TEST_F(ContextTest, ARetiredContextThatIsCurrentElsewhereIsNotTaken) {
  const std::unique_ptr<Context> first = MakeContext();
  auto second = Context::CreateSharing(*first);
  ASSERT_TRUE(second.ok()) << second.status();
  const EGLContext handle = (*second)->handle();
  (*second)->Pin();
  absl::Notification kept, done;
  std::thread owner([&] {
    EXPECT_TRUE((*second)->Run([] { return absl::OkStatus(); }).ok());
    kept.Notify();
    done.WaitForNotification();
  });
  kept.WaitForNotification();
  second->reset();
  const auto third = Context::CreateSharing(*first);
  ASSERT_TRUE(third.ok()) << third.status();
  EXPECT_NE((*third)->handle(), handle);
  EXPECT_TRUE((*third)->Run([] { return absl::OkStatus(); }).ok());
  done.Notify();
  owner.join();
}

const char* NvidiaOf(EGLDisplay display, EGLint name) {
  return name == EGL_VENDOR ? "NVIDIA"
                            : egl::driver_egl().QueryString(display, name);
}

// A driver that must not destroy contexts: idle ones are used again, also those
// that were only looked at, unless they are lost.
TEST_F(ContextTest, IdleContextsAreUsedAgainOnNvidiasDriver) {
  const egl::Instead<&egl::EglApi::QueryString> nvidia(&NvidiaOf);
  std::unique_ptr<Context> context = MakeContext();
  ASSERT_NE(context, nullptr);
  const EGLDisplay display = context->display();
  const EGLContext first = context->handle();
  context.reset();
  EXPECT_TRUE(Exists(display, first));
  EXPECT_TRUE(Context::CanCreate({}).ok());
  ListDisplays();
  EXPECT_TRUE(Exists(display, first));
  context = MakeContext();
  EXPECT_EQ(context->handle(), first);
  const std::unique_ptr<Context> second = MakeContext();
  EXPECT_NE(second->handle(), first);
  EXPECT_NE(second->share_group(), context->share_group());
  context.reset();
  egl().DestroyContext(display, first);  // as if its display were terminated
  context = MakeContext();
  ASSERT_NE(context, nullptr);
  EXPECT_TRUE(context->Run([] { return absl::OkStatus(); }).ok());
}

TEST_F(ContextTest, AMadeContextCanBeMadeAgainAfterItIsDestroyed) {
  const EGLDisplay display = MakeContext()->display();
  // The display is shared and must have survived.
  EXPECT_NE(egl().QueryString(display, EGL_VERSION), nullptr);
  EXPECT_NE(MakeContext(), nullptr);
}

class ContextsTest : public DeviceTest {};

TEST_F(ContextsTest, ListingRestoresWhatWasCurrent) {
  const absl::Status status = TestContext()->Run([] {
    const Current before = GetCurrent();
    EXPECT_FALSE(ListDisplays().empty());
    EXPECT_TRUE(GetCurrent() == before);
    EXPECT_NE(MakeContext(), nullptr);
    EXPECT_TRUE(GetCurrent() == before);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(ContextsTest, TwoInterleaveOnOneThread) {
  std::unique_ptr<Context> first = MakeContext();
  std::unique_ptr<Context> second = MakeContext();
  ASSERT_TRUE(first != nullptr && second != nullptr);
  ASSERT_NE(first->handle(), second->handle());
  const absl::Status status = first->Run([&] {
    absl::Status inner = second->Run([&] {
      EXPECT_EQ(egl().GetCurrentContext(), second->handle());
      // Out to the first again, from within the second.
      return first->Run([&] {
        EXPECT_EQ(egl().GetCurrentContext(), first->handle());
        return absl::OkStatus();
      });
    });
    EXPECT_EQ(egl().GetCurrentContext(), first->handle());
    return inner;
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
}

TEST_F(ContextsTest, AContextOfAnotherDisplayIsRestored) {
  std::vector<std::unique_ptr<Context>> contexts;
  for (const DisplayReport& report : ListDisplays()) {
    if (!report.error.empty()) continue;
    contexts.push_back(MakeContext(absl::StrCat(report.index)));
    ASSERT_NE(contexts.back(), nullptr);
  }
  if (contexts.size() < 2) {
    GTEST_SKIP() << "only one display of this machine works";
  }
  ASSERT_NE(contexts[0]->display(), contexts[1]->display());
  const absl::Status status = contexts[0]->Run([&] {
    const Current before = GetCurrent();
    absl::Status inner = contexts[1]->Run([&] {
      EXPECT_EQ(egl().GetCurrentDisplay(), contexts[1]->display());
      return absl::OkStatus();
    });
    EXPECT_TRUE(GetCurrent() == before);
    return inner;
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(ContextsTest, TheBoundApiIsRestored) {
  const EGLenum before = egl().QueryAPI();
  if (!egl().BindAPI(EGL_OPENGL_API)) {
    GTEST_SKIP() << "this EGL has no desktop OpenGL to bind";
  }
  EXPECT_NE(MakeContext(), nullptr);
  EXPECT_EQ(egl().QueryAPI(), static_cast<EGLenum>(EGL_OPENGL_API));
  EXPECT_TRUE(TestContext()->Run([] { return absl::OkStatus(); }).ok());
  EXPECT_EQ(egl().QueryAPI(), static_cast<EGLenum>(EGL_OPENGL_API));
  egl().BindAPI(before);
}

TEST(ThreadsTest, ASecondThreadIsRefusedInWords) {
  GLES_SKIP_WITHOUT_DEVICE();
  Context& context = *TestContext();
  absl::Status elsewhere;
  bool ran = false;
  const absl::Status status = context.Run([&] {
    std::thread([&] {
      elsewhere = context.Run([&] {
        ran = true;
        return absl::OkStatus();
      });
    }).join();
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_FALSE(ran);
  EXPECT_EQ(elsewhere.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(elsewhere.message(), HasSubstr("current on another thread"));
  // Once it is released, another thread may have it.
  std::thread([&] {
    elsewhere = context.Run([] { return absl::OkStatus(); });
  }).join();
  EXPECT_TRUE(elsewhere.ok()) << elsewhere;
}

TEST(ThreadsTest, TwoThreadsWithContextsOfTheirOwn) {
  GLES_SKIP_WITHOUT_DEVICE();
  absl::Status statuses[2];
  auto work = [](absl::Status* status) {
    std::unique_ptr<Context> context = MakeContext();
    if (context == nullptr) return;
    for (int i = 0; i < 20 && status->ok(); ++i) {
      *status = context->Run([&] {
        const uint32_t sent = i;
        ASSIGN_OR_RETURN(egl::Buffer buffer,
                         egl::Buffer::Create(4, &sent, GL_STREAM_DRAW));
        uint32_t got = 0;
        absl::Status read = buffer.Read(
            0, absl::MakeSpan(reinterpret_cast<uint8_t*>(&got), sizeof(got)));
        if (read.ok() && got != sent) return absl::DataLossError("differs");
        return read;
      });
    }
  };
  std::thread first(work, &statuses[0]);
  std::thread second(work, &statuses[1]);
  first.join();
  second.join();
  EXPECT_TRUE(statuses[0].ok()) << statuses[0];
  EXPECT_TRUE(statuses[1].ok()) << statuses[1];
}

class ResetTest : public DeviceTest {};

TEST_F(ResetTest, IsAbortedAndFnDoesNotRun) {
  std::unique_ptr<Context> context = MakeContext();
  ASSERT_NE(context, nullptr);
  GLES_SKIP_WITHOUT("GL_KHR_robustness");
  bool ran = false;
  auto fn = [&] {
    ran = true;
    return absl::OkStatus();
  };
  absl::Status status;
  {
    const egl::Instead<&egl::GlApi::GetGraphicsResetStatusKHR> fault(
        [](auto...) { return GL_GUILTY_CONTEXT_RESET_KHR; });
    status = context->Run(fn);
  }
  EXPECT_FALSE(ran);
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(status.message(), HasSubstr("was reset by commands of this"));
  // The driver reports a reset once; the objects stay gone.
  EXPECT_EQ(context->Run(fn).code(), absl::StatusCode::kAborted);
  EXPECT_FALSE(ran);
  EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
}

TEST_F(ResetTest, IsIgnoredWhereTheEnvironmentSaysSo) {
  std::unique_ptr<Context> context = MakeContext();
  ASSERT_NE(context, nullptr);
  GLES_SKIP_WITHOUT("GL_KHR_robustness");
  const egl::Instead<&egl::GlApi::GetGraphicsResetStatusKHR> fault(
      [](auto...) { return GL_GUILTY_CONTEXT_RESET_KHR; });
  auto nothing = [] { return absl::OkStatus(); };
  {
    const ScopedDebug ignored("ignore_resets");
    EXPECT_TRUE(context->Run(nothing).ok());
  }
  EXPECT_EQ(context->Run(nothing).code(), absl::StatusCode::kAborted);
}

TEST_F(ResetTest, InTheMiddleOfFnTurnsItsFailureIntoAborted) {
  std::unique_ptr<Context> context = MakeContext();
  ASSERT_NE(context, nullptr);
  GLES_SKIP_WITHOUT("GL_KHR_robustness");
  PretendedResets resets;
  const absl::Status status = context->Run([&] {
    resets.Tell();
    return absl::InternalError("odd");
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("another context"), HasSubstr("odd")));
}

// The app's context, adopted while it is current.
std::unique_ptr<Context> Adopt(Context* app) {
  std::unique_ptr<Context> adopted;
  const absl::Status status = app->Run([&] {
    adopted = Context::AdoptCurrent().value();
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return adopted;
}

class AdoptTest : public DeviceTest {};

TEST_F(AdoptTest, WithoutACurrentContextIsFailedPrecondition) {
  EXPECT_EQ(Context::AdoptCurrent().status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(AdoptTest, DoesNotDestroyTheAppsContext) {
  std::unique_ptr<Context> app = MakeContext();
  ASSERT_NE(app, nullptr);
  const absl::Status status = app->Run([&] {
    ASSIGN_OR_RETURN(std::unique_ptr<Context> adopted, Context::AdoptCurrent());
    EXPECT_FALSE(adopted->owned());
    EXPECT_EQ(adopted->handle(), app->handle());
    EXPECT_EQ(adopted->device().renderer, app->device().renderer);
    adopted.reset();
    EXPECT_EQ(egl().GetCurrentContext(), app->handle());
    EXPECT_NE(gl().GetString(GL_VERSION), nullptr);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(AdoptTest, RunMakesTheAppsContextCurrentWhereItIsNot) {
  std::unique_ptr<Context> app = MakeContext();
  const std::unique_ptr<Context> adopted = Adopt(app.get());
  const absl::Status status = adopted->Run([&] {
    EXPECT_EQ(egl().GetCurrentContext(), app->handle());
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
}

TEST_F(AdoptTest, RunAfterTheAppDestroyedItsContextIsFailedPrecondition) {
  std::unique_ptr<Context> app = MakeContext();
  const std::unique_ptr<Context> adopted = Adopt(app.get());
  app.reset();
  const absl::Status status = adopted->Run([] { return absl::OkStatus(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("the app's EGLContext"),
                                      HasSubstr("EGL_BAD_CONTEXT")));
}

// Which display and device, and what is said where there is none.

using ::gles_delegate::egl::ContextOptions;

// The first display of ListDisplays() that works.
DisplayReport WorkingDisplay() {
  for (const DisplayReport& report : ListDisplays()) {
    if (report.error.empty()) return report;
  }
  ADD_FAILURE() << "no display works, though a context was made";
  return {};
}

class DeviceChoiceTest : public DeviceTest {};

TEST_F(DeviceChoiceTest, ByIndex) {
  const DisplayReport display = WorkingDisplay();
  std::unique_ptr<Context> context = MakeContext(absl::StrCat(display.index));
  ASSERT_NE(context, nullptr);
  EXPECT_EQ(context->device().renderer, display.renderer);
}

TEST_F(DeviceChoiceTest, ByPartOfTheRendererWithoutCase) {
  const DisplayReport display = WorkingDisplay();
  const std::string part = absl::AsciiStrToUpper(display.renderer.substr(0, 6));
  std::unique_ptr<Context> context = MakeContext(part);
  ASSERT_NE(context, nullptr);
  EXPECT_THAT(absl::AsciiStrToUpper(context->device().renderer),
              HasSubstr(part));
}

TEST_F(DeviceChoiceTest, ByDescription) {
  EXPECT_NE(MakeContext(WorkingDisplay().description), nullptr);
}

TEST_F(DeviceChoiceTest, ABadNameListsWhatThereIs) {
  ContextOptions options;
  options.device = "no such gpu";
  const absl::Status status = Context::Create(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("no such gpu"), HasSubstr("option `device`")));
  for (const DisplayReport& report : ListDisplays()) {
    EXPECT_THAT(status.message(), HasSubstr(absl::StrCat(report.index, ": ",
                                                         report.description)));
    EXPECT_THAT(
        status.message(),
        HasSubstr(report.error.empty() ? report.renderer : report.error));
  }
}

TEST_F(DeviceChoiceTest, AnIndexPastTheEndListsWhatThereIs) {
  ContextOptions options;
  options.device = "999";
  const absl::Status status = Context::Create(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("999"), HasSubstr(WorkingDisplay().description)));
}

// Run by RunChild() below: prints why there is no context.
TEST(ChildTest, DISABLED_CreatePrintsTheError) {
  const absl::StatusOr<std::unique_ptr<Context>> context = Context::Create({});
  if (context.ok()) {
    std::printf("made: %s\n", (*context)->device().renderer.c_str());
  } else {
    std::printf("%s\n", context.status().ToString().c_str());
  }
  std::printf("current: %d\n", Context::HasCurrent() ? 1 : 0);
  EXPECT_EQ(ListDisplays().empty(), false);
}

constexpr char kCreate[] = "ChildTest.DISABLED_CreatePrintsTheError";

TEST(NoDeviceTest, AMissingLibraryIsNamed) {
  const ChildResult child =
      RunChild(kCreate, {{"GLES_DELEGATE_EGL_LIBRARY", "libno_such_egl.so.7"}});
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_THAT(
      child.output,
      AllOf(HasSubstr("UNAVAILABLE"), HasSubstr("libno_such_egl.so.7"),
            HasSubstr("GLES_DELEGATE_EGL_LIBRARY"), HasSubstr("current: 0")));
}

TEST(NoDeviceTest, ALibraryThatIsNotEglIsRefused) {
  const ChildResult child =
      RunChild(kCreate, {{"GLES_DELEGATE_EGL_LIBRARY", "libm.so.6"}});
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_THAT(child.output,
              AllOf(HasSubstr("UNAVAILABLE"), HasSubstr("eglInitialize")));
}

TEST(NoDeviceTest, WithoutADriverEveryWayIsListed) {
  GLES_SKIP_WITHOUT_DEVICE();
  // glvnd then knows no vendor at all.
  const ChildResult child =
      RunChild(kCreate, {{"__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent"},
                         {"GLES_DELEGATE_DEVICE", ""}});
  EXPECT_EQ(child.exit_code, 0) << child.output;
  if (child.output.find("made:") != std::string::npos) {
    GTEST_SKIP() << "this libEGL does not look for drivers as glvnd does";
  }
  EXPECT_THAT(child.output,
              AllOf(HasSubstr("UNAVAILABLE"), HasSubstr("EGL devices: "),
                    HasSubstr("surfaceless: "), HasSubstr("GBM"),
                    HasSubstr("default display: "), HasSubstr("Install")));
}

TEST(NoDeviceTest, OnlyEs30NamesTheVersionFoundAndNeeded) {
  GLES_SKIP_WITHOUT_DEVICE();
  if (TestContext()->device().version.find("Mesa") == std::string::npos) {
    GTEST_SKIP() << "only Mesa can be told to pretend an older version";
  }
  const ChildResult child = RunChild(
      kCreate,
      {{"MESA_GLES_VERSION_OVERRIDE", "3.0"}, {"GLES_DELEGATE_DEVICE", ""}});
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_THAT(child.output,
              AllOf(HasSubstr("UNAVAILABLE"), HasSubstr("OpenGL ES 3.0 Mesa"),
                    HasSubstr("OpenGL ES 3.1 or later is needed")));
}

#ifdef OTHER_LLVM
// Run by RunChild() below: compiles beside another LLVM, or prints why not.
TEST(ChildTest, DISABLED_CompilesBesideAnotherLlvm) {
  ASSERT_NE(dlopen(OTHER_LLVM, RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror();
  const auto context = Context::Create({});
  absl::Status status = context.status();
  if (status.ok()) {
    status = (*context)->Run([] {
      return egl::Program::Compile(
                 "#version 310 es\n"
                 "layout(local_size_x = 1) in;\n"
                 "void main() {}\n",
                 "empty")
          .status();
    });
  }
  std::printf("compiled: %s\n", status.ToString().c_str());
}

TEST(NoDeviceTest, MesaUsesItsOwnLlvmBesideAnother) {
  GLES_SKIP_WITHOUT_DEVICE();
  if (!absl::StrContains(TestContext()->device().renderer, "LLVM")) {
    GTEST_SKIP() << "the driver does not compile by LLVM";
  }
  constexpr char kCompile[] = "ChildTest.DISABLED_CompilesBesideAnotherLlvm";
  const ChildResult good = RunChild(kCompile, {});
  EXPECT_EQ(good.exit_code, 0) << good.output;
  EXPECT_THAT(good.output, HasSubstr("compiled: OK"));
  const ChildResult bad = RunChild(kCompile, {{"LD_PRELOAD", OTHER_LLVM}});
  EXPECT_EQ(bad.exit_code, 0) << bad.output;
  EXPECT_THAT(bad.output,
              AllOf(HasSubstr("would crash in this process"),
                    HasSubstr("other_llvm"), HasSubstr("another GPU")));
}
#endif

TEST(NoDeviceTest, TheEnvironmentChoosesTheDevice) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ChildResult bad =
      RunChild(kCreate, {{"GLES_DELEGATE_DEVICE", "no such gpu"}});
  EXPECT_THAT(bad.output,
              AllOf(HasSubstr("UNAVAILABLE"),
                    HasSubstr("environment variable GLES_DELEGATE_DEVICE"),
                    HasSubstr("no such gpu")));
  const DisplayReport display = WorkingDisplay();
  const ChildResult good = RunChild(
      kCreate, {{"GLES_DELEGATE_DEVICE", absl::StrCat(display.index)}});
  EXPECT_THAT(good.output, HasSubstr(absl::StrCat("made: ", display.renderer)));
}

}  // namespace

}  // namespace gles_delegate::testing
