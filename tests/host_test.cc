// labels: unit sanitize
// Hosting TFLite: loading, errors, custom ops, delegates; and what TFLite 2.9
// does when a delegate fails, which decides how ours reports a failure.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/common/custom_ops.h"
#include "tools/common/model_builder.h"
#include "tools/common/tflite_abi.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y = -(-x), two NEG nodes.
std::vector<uint8_t> TwoNegations() {
  ModelBuilder builder;
  const int x = builder.AddInput("x", {1, 2});
  const int t = builder.AddTensor("t", {1, 2});
  const int y = builder.AddTensor("y", {1, 2});
  builder.AddOp(schema::BuiltinOperator::NEG, 1, {x}, {t});
  builder.AddOp(schema::BuiltinOperator::NEG, 1, {t}, {y});
  builder.SetOutputs({y});
  return builder.Finish();
}

std::unique_ptr<Model> LoadOrDie(std::vector<uint8_t> bytes) {
  auto model = Model::FromBuffer(std::move(bytes));
  if (!model.ok()) {
    ADD_FAILURE() << model.status();
    std::abort();
  }
  return *std::move(model);
}

TEST(ModelTest, NoSuchFile) {
  const auto model = Model::FromFile("no/such/model.tflite");
  EXPECT_EQ(model.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(model.status().message()),
              HasSubstr("no/such/model.tflite"));
}

TEST(ModelTest, NoModel) {
  const std::string text = "This is no model, but a sentence.";
  for (size_t size : {size_t{0}, size_t{4}, text.size()}) {
    const auto model = Model::FromBuffer({text.begin(), text.begin() + size});
    EXPECT_EQ(model.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(model.status().message()), HasSubstr("TFL3"));
  }
}

TEST(ModelTest, TruncatedAnywhere) {
  const std::vector<uint8_t> whole = TwoNegations();
  for (size_t size = 8; size < whole.size(); size += 4) {
    const auto model =
        Model::FromBuffer({whole.begin(), whole.begin() + size}, "cut.tflite");
    // Bytes at the end may be padding alone.
    if (model.ok()) {
      EXPECT_GT(size + 16, whole.size());
      continue;
    }
    EXPECT_EQ(model.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(model.status().message()), HasSubstr("truncated"));
  }
}

TEST(ModelTest, FromFile) {
  const std::string path = ::testing::TempDir() + "/host_test_model.tflite";
  const std::vector<uint8_t> bytes = TwoNegations();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto model = Model::FromFile(path);
  EXPECT_TRUE(model.ok()) << model.status();
  std::remove(path.c_str());
}

TEST(InterpreterTest, UnknownCustomOp) {
  ModelBuilder builder;
  const int x = builder.AddInput("x", {1});
  const int y = builder.AddTensor("y", {1});
  builder.AddCustomOp("NobodyKnowsThis", {}, {x}, {y});
  builder.SetOutputs({y});
  auto model = LoadOrDie(builder.Finish());
  const auto interpreter = Interpreter::Create(*model);
  ASSERT_FALSE(interpreter.ok());
  EXPECT_THAT(std::string(interpreter.status().message()),
              HasSubstr("NobodyKnowsThis"));
}

TEST(InterpreterTest, InconsistentShapesAreTflitesError) {
  ModelBuilder builder;
  const int a = builder.AddInput("a", {1, 2});
  const int b = builder.AddInput("b", {1, 3});
  const int y = builder.AddTensor("y", {1, 2});
  builder.AddOp(schema::BuiltinOperator::ADD, 1, {a, b}, {y},
                schema::AddOptionsT());
  builder.SetOutputs({y});
  auto model = LoadOrDie(builder.Finish());
  const auto interpreter = Interpreter::Create(*model);
  ASSERT_FALSE(interpreter.ok());
  EXPECT_THAT(std::string(interpreter.status().message()),
              HasSubstr("broadcast"));
}

TEST(InterpreterTest, WrongSizesAreRefused) {
  auto model = LoadOrDie(TwoNegations());
  auto interpreter = Interpreter::Create(*model);
  ASSERT_TRUE(interpreter.ok());
  const TensorView input = (*interpreter)->input(0);
  EXPECT_FALSE(input.Write(std::vector<float>{1}).ok());
  EXPECT_FALSE(input.WriteFloats(std::vector<float>{1, 2, 3}).ok());
}

