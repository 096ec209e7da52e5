// labels: egl llvmpipe softpipe
// A partition's life without an interpreter: built, run, moved to the CPU.
#include "delegate/session/session.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "delegate/session/gpu.h"
#include "egl/context.h"
#include "tests/testing/app_context.h"
#include "tests/testing/device_test.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/make_context.h"
#include "tests/testing/matchers.h"
#include "tests/testing/pretended_resets.h"
#include "tests/testing/session_case.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::After;
using ::gles_delegate::egl::Before;
using ::gles_delegate::egl::GlApi;
using ::gles_delegate::egl::Instead;

TEST_F(SessionTest, SubmitsAndWaits) {
  session_ = Make();
  ASSERT_TRUE(session_->Prepare(&host_).ok());
  EXPECT_TRUE(report_->was_built);
  // The first inference may build more: it is not split.
  auto ran = Submit(session_.get(), /*may_split=*/true);
  ASSERT_TRUE(ran.ok()) << ran.status();
  EXPECT_EQ(*ran, Ran::kDone);
  ExpectOutput();
  ran = Submit(session_.get(), /*may_split=*/true);
  ASSERT_TRUE(ran.ok()) << ran.status();
  ASSERT_EQ(*ran, Ran::kSubmitted);
  ASSERT_TRUE(session_->Wait(&host_).ok());
  ExpectOutput();
  EXPECT_THAT(host_.warnings, IsEmpty());
}

TEST_F(SessionTest, WithoutItsGraphItDoesNotRun) {
  session_ = MakeRun();
  session_->Forget();
  EXPECT_EQ(report_->executor, nullptr);
  EXPECT_TRUE(absl::IsInternal(Submit(session_.get()).status()));
  SetGraph(session_.get(), 5);
  ASSERT_TRUE(session_->Prepare(&host_).ok());
  ExpectRuns(session_.get());
}

TEST_F(SessionTest, BuiltLateItIsBuiltByTheFirstInference) {
  session_ = Make([](SessionSetup* setup) { setup->builds_late = true; });
  ASSERT_TRUE(session_->Prepare(&host_).ok());
  EXPECT_FALSE(report_->was_built);
  ExpectRuns(session_.get());
  EXPECT_TRUE(report_->was_built);
}

TEST_F(SessionTest, AnotherThreadIsRefused) {
  session_ = MakeRun();
  absl::Status status;
  std::thread([&] { status = Submit(session_.get()).status(); }).join();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("the same thread"));
  ExpectRuns(session_.get());
  // Prepared there, it runs there.
  std::thread([&] {
    EXPECT_TRUE(session_->Prepare(&host_).ok());
    ExpectRuns(session_.get());
  }).join();
  EXPECT_FALSE(Submit(session_.get()).ok());
}

TEST_F(SessionTest, WhatCannotBeBuiltRunsOnTheCpuUntilTheShapesChange) {
  session_ = Make();
  {
    const Instead<&GlApi::CreateProgram> broken([](auto...) { return 0; });
    const absl::Status built = session_->Prepare(&host_);
    ASSERT_FALSE(built.ok());
    // Not unless it may, and can.
    EXPECT_EQ(session_->FallBack(&host_, built), built);
    host_.may_fall_back = true;
    host_.cpu = absl::FailedPreconditionError("no kernel");
    EXPECT_THAT(std::string(session_->FallBack(&host_, built).message()),
                HasSubstr("no kernel"));
    EXPECT_FALSE(session_->is_on_cpu());
    host_.cpu = absl::OkStatus();
    ASSERT_TRUE(session_->FallBack(&host_, built).ok());
  }
  EXPECT_TRUE(session_->is_on_cpu());
  ASSERT_TRUE(session_->Prepare(&host_).ok());
  const auto ran = Submit(session_.get());
  ASSERT_TRUE(ran.ok()) << ran.status();
  EXPECT_EQ(*ran, Ran::kOnCpu);
  session_->Forget();
  EXPECT_EQ(report_->on_cpu, "");
  SetGraph(session_.get(), 2);
  ASSERT_TRUE(session_->Prepare(&host_).ok());
  ExpectRuns(session_.get());
}

