// labels: op delegate llvmpipe softpipe oldest_tflite
// An Invoke that fails, and the one after it: contexts that are reset or
// terminated, waits and fences that fail. Faults are injected where the driver
// is called.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "egl/context.h"
#include "egl/testing.h"
#include "tests/testing/child.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scoped_environment.h"
#include "tools/cases/model.h"
#include "tools/common/model_builder.h"
#include "tools/common/tflite_abi.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Context;
using ::gles_delegate::egl::egl;
using ::gles_delegate::egl::GlApi;
using ::gles_delegate::egl::ScopedGlOverride;

constexpr float kUntouched = 12345;

// The driver's answer when it is asked for resets, once the answer has
// been "none" this often.
GLenum g_reset = GL_NO_ERROR;
int g_calls_before = 0;
GLenum ResetStatus() {
  if (g_reset == GL_NO_ERROR || g_calls_before-- > 0) return GL_NO_ERROR;
  return std::exchange(g_reset, GLenum{GL_NO_ERROR});
}
void ResetAtCheck(GLenum reset, int calls_before) {
  g_reset = reset;
  g_calls_before = calls_before;
}

class DelegateLossTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    if (!TestContext()->device().Has("GL_KHR_robustness")) {
      GTEST_SKIP() << "this driver does not tell of resets (GL_KHR_robustness)";
    }
    model_ = LoadOrDie(ChainModel("can"));
    expected_ = CpuResult(*model_);
    ResetAtCheck(GL_NO_ERROR, 0);
    resets_ = std::make_unique<
        ScopedGlOverride<GlApi, decltype(GlApi::GetGraphicsResetStatusKHR)>>(
        &GlApi::GetGraphicsResetStatusKHR, ResetStatus);
  }

  // An Invoke that fails, writes nothing, and says something like `said`. (What
  // lies on the GPU, as zero_copy has it, the GPU may have written.)
  void ExpectFails(Interpreter* interpreter, const std::string& said) {
    const absl::Span<float> output = interpreter->output(0).data<float>();
    std::fill(output.begin(), output.end(), kUntouched);
    interpreter->TakeLog();
    EXPECT_EQ(TfLiteInterpreterInvoke(interpreter->get()), kTfLiteError);
    EXPECT_THAT(interpreter->log(), Contains(HasSubstr(said)));
    const TfLiteTensor& tensor = *interpreter->output(0).get();
    if (tensor.allocation_type == kTfLiteCustom) return;
    EXPECT_THAT(output, Each(kUntouched));
  }

  std::unique_ptr<Model> model_;
  std::vector<float> expected_;
  std::unique_ptr<
      ScopedGlOverride<GlApi, decltype(GlApi::GetGraphicsResetStatusKHR)>>
      resets_;
};

// The status is asked for before the Invoke's commands, and once the results
// are there: fences of a context that was reset are signalled, too.
TEST_F(DelegateLossTest, AResetFailsOneInvokeThatWritesNothing) {
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model_, delegate);
  for (int check = 0; check < 2; ++check) {
    ExpectClose(RunOnce(interpreter.get()), expected_);
    ResetAtCheck(GL_INNOCENT_CONTEXT_RESET_KHR, check);
    ExpectFails(interpreter.get(), "was reset by another context's commands");
    EXPECT_EQ(g_reset, GLenum{GL_NO_ERROR}) << "check " << check;
    ExpectClose(RunOnce(interpreter.get()), expected_);
    EXPECT_EQ(ReportOf(delegate)["contexts_lost"], check + 1);
  }
  EXPECT_THAT(interpreter->log(),
              Contains(AllOf(HasSubstr("WARNING"), HasSubstr("built again"))));
}

TEST_F(DelegateLossTest, AWorkerRecoversToo) {
  const DelegatePtr delegate = MakeDelegate(
      [](auto& options) { options.thread_mode = kTfLiteGlesThreadWorker; });
  auto interpreter = Applied(*model_, delegate);
  ResetAtCheck(GL_GUILTY_CONTEXT_RESET_KHR, 1);
  ExpectFails(interpreter.get(), "was reset by commands of this context");
  ExpectClose(RunOnce(interpreter.get()), expected_);
}

