// labels: unit sanitize only_oldest_tflite
// What TFLite 2.9 does when a delegate fails, seen with a fake one: this
// decides how ours reports a failure.
#include <cstdlib>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/two_negations.h"
#include "tools/common/model_builder.h"
#include "tools/common/tflite_abi.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate {
namespace {

using ::gles_delegate::testing::LoadOrEnd;
using ::gles_delegate::testing::TwoNegations;
using ::testing::Contains;
using ::testing::HasSubstr;

// A delegate that fails where it is told to. It claims both NEG nodes and
// computes them (so that its outputs are x + 1000, unlike the CPU's).
struct FakeDelegate {
  TfLiteStatus delegate_prepare = kTfLiteOk;  // TfLiteDelegate::Prepare
  // Whether Prepare fails after it replaced the nodes, not before.
  bool replace_first = false;
  TfLiteStatus kernel_prepare = kTfLiteOk;  // the kernel's prepare
  bool kernel_init_null = false;            // the kernel's init returns NULL
  TfLiteStatus kernel_invoke = kTfLiteOk;
  int64_t flags = kTfLiteDelegateFlagsNone;
  bool claims_nothing = false;

  int delegate_prepares = 0;
  int kernel_prepares = 0;
  int kernel_inits = 0;
  int kernel_frees = 0;
  TfLiteDelegate abi = {};
  TfLiteDelegate* Get();
};

FakeDelegate* FakeOf(const TfLiteNode* node) {
  return static_cast<FakeDelegate*>(node->delegate->data_);
}

TfLiteRegistration FakeKernel() {
  TfLiteRegistration kernel = {};
  kernel.init = [](TfLiteContext*, const char* buffer, size_t) -> void* {
    auto* params = reinterpret_cast<const TfLiteDelegateParams*>(buffer);
    auto* fake = static_cast<FakeDelegate*>(params->delegate->data_);
    ++fake->kernel_inits;
    return fake->kernel_init_null ? nullptr : fake;
  };
  kernel.free = [](TfLiteContext*, void* data) {
    if (data != nullptr) ++static_cast<FakeDelegate*>(data)->kernel_frees;
  };
  kernel.prepare = [](TfLiteContext* context, TfLiteNode* node) {
    FakeDelegate* fake = FakeOf(node);
    ++fake->kernel_prepares;
    if (fake->kernel_prepare != kTfLiteOk) {
      context->ReportError(context, "the fake kernel's reason");
    }
    return fake->kernel_prepare;
  };
  kernel.invoke = [](TfLiteContext* context, TfLiteNode* node) {
    FakeDelegate* fake = FakeOf(node);
    if (fake->kernel_invoke != kTfLiteOk) {
      context->ReportError(context, "the fake invoke's reason");
      return fake->kernel_invoke;
    }
    const TfLiteTensor& in = context->tensors[node->inputs->data[0]];
    TfLiteTensor& out = context->tensors[node->outputs->data[0]];
    for (size_t i = 0; i < out.bytes / sizeof(float); ++i) {
      out.data.f[i] = in.data.f[i] + 1000;
    }
    return kTfLiteOk;
  };
  kernel.custom_name = "FakeKernel";
  kernel.version = 1;
  return kernel;
}

TfLiteStatus FakePrepare(TfLiteContext* context, TfLiteDelegate* delegate) {
  auto* fake = static_cast<FakeDelegate*>(delegate->data_);
  ++fake->delegate_prepares;
  const bool fails = fake->delegate_prepare != kTfLiteOk;
  const bool replaces = !fails || fake->replace_first;
  if (replaces && !fake->claims_nothing) {
    TfLiteIntArray* plan = nullptr;
    TfLiteStatus status = context->GetExecutionPlan(context, &plan);
    if (status != kTfLiteOk) return status;
    TfLiteIntArray* nodes = TfLiteIntArrayCopy(plan);
    status = context->ReplaceNodeSubsetsWithDelegateKernels(
        context, FakeKernel(), nodes, delegate);
    TfLiteIntArrayFree(nodes);
    if (status != kTfLiteOk) return status;
  }
  if (fails) context->ReportError(context, "the fake delegate's reason");
  return fake->delegate_prepare;
}

TfLiteDelegate* FakeDelegate::Get() {
  abi.data_ = this;
  abi.Prepare = FakePrepare;
  abi.flags = flags;
  return &abi;
}

// Runs the interpreter: 1 + 1000 where the delegate computes, 1 on the CPU.
std::string Outcome(Interpreter* interpreter) {
  absl::Status status = interpreter->AllocateTensors();
  if (!status.ok()) return "AllocateTensors fails";
  const TensorView input = interpreter->input(0);
  status = input.WriteFloats(std::vector<float>(input.elements(), 1));
  if (!status.ok()) return "no input";
  status = interpreter->Invoke();
  if (!status.ok()) return "Invoke fails";
  return interpreter->output(0).AsFloats()[0] == 1 ? "CPU" : "delegate";
}

struct Applied {
  std::string status;   // TfLiteInterpreterCreate's or ModifyGraph's
  std::string outcome;  // what runs afterwards
  std::vector<std::string> log;
};

Applied Apply(FakeDelegate* fake, InterpreterOptions::Apply how) {
  static const auto& model = *LoadOrEnd(TwoNegations()).release();
  Applied result;
  InterpreterOptions options;
  options.apply = how;
  if (how == InterpreterOptions::Apply::kOptions) {
    options.delegate = fake->Get();
  }
  auto interpreter = Interpreter::Create(model, options);
  if (!interpreter.ok()) {
    result.status = std::string(interpreter.status().message());
    result.outcome = "no interpreter";
    return result;
  }
  result.status = "kTfLiteOk";
  if (how == InterpreterOptions::Apply::kModifyGraph) {
    result.status = StatusName(TfLiteInterpreterModifyGraphWithDelegate(
        (*interpreter)->get(), fake->Get()));
  }
  result.outcome = Outcome(interpreter->get());
  result.log = (*interpreter)->log();
  return result;
}

constexpr auto kByModify = InterpreterOptions::Apply::kModifyGraph;
constexpr auto kByOptions = InterpreterOptions::Apply::kOptions;

// Every way to fail that TFLite can see.
constexpr TfLiteStatus kFailures[] = {kTfLiteError, kTfLiteDelegateError,
                                      kTfLiteApplicationError,
                                      kTfLiteUnresolvedOps};

std::vector<FakeDelegate> FailingDelegates(int64_t flags) {
  std::vector<FakeDelegate> fakes;
  for (TfLiteStatus failure : kFailures) {
    FakeDelegate fake;
    fake.flags = flags;
    fake.delegate_prepare = failure;
    fakes.push_back(fake);
    fake.replace_first = true;
    fakes.push_back(fake);
    FakeDelegate kernel;
    kernel.flags = flags;
    kernel.kernel_prepare = failure;
    fakes.push_back(kernel);
  }
  return fakes;
}

// ModifyGraphWithDelegate: whatever status the delegate or its kernel's prepare
// returns becomes kTfLiteDelegateError, TFLite puts the plan back, the CPU
// runs, and the reason that the delegate reported is in the log.
TEST(DelegateFailureTest, ModifyGraphFallsBackToTheCpu) {
  for (int64_t flags : {0, 1, 3}) {
    for (FakeDelegate& fake : FailingDelegates(flags)) {
      const Applied applied = Apply(&fake, kByModify);
      EXPECT_EQ(applied.status, "kTfLiteDelegateError");
      EXPECT_EQ(applied.outcome, "CPU");
      EXPECT_THAT(applied.log, Contains(HasSubstr("the fake")));
      EXPECT_THAT(applied.log,
                  Contains(HasSubstr("Restored original execution plan")));
      EXPECT_EQ(fake.kernel_frees, fake.kernel_inits);
    }
  }
}

// In the interpreter's options the same failures cost the interpreter itself:
// TfLiteInterpreterCreate returns NULL. So a delegate that wants the CPU to go
// on must return kTfLiteOk without replacing anything.
TEST(DelegateFailureTest, ByOptionsThereIsNoInterpreter) {
  for (int64_t flags : {0, 1, 3}) {
    for (FakeDelegate& fake : FailingDelegates(flags)) {
      const Applied applied = Apply(&fake, kByOptions);
      EXPECT_EQ(applied.outcome, "no interpreter");
      EXPECT_THAT(applied.status, HasSubstr("the fake"));
    }
  }
}

// A delegate that allows dynamic tensors has its kernel prepared later, where
// the failure belongs to AllocateTensors.
TEST(DelegateFailureTest, ByOptionsADynamicKernelFailsInAllocateTensors) {
  FakeDelegate fake;
  fake.flags = kTfLiteDelegateFlagsAllowDynamicTensors;
  fake.kernel_prepare = kTfLiteError;
  EXPECT_THAT(Apply(&fake, kByOptions).status,
              HasSubstr("AllocateTensors returned kTfLiteError"));
}

// Ok with nothing replaced is how both ways keep an interpreter.
TEST(DelegateFailureTest, OkWithoutNodesRunsOnTheCpu) {
  for (auto how : {kByModify, kByOptions}) {
    FakeDelegate fake;
    fake.claims_nothing = true;
    const Applied applied = Apply(&fake, how);
    EXPECT_EQ(applied.status, "kTfLiteOk");
    EXPECT_EQ(applied.outcome, "CPU");
  }
}

TEST(DelegateFailureTest, SuccessRunsOnTheDelegate) {
  for (auto how : {kByModify, kByOptions}) {
    FakeDelegate fake;
    const Applied applied = Apply(&fake, how);
    EXPECT_EQ(applied.status, "kTfLiteOk");
    EXPECT_EQ(applied.outcome, "delegate");
    EXPECT_EQ(fake.delegate_prepares, 1);
    EXPECT_EQ(fake.kernel_frees, 1);
  }
}

// TFLite does not look at what init returns; the kernel must fail in prepare.
TEST(DelegateFailureTest, NullFromInitIsNoFailure) {
  FakeDelegate fake;
  fake.kernel_init_null = true;
  EXPECT_EQ(Apply(&fake, kByModify).status, "kTfLiteOk");
}

// Invoke has no fallback in the C API.
TEST(DelegateFailureTest, InvokeFailsAndSaysWhy) {
  FakeDelegate fake;
  fake.kernel_invoke = kTfLiteDelegateError;
  const Applied applied = Apply(&fake, kByModify);
  EXPECT_EQ(applied.status, "kTfLiteOk");
  EXPECT_EQ(applied.outcome, "Invoke fails");
  EXPECT_THAT(applied.log, Contains("the fake invoke's reason"));
}

// After a failure, the next delegate has its turn.
TEST(DelegateFailureTest, AnotherDelegateAfterAFailure) {
  auto model = LoadOrEnd(TwoNegations());
  FakeDelegate bad, good;
  bad.delegate_prepare = kTfLiteError;
  auto interpreter = Interpreter::Create(*model);
  ASSERT_TRUE(interpreter.ok());
  EXPECT_FALSE((*interpreter)->ApplyDelegate(bad.Get()).ok());
  EXPECT_EQ(Outcome(interpreter->get()), "CPU");
  EXPECT_TRUE((*interpreter)->ApplyDelegate(good.Get()).ok());
  EXPECT_EQ(Outcome(interpreter->get()), "delegate");
  // And one that fails then takes the good one with it.
  EXPECT_FALSE((*interpreter)->ApplyDelegate(bad.Get()).ok());
  EXPECT_EQ(Outcome(interpreter->get()), "CPU");
}

// require_delegate = false: Create gives the CPU's interpreter and the reason.
TEST(DelegateFailureTest, CreateMayGoOnWithoutTheDelegate) {
  auto model = LoadOrEnd(TwoNegations());
  FakeDelegate fake;
  fake.delegate_prepare = kTfLiteError;
  InterpreterOptions options;
  options.delegate = fake.Get();
  EXPECT_FALSE(Interpreter::Create(*model, options).ok());
  options.require_delegate = false;
  auto interpreter = Interpreter::Create(*model, options);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  EXPECT_THAT(std::string((*interpreter)->delegate_status().message()),
              HasSubstr("the fake delegate's reason"));
  EXPECT_EQ(Outcome(interpreter->get()), "CPU");
}

// A resize undoes the delegation, and AllocateTensors asks the delegate again.
// It returns the failure once, and the next one has the CPU's plan. A delegate
// that allows dynamic tensors keeps its nodes: there the failure is for good.
TEST(DelegateFailureTest, ResizeAppliesTheDelegateAgain) {
  for (int64_t flags : {0, 1}) {
    auto model = LoadOrEnd(TwoNegations());
    FakeDelegate fake;
    fake.flags = flags;
    InterpreterOptions options;
    options.delegate = fake.Get();
    auto interpreter = Interpreter::Create(*model, options);
    ASSERT_TRUE(interpreter.ok());
    ASSERT_TRUE((*interpreter)->ResizeInput(0, {1, 2}).ok());
    EXPECT_EQ(Outcome(interpreter->get()), "delegate");
    const int prepares_before = fake.kernel_prepares;
    ASSERT_TRUE((*interpreter)->ResizeInput(0, {1, 4}).ok());
    ASSERT_TRUE((*interpreter)->AllocateTensors().ok());
    EXPECT_GT(fake.kernel_prepares, prepares_before);
    // With flag 1 the delegate itself is not asked again.
    EXPECT_EQ(fake.delegate_prepares, flags == 0 ? 2 : 1);
    fake.kernel_prepare = kTfLiteError;
    ASSERT_TRUE((*interpreter)->ResizeInput(0, {1, 6}).ok());
    const absl::Status allocated = (*interpreter)->AllocateTensors();
    EXPECT_THAT(std::string(allocated.message()),
                HasSubstr("the fake kernel's reason"));
    EXPECT_EQ(Outcome(interpreter->get()),
              flags == 0 ? "CPU" : "AllocateTensors fails");
  }
}

}  // namespace
}  // namespace gles_delegate