TEST_F(SessionTest, AMemoryLimitMovesItToTheCpu) {
  session_ =
      Make([](SessionSetup* setup) { setup->options.memory_limit_bytes = 1; });
  const absl::Status reserved = session_->Reserve();
  EXPECT_TRUE(absl::IsResourceExhausted(reserved)) << reserved;
  ASSERT_TRUE(session_->ReserveAgain(&host_).ok());
  EXPECT_TRUE(session_->is_on_cpu());
  EXPECT_EQ(gpu_->reserved_bytes, 0);
}

TEST_F(SessionTest, AReservationEndsWithItsSession) {
  session_ = Make(
      [](SessionSetup* setup) { setup->options.memory_limit_bytes = 1 << 30; });
  ASSERT_TRUE(session_->Reserve().ok());
  const int64_t bytes = gpu_->reserved_bytes;
  EXPECT_GT(bytes, 0);
  ASSERT_TRUE(session_->Reserve().ok());
  EXPECT_EQ(gpu_->reserved_bytes, bytes);
  session_.reset();
  EXPECT_EQ(gpu_->reserved_bytes, 0);
}

TEST_F(SessionTest, ObjectsNeedTheAppsContext) {
  session_ = MakeRun();
  AppObject object;
  object.name = 1;
  session_->inputs()[0].object = object;
  session_->NoteObjects();
  for (int i = 0; i < 2; ++i) {
    const absl::Status refused = Submit(session_.get()).status();
    EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
    EXPECT_THAT(std::string(refused.message()),
                HasSubstr("thread_mode: caller or worker_sharing"));
  }
  session_->inputs()[0].object.reset();
  session_->NoteObjects();
  ExpectRuns(session_.get());
}

TEST_F(SessionTest, LentMemoryIsNotCopied) {
  session_ = Make([](SessionSetup* setup) {
    setup->profile.choices.zero_copy = 1;
    setup->profile.choices.host_transfers = 0;
  });
  ASSERT_TRUE(session_->Prepare(&host_).ok());
  const size_t bytes = in_.size() * 4;
  EXPECT_EQ(
      session_->Lend(/*is_input=*/true, 0, bytes, /*has_custom_memory=*/true),
      nullptr);
  EXPECT_EQ(session_->Lend(/*is_input=*/true, 0, bytes - 4, false), nullptr);
  const auto lent = session_->Lend(/*is_input=*/true, 0, bytes, false);
  if (lent == nullptr) {
    EXPECT_FALSE(gpu_->context->device().Has("GL_EXT_buffer_storage"));
    GTEST_SKIP() << "no memory of this driver stays mapped";
  }
  std::copy(in_.begin(), in_.end(), reinterpret_cast<float*>(lent.get()));
  session_->inputs()[0].memory = {lent.get(), bytes, "x"};
  session_->outputs()[0].memory = {out_.data(), bytes, "y"};
  const auto ran = session_->Submit(&host_, false);
  ASSERT_TRUE(ran.ok()) << ran.status();
  ExpectOutput();
}