TEST_F(DelegateLossTest, AllPartitionsOfADelegateMoveToOneNewContext) {
  const DelegatePtr delegate = MakeDelegate();
  auto first = Applied(*model_, delegate), second = Applied(*model_, delegate);
  ExpectClose(RunOnce(first.get()), expected_);
  ResetAtCheck(GL_INNOCENT_CONTEXT_RESET_KHR, 0);
  ExpectFails(first.get(), "was reset");
  ExpectClose(RunOnce(second.get()), expected_);
  ExpectClose(RunOnce(first.get()), expected_);
  EXPECT_EQ(ReportOf(delegate)["contexts_lost"], 1);
  // One that is applied afterwards is in the new one, too.
  ExpectClose(RunOnce(Applied(*model_, delegate).get()), expected_);
  EXPECT_EQ(ReportOf(delegate)["contexts_lost"], 1);
}

TEST_F(DelegateLossTest, ALostContextIsReplacedWhereTensorsAreAllocatedAgain) {
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model_, delegate);
  ResetAtCheck(GL_INNOCENT_CONTEXT_RESET_KHR, 0);
  ExpectFails(interpreter.get(), "was reset");
  ASSERT_TRUE(interpreter->ResizeInput(0, {1, 9, 5, 5}).ok());
  const absl::Status allocated = interpreter->AllocateTensors();
  ASSERT_TRUE(allocated.ok()) << allocated;
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model_, 0, {1, 9, 5, 5}));
}

TEST_F(DelegateLossTest, FallbackToCpuTakesOverAfterThreeGuiltyResets) {
  const DelegatePtr delegate =
      MakeDelegate([](auto& options) { options.fallback_to_cpu = 1; });
  auto interpreter = Applied(*model_, delegate);
  for (int i = 0; i < 3; ++i) {
    ResetAtCheck(GL_UNKNOWN_CONTEXT_RESET_KHR, 1);
    ExpectFails(interpreter.get(), "was reset");
  }
  interpreter->TakeLog();
  for (int round = 0; round < 3; ++round) {
    const auto outputs = RunOnce(interpreter.get(), round);
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    EXPECT_EQ(*outputs, CpuResult(*model_, round)) << "not by the CPU";
  }
  EXPECT_THAT(interpreter->log(),
              Contains(AllOf(HasSubstr("3 Invokes in a row"),
                             HasSubstr("on the CPU"))));
}

TEST_F(DelegateLossTest, ABorrowedContextMustBeAppliedAgain) {
  const auto current = [](const Context& app) {
    ASSERT_TRUE(egl().MakeCurrent(app.display(), EGL_NO_SURFACE, EGL_NO_SURFACE,
                                  app.handle()));
  };
  const std::unique_ptr<Context> lost = std::move(Context::Create({})).value();
  const std::unique_ptr<Context> other = std::move(Context::Create({})).value();
  current(*lost);
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model_, delegate);
  EXPECT_EQ(ReportOf(delegate)["context"], "borrowed");
  ResetAtCheck(GL_INNOCENT_CONTEXT_RESET_KHR, 1);
  ExpectFails(interpreter.get(), "was reset");
  for (int i = 0; i < 2; ++i) {
    ExpectFails(interpreter.get(), "Apply the delegate again");
  }
  current(*other);
  auto again = Applied(*model_, delegate);
  EXPECT_EQ(ReportOf(delegate)["context"], "borrowed");
  ExpectClose(RunOnce(again.get()), expected_);
  again.reset();
  egl().MakeCurrent(other->display(), EGL_NO_SURFACE, EGL_NO_SURFACE,
                    EGL_NO_CONTEXT);
}

