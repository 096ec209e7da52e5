// labels: egl llvmpipe softpipe
// Which display and device, and what is said where there is none.
#include <dlfcn.h>

#include <cstdio>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "egl/context.h"
#include "egl/objects.h"
#include "tests/testing/child.h"
#include "tests/testing/device_test.h"
#include "tests/testing/make_context.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Context;
using ::gles_delegate::egl::ContextOptions;
using ::gles_delegate::egl::DisplayReport;
using ::gles_delegate::egl::ListDisplays;

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