// Memory in a buffer of the session's context is used where it is; that of
// another context is memory like any other.
TEST_F(SessionTest, MappedBuffersAreNotCopied) {
  session_ = Make([](SessionSetup* setup) {
    setup->profile.choices.zero_copy = 1;
    setup->profile.choices.host_transfers = 0;
  });
  ASSERT_TRUE(session_->Prepare(&host_).ok());
  if (session_->ZeroCopyTensors().empty()) {
    GTEST_SKIP() << "no memory of this driver stays mapped";
  }
  EXPECT_EQ(session_->ZeroCopyTensors(), std::vector<int>({0, 1}));
  const size_t bytes = in_.size() * sizeof(float);
  TensorBuffer buffer(bytes);
  const GpuPlace place = {gpu_, nullptr};
  ASSERT_TRUE(buffer.Lock(/*reads=*/true, /*writes=*/false, &place).ok());
  buffer.Unlock();
  auto mapped = buffer.Lock(/*reads=*/true, /*writes=*/true, &place);
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  std::copy(in_.begin(), in_.end(), static_cast<float*>(mapped->data));
  const std::vector<float> poison(in_.size(), -9);
  for (const bool is_here : {true, false}) {
    HostMemory memory = *mapped;
    memory.data = const_cast<float*>(poison.data());
    if (!is_here) memory.context = TestContext();
    session_->inputs()[0].memory = memory;
    session_->outputs()[0].memory = {out_.data(), bytes, "y"};
    const auto ran = session_->Submit(&host_, false);
    ASSERT_TRUE(ran.ok()) << ran.status();
    if (is_here) {
      ExpectOutput();
    } else {
      EXPECT_THAT(out_, Each(0.0f));
    }
  }
}

TEST_F(SessionTest, ZeroCopyIsOfTensorsThatAreAwaited) {
  session_ = Make([](SessionSetup* setup) {
    setup->profile.choices.zero_copy = 1;
    setup->profile.choices.host_transfers = 0;
    setup->options.does_not_wait = true;
  });
  EXPECT_THAT(session_->ZeroCopyTensors(), IsEmpty());
}

TEST_F(SessionTest, TheBaselinePlanGivesWayToTheOptimizedOne) {
  session_ = Make([](SessionSetup* setup) {
    setup->profile.options.startup = Startup::kTiered;
  });
  ASSERT_TRUE(session_->Prepare(&host_).ok());
  const BackgroundReport& background = report_->background;
  ASSERT_EQ(background.state, "waiting") << background.reason;
  const auto start = std::chrono::steady_clock::now();
  while (background.state != "done") {
    ExpectRuns(session_.get());
    ASSERT_THAT(background.state, Not("failed")) << background.reason;
    ASSERT_LT(std::chrono::steady_clock::now() - start,
              std::chrono::minutes(1));
  }
  ExpectRuns(session_.get());
  EXPECT_GE(background.baseline_inferences, 1);
  // Compiled programs need no other baseline plan.
  session_->Forget();
  SetGraph(session_.get(), 4);
  ASSERT_TRUE(session_->Prepare(&host_).ok());
  EXPECT_EQ(background.state, "off");
  EXPECT_EQ(background.reason, "most programs were compiled before the resize");
  ExpectRuns(session_.get());
}

// Sessions whose context is lost: faults where the driver is asked for resets.

class SessionLossTest : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    GLES_SKIP_WITHOUT("GL_KHR_robustness");
    // Only inferences dispatch shaders.
    checks_itself_ = false;
    resets_.emplace();
    dispatches_.emplace([this](auto...) {
      if (reset_by_dispatch_ == GL_NO_ERROR) return;
      resets_->Tell(std::exchange(reset_by_dispatch_, GLenum{GL_NO_ERROR}));
    });
  }
  void TearDown() override {
    session_.reset();
    resets_.reset();
    dispatches_.reset();
  }

  // Inferences that end with such resets, and write nothing.
  void Fail(Session* session, GLenum reset, int times) {
    for (int i = 0; i < times; ++i) {
      reset_by_dispatch_ = reset;
      const auto ran = Submit(session);
      EXPECT_TRUE(absl::IsAborted(ran.status())) << ran.status();
      EXPECT_THAT(out_, Each(-1.0f));
    }
  }

  std::optional<PretendedResets> resets_;
  // The reset that the driver reports after the next dispatch.
  GLenum reset_by_dispatch_ = GL_NO_ERROR;
  std::optional<After<&GlApi::DispatchCompute>> dispatches_;
};