// States live on the GPU, and are gone with it.
TEST_F(DelegateLossTest, StatesBeginAgain) {
  model_ = LoadOrDie(
      cases::ModelOf("SVDF x=[1,2] f=const:f32[2,2](1,2,3,4) "
                     "t=const:f32[2,2](0.5,1,0.25,1) b=- s=state:[1,4] rank=1")
          .bytes);
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model_, delegate);
  const auto first = RunOnce(interpreter.get());
  const auto second = RunOnce(interpreter.get());
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_NE(*first, *second) << "the model has no state";
  ResetAtCheck(GL_INNOCENT_CONTEXT_RESET_KHR, 1);
  ExpectFails(interpreter.get(), "was reset");
  ExpectClose(RunOnce(interpreter.get()), *first);
  ExpectClose(RunOnce(interpreter.get()), *second);
}

// TFLite's own switch: where Invoke fails, TFLite takes all delegates away for
// good, runs on the CPU, and returns kTfLiteDelegateError with right outputs.
TEST_F(DelegateLossTest, TflitesOwnFallbackTakesTheDelegateAway) {
  const DelegatePtr delegate = MakeDelegate();
  TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreterOptionsSetEnableDelegateFallback(options, true);
  TfLiteInterpreterOptionsAddDelegate(options, delegate.get());
  TfLiteInterpreter* interpreter =
      TfLiteInterpreterCreate(model_->get(), options);
  ASSERT_NE(interpreter, nullptr);
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
  const auto values = InterpreterOrDie(*model_);
  ASSERT_TRUE(RunOnce(values.get()).ok());
  const std::vector<float> input = values->input(0).AsFloats();
  ASSERT_EQ(TfLiteTensorCopyFromBuffer(
                TfLiteInterpreterGetInputTensor(interpreter, 0), input.data(),
                input.size() * sizeof(float)),
            kTfLiteOk);
  const auto output = [&] {
    return TensorView(TfLiteInterpreterGetOutputTensor(interpreter, 0))
        .AsFloats();
  };
  EXPECT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
  ExpectClose(output(), expected_);
  ResetAtCheck(GL_INNOCENT_CONTEXT_RESET_KHR, 1);
  EXPECT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteDelegateError);
  EXPECT_EQ(output(), expected_) << "not by the CPU";
  EXPECT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
  EXPECT_EQ(output(), expected_) << "not by the CPU";
  TfLiteInterpreterDelete(interpreter);
  TfLiteInterpreterOptionsDelete(options);
}

int g_fences = 0;    // made and not deleted
int g_finishes = 0;  // of glFinish
bool g_fails = false;

// Between submit and wait: no fence stays, and what was submitted is waited
// for, as the next Invoke writes the same buffers.
TEST_F(DelegateLossTest, AWaitOrAFenceThatFailsLeavesNothingBehind) {
  g_fences = g_finishes = 0;
  g_fails = false;
  const ScopedGlOverride delete_sync(
      &GlApi::DeleteSync, +[](GLsync sync) {
        --g_fences;
        egl::driver_gl().DeleteSync(sync);
      });
  const ScopedGlOverride finish(
      &GlApi::Finish, +[] {
        ++g_finishes;
        egl::driver_gl().Finish();
      });
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model_, delegate);
  {
    const ScopedGlOverride fence(
        &GlApi::FenceSync, +[](GLenum condition, GLbitfield flags) {
          ++g_fences;
          return egl::driver_gl().FenceSync(condition, flags);
        });
    const ScopedGlOverride wait(
        &GlApi::ClientWaitSync,
        +[](GLsync sync, GLbitfield flags, GLuint64 nanoseconds) -> GLenum {
          if (g_fails) return GL_WAIT_FAILED;
          return egl::driver_gl().ClientWaitSync(sync, flags, nanoseconds);
        });
    ExpectClose(RunOnce(interpreter.get()), expected_);
    g_fails = true;
    g_finishes = 0;
    ExpectFails(interpreter.get(), "glClientWaitSync");
    g_fails = false;
    EXPECT_EQ(g_fences, 0);
    EXPECT_GT(g_finishes, 0);
    ExpectClose(RunOnce(interpreter.get()), expected_);
  }
  {
    const ScopedGlOverride fence(
        &GlApi::FenceSync,
        +[](GLenum, GLbitfield) -> GLsync { return nullptr; });
    g_finishes = 0;
    ExpectFails(interpreter.get(), "glFenceSync");
    EXPECT_GT(g_finishes, 0);
  }
  ExpectClose(RunOnce(interpreter.get()), expected_);
  EXPECT_EQ(ReportOf(delegate)["contexts_lost"], 0);
}

