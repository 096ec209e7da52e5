// labels: op delegate llvmpipe softpipe oldest_tflite
// An Invoke that fails, and the one after it: contexts that are reset or
// terminated, waits and fences that fail. Faults are injected where the driver
// is called.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "egl/context.h"
#include "tests/testing/app_context.h"
#include "tests/testing/child.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/matchers.h"
#include "tests/testing/pretended_resets.h"
#include "tests/testing/scoped_environment.h"
#include "tools/common/tflite_abi.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Before;
using ::gles_delegate::egl::Context;
using ::gles_delegate::egl::egl;
using ::gles_delegate::egl::GlApi;
using ::gles_delegate::egl::Instead;

constexpr float kUntouched = 12345;

class DelegateLossTest : public ChainTest {
 protected:
  void SetUp() override {
    ChainTest::SetUp();
    if (IsSkipped()) return;
    GLES_SKIP_WITHOUT("GL_KHR_robustness");
    resets_.emplace();
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

  std::optional<PretendedResets> resets_;
};

// The status is asked for before the Invoke's commands, and once the results
// are there: fences of a context that was reset are signalled, too.
TEST_F(DelegateLossTest, AResetFailsOneInvokeThatWritesNothing) {
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model_, delegate);
  for (int check = 0; check < 2; ++check) {
    ExpectClose(RunOnce(interpreter.get()), expected_);
    resets_->Tell(GL_INNOCENT_CONTEXT_RESET_KHR, check);
    ExpectFails(interpreter.get(), "was reset by another context's commands");
    EXPECT_TRUE(resets_->has_told()) << "check " << check;
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
  resets_->Tell(GL_GUILTY_CONTEXT_RESET_KHR, 1);
  ExpectFails(interpreter.get(), "was reset by commands of this context");
  ExpectClose(RunOnce(interpreter.get()), expected_);
}

TEST_F(DelegateLossTest, AllPartitionsOfADelegateMoveToOneNewContext) {
  const DelegatePtr delegate = MakeDelegate();
  auto first = Applied(*model_, delegate), second = Applied(*model_, delegate);
  ExpectClose(RunOnce(first.get()), expected_);
  resets_->Tell(GL_INNOCENT_CONTEXT_RESET_KHR, 0);
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
  resets_->Tell(GL_INNOCENT_CONTEXT_RESET_KHR, 0);
  ExpectFails(interpreter.get(), "was reset");
  Resize(interpreter.get(), {1, 9, 5, 5});
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model_, 0, {1, 9, 5, 5}));
}

TEST_F(DelegateLossTest, FallbackToCpuTakesOverAfterThreeGuiltyResets) {
  const DelegatePtr delegate =
      MakeDelegate([](auto& options) { options.fallback_to_cpu = 1; });
  auto interpreter = Applied(*model_, delegate);
  for (int i = 0; i < 3; ++i) {
    resets_->Tell(GL_UNKNOWN_CONTEXT_RESET_KHR, 1);
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
  AppContext other, lost;
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model_, delegate);
  EXPECT_EQ(ReportOf(delegate)["context"], "borrowed");
  resets_->Tell(GL_INNOCENT_CONTEXT_RESET_KHR, 1);
  ExpectFails(interpreter.get(), "was reset");
  for (int i = 0; i < 2; ++i) {
    ExpectFails(interpreter.get(), "Apply the delegate again");
  }
  other.MakeCurrent();
  auto again = Applied(*model_, delegate);
  EXPECT_EQ(ReportOf(delegate)["context"], "borrowed");
  ExpectClose(RunOnce(again.get()), expected_);
}

// States live on the GPU, and are gone with it.
TEST_F(DelegateLossTest, StatesBeginAgain) {
  model_ = LoadCase(
      "SVDF x=[1,2] f=const:f32[2,2](1,2,3,4) "
      "t=const:f32[2,2](0.5,1,0.25,1) b=- s=state:[1,4] rank=1");
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model_, delegate);
  const auto first = RunOnce(interpreter.get());
  const auto second = RunOnce(interpreter.get());
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_NE(*first, *second) << "the model has no state";
  resets_->Tell(GL_INNOCENT_CONTEXT_RESET_KHR, 1);
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
  resets_->Tell(GL_INNOCENT_CONTEXT_RESET_KHR, 1);
  EXPECT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteDelegateError);
  EXPECT_EQ(output(), expected_) << "not by the CPU";
  EXPECT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteOk);
  EXPECT_EQ(output(), expected_) << "not by the CPU";
  TfLiteInterpreterDelete(interpreter);
  TfLiteInterpreterOptionsDelete(options);
}

// Between submit and wait: no fence stays, and what was submitted is waited
// for, as the next Invoke writes the same buffers.
TEST_F(DelegateLossTest, AWaitOrAFenceThatFailsLeavesNothingBehind) {
  int fences = 0;    // made and not deleted
  int finishes = 0;  // of glFinish
  bool fails = false;
  const Before<&GlApi::DeleteSync> delete_sync([&](auto...) { --fences; });
  const Before<&GlApi::Finish> finish([&](auto...) { ++finishes; });
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model_, delegate);
  {
    const Before<&GlApi::FenceSync> fence([&](auto...) { ++fences; });
    const Instead<&GlApi::ClientWaitSync> wait([&](auto... of) -> GLenum {
      if (fails) return GL_WAIT_FAILED;
      return egl::driver_gl().ClientWaitSync(of...);
    });
    ExpectClose(RunOnce(interpreter.get()), expected_);
    fails = true;
    finishes = 0;
    ExpectFails(interpreter.get(), "glClientWaitSync");
    fails = false;
    EXPECT_EQ(fences, 0);
    EXPECT_GT(finishes, 0);
    ExpectClose(RunOnce(interpreter.get()), expected_);
  }
  {
    const Instead<&GlApi::FenceSync> fence([](auto...) { return nullptr; });
    finishes = 0;
    ExpectFails(interpreter.get(), "glFenceSync");
    EXPECT_GT(finishes, 0);
  }
  ExpectClose(RunOnce(interpreter.get()), expected_);
  EXPECT_EQ(ReportOf(delegate)["contexts_lost"], 0);
}

// Out of memory, while commands are carried out.
TEST_F(DelegateLossTest, AnErrorOfGlFailsOneInvokeThatWritesNothing) {
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model_, delegate);
  bool fails = true;
  {
    const Instead<&GlApi::GetError> error([&](auto...) {
      return std::exchange(fails, false) ? GLenum{GL_OUT_OF_MEMORY}
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
  resets_->Tell(GL_INNOCENT_CONTEXT_RESET_KHR, 1);
  ExpectFails(interpreter.get(), "was reset");
  {
    const Instead<&GlApi::CreateProgram> no_program([](auto...) { return 0; });
    ExpectFails(interpreter.get(), "TfLiteGlesDelegate");
  }
  ExpectClose(RunOnce(interpreter.get()), expected_);
}

// In its own process: the display is the process's.
TEST_F(DelegateLossTest, ATerminatedDisplayIsOpenedAgain) {
  for (const char* test : {"DelegateLossChildTest.DISABLED_Terminate",
                           "DelegateLossChildTest.DISABLED_TerminateKept"}) {
    ExpectChildPasses(test);
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
