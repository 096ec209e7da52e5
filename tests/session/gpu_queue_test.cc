// labels: egl llvmpipe softpipe
// The threads on which a session may work, with contexts of each kind, and the
// fences between a caller's context and a worker's.
#include "delegate/session/gpu_queue.h"

#include <memory>
#include <string>
#include <thread>

#include "egl/displays.h"
#include "egl/testing.h"
#include "gtest/gtest.h"
#include "tests/testing/app_context.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::EglApi;
using ::gles_delegate::egl::ScopedGlOverride;

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
  static absl::Status CheckElsewhere(const GpuQueue& queue) {
    absl::Status status;
    std::thread([&] { status = queue.CheckCaller(); }).join();
    return status;
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
  const absl::Status refused = CheckElsewhere(queue);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("must run on the same thread"));
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
  const absl::Status refused = CheckElsewhere(queue);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("Make that context current before Invoke"));
  app.Leave();
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
  const ScopedGlOverride<EglApi, decltype(EglApi::WaitSyncKHR)> waits(
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
                      if (auto s = queue.AwaitCaller(); !s.ok()) return s;
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