// The op by its definition, one input pixel at a time, on numbers that a person
// can follow: a 2x2 kernel of 1 2 / 3 4, stride 2, no overlap.
TEST(CustomOpsTest, TransposeConvolutionWithoutOverlap) {
  ModelBuilder builder;
  const int x = builder.AddInput("x", {1, 1, 2, 1});
  const int w = builder.AddConstant<float>("w", {1, 2, 2, 1},
                                           std::vector<float>{1, 2, 3, 4});
  const int b = builder.AddConstant<float>("b", {1}, std::vector<float>{100});
  const int y = builder.AddTensor("y", {});
  const int32_t params[3] = {/*VALID*/ 2, /*stride_width=*/2, 2};
  uint8_t bytes[sizeof(params)];
  std::memcpy(bytes, params, sizeof(params));
  builder.AddCustomOp("Convolution2DTransposeBias", bytes, {x, w, b}, {y});
  builder.SetOutputs({y});
  auto model = LoadOrDie(builder.Finish());
  auto interpreter = Interpreter::Create(*model);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  ASSERT_TRUE((*interpreter)->input(0).Write(std::vector<float>{1, 10}).ok());
  ASSERT_TRUE((*interpreter)->Invoke().ok());
  EXPECT_THAT((*interpreter)->output(0).dims(), ElementsAre(1, 2, 4, 1));
  EXPECT_THAT((*interpreter)->output(0).AsFloats(),
              ElementsAre(101, 102, 110, 120, 103, 104, 130, 140));
}

