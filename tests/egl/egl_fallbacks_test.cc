// labels: egl llvmpipe softpipe
// Drivers that offer less than Mesa does, played by the real one.
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "egl/context.h"
#include "tests/testing/device_test.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Before;
using ::gles_delegate::egl::Context;
using ::gles_delegate::egl::DisplayReport;
using ::gles_delegate::egl::driver_egl;
using ::gles_delegate::egl::driver_gl;
using ::gles_delegate::egl::egl;
using ::gles_delegate::egl::EglApi;
using ::gles_delegate::egl::gl;
using ::gles_delegate::egl::GlApi;
using ::gles_delegate::egl::Instead;
using ::gles_delegate::egl::ListDisplays;

class FallbackTest : public DeviceTest {};

// The display's extensions but for `hidden`, kept for the process's life.
const char* Without(const char* extensions, const char* hidden) {
  if (extensions == nullptr) return nullptr;
  std::vector<std::string> kept;
  for (absl::string_view word : absl::StrSplit(extensions, ' ')) {
    if (!absl::StrContains(word, hidden)) kept.emplace_back(word);
  }
  static auto* const texts = new std::set<std::string>;
  return texts->insert(absl::StrJoin(kept, " ")).first->c_str();
}

// eglQueryString for displays without `hidden`.
auto QueryWithout(const char* hidden) {
  return [hidden](EGLDisplay display, EGLint name) {
    const char* text = driver_egl().QueryString(display, name);
    return display != EGL_NO_DISPLAY && name == EGL_EXTENSIONS
               ? Without(text, hidden)
               : text;
  };
}

absl::Status CreateAndRun() {
  ASSIGN_OR_RETURN(std::unique_ptr<Context> context, Context::Create({}));
  absl::Status status = context->Run([] {
    return gl().GetString(GL_VERSION) != nullptr
               ? absl::OkStatus()
               : absl::InternalError("no context was current");
  });
  EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
  return status;
}