// Out of memory, while commands are carried out.
TEST_F(DelegateLossTest, AnErrorOfGlFailsOneInvokeThatWritesNothing) {
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model_, delegate);
  g_fails = true;
  {
    const ScopedGlOverride error(
        &GlApi::GetError, +[]() -> GLenum {
          return std::exchange(g_fails, false) ? GLenum{GL_OUT_OF_MEMORY}
                                               : egl::driver_gl().GetError();
        });
    ExpectFails(interpreter.get(), "GL_OUT_OF_MEMORY");
  }
  ExpectClose(RunOnce(interpreter.get()), expected_);
}

// A failed rebuild is tried again at the next Invoke.
TEST_F(DelegateLossTest, ACompilerThatFailsAfterALossMayRecover) {
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model_, delegate);
  ResetAtCheck(GL_INNOCENT_CONTEXT_RESET_KHR, 1);
  ExpectFails(interpreter.get(), "was reset");
  {
    const ScopedGlOverride no_program(
        &GlApi::CreateProgram, +[]() -> GLuint { return 0; });
    ExpectFails(interpreter.get(), "TfLiteGlesDelegate");
  }
  ExpectClose(RunOnce(interpreter.get()), expected_);
}

// In its own process: the display is the process's.
TEST_F(DelegateLossTest, ATerminatedDisplayIsOpenedAgain) {
  for (const char* test : {"DelegateLossChildTest.DISABLED_Terminate",
                           "DelegateLossChildTest.DISABLED_TerminateKept"}) {
    const ChildResult child = RunChild(test, {});
    EXPECT_EQ(child.exit_code, 0) << child.output;
    EXPECT_THAT(child.output, HasSubstr("1 test from"));
  }
}

void TerminateDisplay() {
  const std::unique_ptr<Context> same = std::move(Context::Create({})).value();
  const auto terminate = reinterpret_cast<EGLBoolean (*)(EGLDisplay)>(
      egl().GetProcAddress("eglTerminate"));
  ASSERT_TRUE(terminate(same->display()));
}

// A context that is current outlives its display.
TEST(DelegateLossChildTest, DISABLED_TerminateKept) {
  const ScopedEnvironment no_x("DISPLAY", "");
  const auto model = LoadOrDie(ChainModel("can"));
  const std::vector<float> expected = CpuResult(*model);
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model, delegate);
  ExpectClose(RunOnce(interpreter.get()), expected);
  TerminateDisplay();
  ExpectClose(RunOnce(interpreter.get()), expected);
  EXPECT_EQ(ReportOf(delegate)["contexts_lost"], 0);
  // Another delegate makes its own context current here, and the first one
  // cannot be made so again.
  const DelegatePtr next = MakeDelegate();
  ExpectClose(RunOnce(Applied(*model, next).get()), expected);
  EXPECT_EQ(TfLiteInterpreterInvoke(interpreter->get()), kTfLiteError);
  ExpectClose(RunOnce(interpreter.get()), expected);
  EXPECT_EQ(ReportOf(delegate)["contexts_lost"], 1);
}

TEST(DelegateLossChildTest, DISABLED_Terminate) {
  const auto model = LoadOrDie(ChainModel("can"));
  const std::vector<float> expected = CpuResult(*model);
  const DelegatePtr delegate = MakeDelegate(
      [](auto& options) { options.keep_context_current = kTfLiteGlesOff; });
  auto interpreter = Applied(*model, delegate);
  ExpectClose(RunOnce(interpreter.get()), expected);
  TerminateDisplay();
  EXPECT_EQ(TfLiteInterpreterInvoke(interpreter->get()), kTfLiteError);
  EXPECT_THAT(interpreter->log(), Contains(HasSubstr("EGLContext")));
  ExpectClose(RunOnce(interpreter.get()), expected);
  EXPECT_EQ(ReportOf(delegate)["contexts_lost"], 1);
}

}  // namespace
}  // namespace gles_delegate::testing