// Where both ops have the same geometry, TFLite's own TRANSPOSE_CONV is the
// reference: SAME padding, an even input, output twice the input.
TEST(CustomOpsTest, TransposeConvolutionMatchesTfliteAtSame) {
  const std::vector<int32_t> input_shape = {1, 2, 4, 2};
  const std::vector<int32_t> weight_shape = {3, 3, 3, 2};
  std::vector<float> weights(54), data(16);
  for (int i = 0; i < 54; ++i) weights[i] = (i * 7) % 11 - 5;
  for (int i = 0; i < 16; ++i) data[i] = (i * 5) % 13 - 6;
  std::vector<std::vector<float>> results;
  for (bool custom : {false, true}) {
    ModelBuilder builder;
    const int x = builder.AddInput("x", input_shape);
    const int w = builder.AddConstant<float>("w", weight_shape, weights);
    const int b =
        builder.AddConstant<float>("b", {3}, std::vector<float>{1, 2, 3});
    const int y = builder.AddTensor("y", {1, 4, 8, 3});
    if (custom) {
      const int32_t params[3] = {/*SAME*/ 1, 2, 2};
      uint8_t bytes[sizeof(params)];
      std::memcpy(bytes, params, sizeof(params));
      builder.AddCustomOp("Convolution2DTransposeBias", bytes, {x, w, b}, {y});
    } else {
      const int size = builder.AddConstant<int32_t>(
          "size", {4}, std::vector<int32_t>{1, 4, 8, 3});
      schema::TransposeConvOptionsT options;
      options.stride_w = options.stride_h = 2;
      builder.AddOp(schema::BuiltinOperator::TRANSPOSE_CONV, 3, {size, w, x, b},
                    {y}, options);
    }
    builder.SetOutputs({y});
    auto model = LoadOrDie(builder.Finish());
    auto interpreter = Interpreter::Create(*model);
    ASSERT_TRUE(interpreter.ok()) << interpreter.status();
    ASSERT_TRUE((*interpreter)->input(0).Write(data).ok());
    ASSERT_TRUE((*interpreter)->Invoke().ok());
    EXPECT_THAT((*interpreter)->output(0).dims(), ElementsAre(1, 4, 8, 3));
    results.push_back((*interpreter)->output(0).AsFloats());
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(CustomOpsTest, WrongParametersAreRefused) {
  for (const std::vector<int32_t>& params :
       {std::vector<int32_t>{}, {0, 2, 2}, {1, 0, 2}, {1, 2, -1}}) {
    ModelBuilder builder;
    const int x = builder.AddInput("x", {1, 1, 2, 1});
    const int w =
        builder.AddConstant<float>("w", {1, 1, 1, 1}, std::vector<float>{1});
    const int b = builder.AddConstant<float>("b", {1}, std::vector<float>{1});
    const int y = builder.AddTensor("y", {});
    std::vector<uint8_t> bytes(params.size() * sizeof(int32_t));
    if (!bytes.empty()) std::memcpy(bytes.data(), params.data(), bytes.size());
    builder.AddCustomOp("Convolution2DTransposeBias", bytes, {x, w, b}, {y});
    builder.SetOutputs({y});
    auto model = LoadOrDie(builder.Finish());
    const auto interpreter = Interpreter::Create(*model);
    ASSERT_FALSE(interpreter.ok());
    EXPECT_THAT(std::string(interpreter.status().message()),
                HasSubstr("Convolution2DTransposeBias: "));
  }
}

TEST(DelegateTest, XnnpackRuns) {
  auto model = LoadOrDie(TwoNegations());
  auto delegate = CreateXnnpackDelegate(1);
  ASSERT_TRUE(delegate.ok()) << delegate.status();
  InterpreterOptions options;
  options.delegate = delegate->get();
  auto interpreter = Interpreter::Create(*model, options);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  ASSERT_TRUE((*interpreter)->input(0).Write(std::vector<float>{1, -2}).ok());
  ASSERT_TRUE((*interpreter)->Invoke().ok());
  EXPECT_THAT((*interpreter)->output(0).AsFloats(), ElementsAre(1, -2));
}

TEST(DelegateTest, NoSuchLibrary) {
  const auto delegate = LoadExternalDelegate("no/such/library.so", {});
  EXPECT_EQ(delegate.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(delegate.status().message()),
              HasSubstr("no/such/library.so"));
}

TEST(DelegateTest, LibraryThatIsNoDelegate) {
  const auto delegate = LoadExternalDelegate("libc.so.6", {});
  EXPECT_EQ(delegate.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(delegate.status().message()),
              HasSubstr("tflite_plugin_create_delegate"));
}

TEST(DelegateTest, StockLoaderRefusesAMissingLibrary) {
  const auto delegate =
      LoadExternalDelegateThroughStockLoader("no/such/library.so", {});
  EXPECT_FALSE(delegate.ok());
}

#ifdef GLES_DELEGATE_LIBRARY
// Our own library, through both ways in. Creating it makes no GL call.
TEST(DelegateTest, LoadsOurLibrary) {
  for (auto load :
       {LoadExternalDelegate, LoadExternalDelegateThroughStockLoader}) {
    const auto delegate = load(GLES_DELEGATE_LIBRARY, {{"verbosity", "0"}});
    EXPECT_TRUE(delegate.ok()) << delegate.status();
    const auto refused = load(GLES_DELEGATE_LIBRARY, {{"no_such_key", "1"}});
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(refused.status().message()),
                HasSubstr("no_such_key"));
  }
}
#endif

// Every real model at hand loads, and the one with a custom op runs.
TEST(SharedModelsTest, LoadAndRun) {
  const char* shared = std::getenv("GLES_DELEGATE_SHARED_DIR");
  if (shared == nullptr || *shared == '\0') {
    GTEST_SKIP() << "NO REAL MODELS: set GLES_DELEGATE_SHARED_DIR to a folder "
                    "that holds models/";
  }
  const std::filesystem::path models = std::filesystem::path(shared) / "models";
  int loaded = 0;
  for (const auto& entry : std::filesystem::directory_iterator(models)) {
    if (entry.path().extension() != ".tflite") continue;
    EXPECT_TRUE(Model::FromFile(entry.path().string()).ok()) << entry.path();
    ++loaded;
  }
  EXPECT_GT(loaded, 0);
  const auto model =
      Model::FromFile((models / "selfie_segmentation.tflite").string());
  ASSERT_TRUE(model.ok()) << model.status();
  auto interpreter = Interpreter::Create(**model);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  const TensorView input = (*interpreter)->input(0);
  ASSERT_TRUE(
      input.WriteFloats(std::vector<float>(input.elements(), 0.5f)).ok());
  ASSERT_TRUE((*interpreter)->Invoke().ok());
  EXPECT_THAT((*interpreter)->output(0).dims(), ElementsAre(1, 256, 256, 1));
  for (float value : (*interpreter)->output(0).AsFloats()) {
    ASSERT_TRUE(value >= 0 && value <= 1) << value;  // a mask, by LOGISTIC
  }
}

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
  static const auto& model = *LoadOrDie(TwoNegations()).release();
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
  auto model = LoadOrDie(TwoNegations());
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
  auto model = LoadOrDie(TwoNegations());
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
    auto model = LoadOrDie(TwoNegations());
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