TEST_F(FallbackTest, WithoutSurfacelessContextsAPbufferIsMade) {
  int pbuffers = 0;
  const Instead<&EglApi::QueryString> hide(QueryWithout("surfaceless_context"));
  const Instead<&EglApi::CreatePbufferSurface> made(
      [&](EGLDisplay display, EGLConfig config, const EGLint* attributes) {
        EGLSurface surface =
            driver_egl().CreatePbufferSurface(display, config, attributes);
        if (surface != EGL_NO_SURFACE) ++pbuffers;
        return surface;
      });
  const Before<&EglApi::DestroySurface> destroyed([&](auto...) { --pbuffers; });
  absl::StatusOr<std::unique_ptr<Context>> context = Context::Create({});
  ASSERT_TRUE(context.ok()) << context.status();
  EXPECT_EQ(pbuffers, 1);
  const absl::Status status = (*context)->Run([] {
    EXPECT_NE(egl().GetCurrentSurface(EGL_DRAW), EGL_NO_SURFACE);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  context->reset();
  EXPECT_EQ(pbuffers, 0);
}

TEST_F(FallbackTest, WithoutConfiglessContextsAConfigIsChosen) {
  const Instead<&EglApi::QueryString> hide(QueryWithout("no_config"));
  const Before<&EglApi::CreateContext> create(
      [](EGLDisplay, EGLConfig config, auto...) {
        EXPECT_NE(config, EGL_NO_CONFIG_KHR);
      });
  const absl::Status status = CreateAndRun();
  EXPECT_TRUE(status.ok()) << status;
}

bool Asks(const EGLint* attributes, EGLint name) {
  for (; *attributes != EGL_NONE; attributes += 2) {
    if (*attributes == name) return true;
  }
  return false;
}

bool AsksRobust(const EGLint* attributes) {
  return Asks(attributes, EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT) ||
         Asks(attributes, EGL_CONTEXT_OPENGL_ROBUST_ACCESS);
}

TEST_F(FallbackTest, RobustnessIsAskedForAndDoneWithout) {
  if (!egl::HasEglExtension(
          egl().QueryString(TestContext()->display(), EGL_EXTENSIONS),
          "EGL_EXT_create_context_robustness")) {
    GTEST_SKIP() << "this driver offers no robust contexts to refuse";
  }
  int robust_attempts = 0;
  const Instead<&EglApi::CreateContext> refuse(
      [&](EGLDisplay display, EGLConfig config, EGLContext share,
          const EGLint* attributes) {
        if (!AsksRobust(attributes)) {
          return driver_egl().CreateContext(display, config, share, attributes);
        }
        ++robust_attempts;
        return EGL_NO_CONTEXT;
      });
  const absl::Status status = CreateAndRun();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_GT(robust_attempts, 0);
}

TEST_F(FallbackTest, ADisplayThatDoesNotStartIsPassedOver) {
  int working = 0;
  for (const DisplayReport& report : ListDisplays()) {
    working += report.error.empty();
  }
  if (working < 2) GTEST_SKIP() << "only one display of this machine works";
  const EGLDisplay first = TestContext()->display();
  const Instead<&EglApi::Initialize> fail([&](EGLDisplay display, EGLint* major,
                                              EGLint* minor) {
    return display == first ? EGL_FALSE
                            : driver_egl().Initialize(display, major, minor);
  });
  absl::StatusOr<std::unique_ptr<Context>> context = Context::Create({});
  ASSERT_TRUE(context.ok()) << context.status();
  EXPECT_NE((*context)->display(), first);
}

TEST_F(FallbackTest, HardwareAnywhereWinsOverSoftware) {
  std::vector<int> software;
  for (const DisplayReport& report : ListDisplays()) {
    if (report.error.empty() && !report.software) {
      GTEST_SKIP() << "this machine has hardware of its own";
    }
    if (report.error.empty()) software.push_back(report.index);
  }
  if (software.size() < 2) {
    GTEST_SKIP() << "only one display of this machine works";
  }
  for (const int index : software) {
    egl::ContextOptions by_index;
    by_index.device = absl::StrCat(index);
    // It pretends to be hardware.
    const EGLDisplay hardware =
        std::move(Context::Create(by_index)).value()->display();
    const Instead<&GlApi::GetString> pretend(
        [&](GLenum name) -> const GLubyte* {
          return name == GL_RENDERER && egl().GetCurrentDisplay() == hardware
                     ? reinterpret_cast<const GLubyte*>("Mesa Pretended GPU")
                     : driver_gl().GetString(name);
        });
    egl::ContextOptions any;
    any.device = "mesa";  // every one of them, whatever the environment says
    absl::StatusOr<std::unique_ptr<Context>> context = Context::Create(any);
    ASSERT_TRUE(context.ok()) << context.status();
    EXPECT_EQ((*context)->display(), hardware);
    EXPECT_EQ((*context)->device().renderer, "Mesa Pretended GPU");
  }
}

// The reason why the hardware was not taken is kept once software opens.
TEST_F(FallbackTest, TheHardwaresErrorsStandBesideSoftware) {
  if (!TestContext()->device().software) GTEST_SKIP() << "hardware";
  const Instead<&EglApi::QueryString> no_gbm(
      [](EGLDisplay display, EGLint name) {
        const char* text = driver_egl().QueryString(display, name);
        return display == EGL_NO_DISPLAY ? Without(text, "platform_gbm") : text;
      });
  absl::StatusOr<std::unique_ptr<Context>> context = Context::Create({});
  ASSERT_TRUE(context.ok()) << context.status();
  EXPECT_THAT((*context)->hardware_errors(),
              HasSubstr("GBM: this libEGL has no EGL_KHR_platform_gbm"));
  EXPECT_EQ(TestContext()->hardware_errors().find("not tried"),
            std::string::npos);

  egl::ContextOptions no_software;
  no_software.allow_software = false;
  const absl::Status declined = Context::Create(no_software).status();
  EXPECT_EQ(declined.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(declined.message()),
              ::testing::AllOf(HasSubstr("software rendering alone"),
                               HasSubstr("GBM: this libEGL has no"),
                               HasSubstr("device: hardware")));
}

TEST(AccessObstacleTest, SaysWhyANodeCannotBeOpened) {
  EXPECT_EQ(egl::AccessObstacle(""), "");
  EXPECT_EQ(egl::AccessObstacle("/dev/null"), "");
  EXPECT_EQ(egl::AccessObstacle("/dev/no-such-node"),
            "; cannot open /dev/no-such-node: No such file or directory");
}

// A device of hardware whose start fails, as where its render node may not be
// opened: EGL says EGL_NOT_INITIALIZED, the obstacle says why.
TEST_F(FallbackTest, AFailingDevicesRenderNodeIsLookedAt) {
  if (egl().QueryDevicesEXT == nullptr) GTEST_SKIP() << "no EGL devices";
  const Instead<&EglApi::QueryDeviceStringEXT> device(
      [](EGLDeviceEXT device, EGLint name) -> const char* {
        if (name == EGL_EXTENSIONS) return "EGL_EXT_device_drm_render_node";
        if (name == EGL_DRM_RENDER_NODE_FILE_EXT) return "/dev/no-such-node";
        return driver_egl().QueryDeviceStringEXT(device, name);
      });
  const Instead<&EglApi::Initialize> fail([](auto...) { return EGL_FALSE; });
  const std::vector<DisplayReport> reports = ListDisplays();
  ASSERT_FALSE(reports.empty());
  EXPECT_THAT(reports[0].description, HasSubstr("/dev/no-such-node"));
  EXPECT_THAT(reports[0].error,
              HasSubstr("cannot open /dev/no-such-node: No such file"));
}

TEST_F(FallbackTest, ALibraryWithoutClientExtensionsTriesTheDefaultDisplay) {
  const Instead<&EglApi::QueryString> old([](EGLDisplay display, EGLint name) {
    return display == EGL_NO_DISPLAY ? nullptr
                                     : driver_egl().QueryString(display, name);
  });
  const std::vector<DisplayReport> reports = ListDisplays();
  ASSERT_EQ(reports.size(), 4u);
  EXPECT_THAT(reports[0].error, HasSubstr("EGL_EXT_platform_device"));
  EXPECT_THAT(reports[1].error, HasSubstr("EGL_MESA_platform_surfaceless"));
  EXPECT_THAT(reports[2].error, HasSubstr("EGL_KHR_platform_gbm"));
  EXPECT_EQ(reports[3].description, "default display");
}

TEST_F(FallbackTest, AnAppsSurfaceMayGo) {
  EGLDisplay display = TestContext()->display();
  const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT,
                           EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (!egl().ChooseConfig(display, wanted, &config, 1, &count) || count < 1) {
    GTEST_SKIP() << "no config for pbuffers on this display";
  }
  const EGLint size[] = {EGL_WIDTH, 8, EGL_HEIGHT, 8, EGL_NONE};
  const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3,
                            EGL_CONTEXT_MINOR_VERSION, 1, EGL_NONE};
  EGLSurface surface = egl().CreatePbufferSurface(display, config, size);
  EGLContext app =
      egl().CreateContext(display, config, EGL_NO_CONTEXT, version);
  ASSERT_TRUE(egl().MakeCurrent(display, surface, surface, app));
  std::unique_ptr<Context> adopted = Context::AdoptCurrent().value();
  egl().MakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);

  EXPECT_TRUE(adopted
                  ->Run([&] {
                    EXPECT_EQ(egl().GetCurrentSurface(EGL_DRAW), surface);
                    return absl::OkStatus();
                  })
                  .ok());
  egl().DestroySurface(display, surface);
  const absl::Status status = adopted->Run([&] {
    EXPECT_EQ(egl().GetCurrentSurface(EGL_DRAW), EGL_NO_SURFACE);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
  egl().DestroyContext(display, app);
}

}  // namespace
}  // namespace gles_delegate::testing
