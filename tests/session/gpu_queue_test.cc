// labels: egl llvmpipe softpipe
// The threads on which a session may work, with contexts of each kind, and the
// fences between a caller's context and a worker's.
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "base/status_macros.h"
#include "delegate/session/gpu.h"
#include "egl/open_display.h"
#include "egl/testing.h"
#include "tests/testing/app_context.h"
#include "tests/testing/device_test.h"
#include "tests/testing/make_context.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::EglApi;
using ::gles_delegate::egl::ScopedGlOverride;

template <typename T>
std::string Text(const char* kind, T id) {
  std::ostringstream out;
  out << kind << id;
  return out.str();
}

class GpuQueueTest : public DeviceTest {
 protected:
  // nullptr after a failure.
  static std::shared_ptr<Gpu> Make(const GpuOptions& options) {
    ContextOrError of_caller = absl::UnavailableError("none");
    if (options.worker_shares) of_caller = AdoptCurrent(true);
    auto gpu = MakeGpu(options, of_caller, [](const std::string&) {});
    EXPECT_TRUE(gpu.ok()) << gpu.status();
    return gpu.ok() ? *gpu : nullptr;
  }
  // On another thread, where `current` is current: an error that names both
  // threads.
  static std::string CheckElsewhere(const GpuQueue& queue,
                                    const egl::Context* current = nullptr) {
    absl::Status status;
    std::string other;
    const auto make_current = [&](EGLContext context) {
      if (current == nullptr) return;
      EXPECT_TRUE(egl::egl().MakeCurrent(current->display(), EGL_NO_SURFACE,
                                         EGL_NO_SURFACE, context));
    };
    std::thread([&] {
      other = Text("thread ", std::this_thread::get_id());
      make_current(current == nullptr ? EGL_NO_CONTEXT : current->handle());
      status = queue.CheckCaller();
      make_current(EGL_NO_CONTEXT);
    }).join();
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr(other),
                      HasSubstr(Text("thread ", std::this_thread::get_id()))));
    return std::string(status.message());
  }

  // For replacements without captures.
  static inline int g_fences = 0;
};

TEST_F(GpuQueueTest, AnOwnContextHasOneThread) {
  GpuOptions options;
  options.force_own_context = true;
  const auto gpu = Make(options);
  ASSERT_NE(gpu, nullptr);
  GpuQueue queue(gpu, /*does_not_wait=*/false);
  EXPECT_FALSE(queue.CheckCaller().ok());
  queue.TakeThread();
  EXPECT_TRUE(queue.CheckCaller().ok());
  EXPECT_THAT(CheckElsewhere(queue), HasSubstr("must run on the same thread"));
  std::thread([&] { queue.TakeThread(); }).join();
  EXPECT_FALSE(queue.CheckCaller().ok());
}

TEST_F(GpuQueueTest, AnAppsContextHasTheThreadWhereItIsCurrent) {
  AppContext app;
  const auto gpu = Make({});
  ASSERT_NE(gpu, nullptr);
  ASSERT_FALSE(gpu->context->owned());
  GpuQueue queue(gpu, /*does_not_wait=*/false);
  queue.TakeThread();
  EXPECT_TRUE(queue.CheckCaller().ok());
  app.Leave();
  const auto names = [&](EGLContext current) {
    return AllOf(HasSubstr(Text("EGLContext ", current)),
                 HasSubstr(Text("EGLContext ", app.get().handle())),
                 HasSubstr("Make that context current before Invoke"));
  };
  EXPECT_THAT(CheckElsewhere(queue), names(EGL_NO_CONTEXT));
  const auto other = MakeContext();
  EXPECT_THAT(CheckElsewhere(queue, other.get()), names(other->handle()));
  // The thread that prepared it makes it current.
  EXPECT_TRUE(queue.CheckCaller().ok());
  std::thread([&] {
    app.MakeCurrent();
    EXPECT_TRUE(queue.CheckCaller().ok());
    app.Leave();
  }).join();
  app.MakeCurrent();
}

TEST_F(GpuQueueTest, FencesOrderAWorkersContextAndItsCallers) {
  AppContext app;
  GpuOptions options;
  options.has_worker = options.worker_shares = true;
  const auto gpu = Make(options);
  ASSERT_NE(gpu, nullptr);
  if (!egl::HasEglExtension(
          egl::egl().QueryString(app.get().display(), EGL_EXTENSIONS),
          "EGL_KHR_wait_sync")) {
    GTEST_SKIP() << "this EGL has no fences that the GPU waits for";
  }
  const ScopedGlOverride waits(
      &EglApi::WaitSyncKHR,
      +[](EGLDisplay display, EGLSyncKHR sync, EGLint flags) -> EGLint {
        ++g_fences;
        return egl::driver_egl().WaitSyncKHR(display, sync, flags);
      });
  for (const bool does_not_wait : {false, true}) {
    GpuQueue queue(gpu, does_not_wait);
    g_fences = 0;
    ASSERT_TRUE(queue.BeforeSubmit().ok());
    ASSERT_TRUE(gpu->context
                    ->Run([&]() -> absl::Status {
                      RETURN_IF_ERROR(queue.AwaitCaller());
                      EXPECT_EQ(g_fences, 1);
                      return queue.LetCallerAwait();
                    })
                    .ok());
    ASSERT_TRUE(queue.AfterWait().ok());
    // If Invoke waits, the results are there.
    EXPECT_EQ(g_fences, does_not_wait ? 2 : 1);
  }
}

TEST_F(GpuQueueTest, WithoutWaitingACallerNeedsAContext) {
  AppContext app;
  GpuOptions options;
  options.has_worker = options.worker_shares = true;
  const auto gpu = Make(options);
  ASSERT_NE(gpu, nullptr);
  GpuQueue waits(gpu, /*does_not_wait=*/false), does_not(gpu, true);
  app.Leave();
  EXPECT_TRUE(waits.BeforeSubmit().ok());
  const absl::Status refused = does_not.BeforeSubmit();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  app.MakeCurrent();
  EXPECT_TRUE(does_not.BeforeSubmit().ok());
}

}  // namespace
}  // namespace gles_delegate::testing