TEST_F(SessionLossTest, ALostContextIsReplaced) {
  session_ = MakeRun();
  const auto second = MakeRun();
  Fail(session_.get(), GL_INNOCENT_CONTEXT_RESET_KHR, 1);
  EXPECT_THAT(host_.warnings, IsEmpty());
  ExpectRuns(session_.get());
  ExpectRuns(second.get());
  EXPECT_EQ(gpu_->losses, 1);
  EXPECT_THAT(host_.warnings, SizeIs(2));
  EXPECT_THAT(host_.warnings, Each(HasSubstr("was lost; the partition of")));
}

TEST_F(SessionLossTest, ALossBetweenSubmitAndWaitIsRecoveredFrom) {
  session_ = MakeRun();
  const auto ran = Submit(session_.get(), /*may_split=*/true);
  ASSERT_TRUE(ran.ok()) << ran.status();
  ASSERT_EQ(*ran, Ran::kSubmitted);
  resets_->Tell(GL_GUILTY_CONTEXT_RESET_KHR);
  const absl::Status waited = session_->Wait(&host_);
  EXPECT_TRUE(absl::IsAborted(waited)) << waited;
  EXPECT_THAT(out_, Each(-1.0f));
  ExpectRuns(session_.get());
}

TEST_F(SessionLossTest, ResetsThatOthersCausedAreNotCounted) {
  session_ = MakeRun();
  Fail(session_.get(), GL_INNOCENT_CONTEXT_RESET_KHR,
       Session::kMaxGuiltyResets + 2);
  ExpectRuns(session_.get());
}

TEST_F(SessionLossTest, ThreeGuiltyResetsInARowAreEnough) {
  session_ = MakeRun();
  Fail(session_.get(), GL_GUILTY_CONTEXT_RESET_KHR, 2);
  ExpectRuns(session_.get());
  Fail(session_.get(), GL_GUILTY_CONTEXT_RESET_KHR, 3);
  for (int i = 0; i < 2; ++i) {
    const absl::Status refused = Submit(session_.get()).status();
    EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
    EXPECT_THAT(
        std::string(refused.message()),
        AllOf(HasSubstr("3 Invokes in a row"), HasSubstr("not tried again"),
              HasSubstr("fallback_to_cpu")));
  }
  // Another one is not to blame.
  ExpectRuns(MakeRun().get());
  // Nor are other shapes.
  session_->Forget();
  SetGraph(session_.get(), 3);
  ASSERT_TRUE(session_->Prepare(&host_).ok());
  ExpectRuns(session_.get());
}

TEST_F(SessionLossTest, AfterThemTheCpuTakesOverIfItMay) {
  host_.may_fall_back = true;
  session_ = MakeRun();
  Fail(session_.get(), GL_UNKNOWN_CONTEXT_RESET_KHR, 3);
  for (int i = 0; i < 2; ++i) {
    const auto ran = Submit(session_.get());
    ASSERT_TRUE(ran.ok()) << ran.status();
    EXPECT_EQ(*ran, Ran::kOnCpu);
  }
  EXPECT_TRUE(session_->is_on_cpu());
  EXPECT_THAT(report_->on_cpu, HasSubstr("3 Invokes in a row"));
  EXPECT_THAT(host_.warnings.back(), HasSubstr("it runs on the CPU"));
}

// The threads on which a session may work, with contexts of each kind, and the
// fences between a caller's context and a worker's.

using ::gles_delegate::egl::EglApi;

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
  int fences = 0;
  const Before<&EglApi::WaitSyncKHR> waits([&](auto...) { ++fences; });
  for (const bool does_not_wait : {false, true}) {
    GpuQueue queue(gpu, does_not_wait);
    fences = 0;
    ASSERT_TRUE(queue.BeforeSubmit().ok());
    ASSERT_TRUE(gpu->context
                    ->Run([&]() -> absl::Status {
                      RETURN_IF_ERROR(queue.AwaitCaller());
                      EXPECT_EQ(fences, 1);
                      return queue.LetCallerAwait();
                    })
                    .ok());
    ASSERT_TRUE(queue.AfterWait().ok());
    // If Invoke waits, the results are there.
    EXPECT_EQ(fences, does_not_wait ? 2 : 1);
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
