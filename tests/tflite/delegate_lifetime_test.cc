// labels: op delegate llvmpipe softpipe
// Delegates, interpreters and threads that end in every order.
#include <atomic>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/testing/app_context.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/device_test.h"
#include "tests/testing/live_objects.h"
#include "tests/testing/matchers.h"
#include "tests/testing/stateful.h"
#include "tools/cases/model.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class DelegateLifetimeTest : public ChainTest {
 protected:
  void Apply() {
    const absl::Status applied = interpreter_->ApplyDelegate(delegate_.get());
    ASSERT_TRUE(applied.ok()) << applied;
  }

  DelegatePtr delegate_ = MakeDelegate();
  std::unique_ptr<Interpreter> interpreter_ = InterpreterOrDie(*model_);
};

TEST_F(DelegateLifetimeTest, TheDelegateMayGoFirst) {
  Apply();
  ExpectClose(RunOnce(interpreter_.get()), expected_);
  delegate_.reset();
  ExpectClose(RunOnce(interpreter_.get()), expected_);
  interpreter_.reset();
}

TEST_F(DelegateLifetimeTest, TheDelegateMayGoBeforeTheFirstInvoke) {
  Apply();
  delegate_.reset();
  ExpectClose(RunOnce(interpreter_.get()), expected_);
}

TEST_F(DelegateLifetimeTest, TheInterpreterMayGoFirst) {
  Apply();
  ExpectClose(RunOnce(interpreter_.get()), expected_);
  interpreter_.reset();
  // Its report still stands.
  EXPECT_EQ(ReportOf(delegate_)["partitions"], 1);
  delegate_.reset();
}

TEST_F(DelegateLifetimeTest, AnInterpreterNeedNotRun) {
  Apply();
  interpreter_.reset();
  delegate_.reset();
}

TEST_F(DelegateLifetimeTest, ADelegateNeedNotBeApplied) {
  delegate_.reset();
  ExpectClose(RunOnce(interpreter_.get()), expected_);
}

TEST_F(DelegateLifetimeTest, BothMayGoOnAnotherThread) {
  for (bool delegate_first : {true, false}) {
    delegate_ = MakeDelegate();
    interpreter_ = InterpreterOrDie(*model_);
    Apply();
    ExpectClose(RunOnce(interpreter_.get()), expected_);
    std::thread([&] {
      if (delegate_first) delegate_.reset();
      interpreter_.reset();
      delegate_.reset();
    }).join();
  }
}

TEST_F(DelegateLifetimeTest, TheyMayGoAfterTheThreadThatUsedThem) {
  std::thread([&] {
    Apply();
    ExpectClose(RunOnce(interpreter_.get()), expected_);
  }).join();
  interpreter_.reset();
  delegate_.reset();
}

TEST_F(DelegateLifetimeTest, ADelegateOutlivesManyInterpreters) {
  for (int i = 0; i < 5; ++i) {
    interpreter_ = InterpreterOrDie(*model_);
    Apply();
    ExpectClose(RunOnce(interpreter_.get()), expected_);
  }
}

// Nothing of a delegate's life may stay behind.
TEST_F(DelegateLifetimeTest, EveryGlObjectIsDeleted) {
  const LiveObjects objects;
  Apply();
  ExpectClose(RunOnce(interpreter_.get()), expected_);
  const int applied = objects.left();
  EXPECT_GT(applied, 0) << "the test counts nothing";
  ExpectClose(RunOnce(interpreter_.get()), expected_);
  EXPECT_EQ(objects.left(), applied) << "Invoke made or deleted a GL object";
  delegate_.reset();
  interpreter_.reset();
  EXPECT_EQ(objects.left(), 0);
}

TEST(DelegateOptionsLifetimeTest, NullOptionsAreTheDefaultsAndRun) {
  GLES_SKIP_WITHOUT_DEVICE();
  const DelegatePtr delegate(TfLiteGlesDelegateCreate(nullptr),
                             TfLiteGlesDelegateDelete);
  ASSERT_NE(delegate, nullptr);
  const auto model = LoadOrDie(ChainModel("can"));
  auto interpreter = Applied(*model, delegate);
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 3);
}

// Create copies the options' strings.
TEST(DelegateOptionsLifetimeTest, StringsAreCopied) {
  GLES_SKIP_WITHOUT_DEVICE();
  DelegatePtr delegate;
  {
    const std::string excluded = "1";
    delegate = MakeDelegate([&](auto& options) {
      options.exclude_nodes = excluded.c_str();
      options.max_delegated_partitions = 0;
    });
  }
  const auto model = LoadOrDie(ChainModel("can"));
  auto interpreter = Applied(*model, delegate);
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 2);
}

// The thread rule: Invoke on the thread that applied the delegate, where the
// context is the delegate's; with the same context current, where it is the
// app's.

using ::gles_delegate::egl::egl;

std::string Text(std::thread::id id) {
  std::ostringstream out;
  out << id;
  return out.str();
}

std::string LogOf(const Interpreter& interpreter) {
  std::string said;
  for (const std::string& line : interpreter.log()) said += line + "\n";
  return said;
}

class DelegateThreadTest : public DeviceTest {};

TEST_F(DelegateThreadTest, InvokeOnAnotherThreadIsAnErrorThatSaysSo) {
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model, delegate);
  TfLiteStatus status = kTfLiteOk;
  std::string other;
  std::thread([&] {
    other = Text(std::this_thread::get_id());
    status = TfLiteInterpreterInvoke(interpreter->get());
  }).join();
  EXPECT_EQ(status, kTfLiteError);
  const std::string said = LogOf(*interpreter);
  // The stock delegate's words, then ours.
  EXPECT_THAT(said, HasSubstr("GpuDelegate must run on the same thread where "
                              "it was initialized"));
  EXPECT_THAT(said, HasSubstr("ModifyGraphWithDelegate"));
  EXPECT_THAT(said, HasSubstr("thread " + other));
  EXPECT_THAT(said, HasSubstr("thread " + Text(std::this_thread::get_id())));
  // On the right thread all is as before.
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
}

// A second thread that applies the delegate again (a resize does) owns it then.
TEST_F(DelegateThreadTest, AppliedAgainOnAnotherThreadItRunsThere) {
  const auto model = LoadOrDie(ChainModel("nan"));
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model, delegate);
  const Shape larger = {1, 9, 5, 5};
  const std::vector<float> expected = CpuResult(*model, 0, larger);
  std::thread([&] {
    Resize(interpreter.get(), larger);
    ExpectClose(RunOnce(interpreter.get()), expected);
  }).join();
  EXPECT_FALSE(RunOnce(interpreter.get()).ok());
}

// An app's context goes from thread to thread, and the delegate with it.
TEST_F(DelegateThreadTest, ABorrowedContextMayMoveToAnotherThread) {
  const auto model = LoadOrDie(ChainModel("can"));
  const std::vector<float> expected = CpuResult(*model);
  AppContext app;
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model, delegate);
  EXPECT_EQ(ReportOf(delegate)["context"], "borrowed");
  ExpectClose(RunOnce(interpreter.get()), expected);
  app.Leave();
  for (int i = 0; i < 2; ++i) {
    std::thread([&] {
      app.MakeCurrent();
      ExpectClose(RunOnce(interpreter.get()), expected);
      EXPECT_EQ(egl().GetCurrentContext(), app.get().handle());
      app.Leave();
    }).join();
  }
  app.MakeCurrent();
  ExpectClose(RunOnce(interpreter.get()), expected);
  interpreter.reset();
  app.Leave();
}

// The whole life of a delegate, several times over.
void LiveThrough(const Model& model, const std::vector<float>& expected,
                 std::atomic<int>* ready) {
  // All threads set off together, so that they meet inside.
  for (ready->fetch_sub(1); ready->load() > 0;) std::this_thread::yield();
  for (int life = 0; life < 3; ++life) {
    const DelegatePtr delegate = MakeDelegate();
    auto interpreter = Applied(model, delegate);
    for (int i = 0; i < 3; ++i) {
      ExpectClose(RunOnce(interpreter.get()), expected);
    }
    EXPECT_EQ(ReportOf(delegate)["partitions"], 1);
  }
}

TEST_F(DelegateThreadTest, ThreadsWithDelegatesOfTheirOwnDoNotMeet) {
  std::vector<std::unique_ptr<Model>> models;
  std::vector<std::vector<float>> expected;
  for (const char* letters : {"can", "mcc", "rca"}) {
    models.push_back(LoadOrDie(ChainModel(letters)));
    expected.push_back(CpuResult(*models.back()));
  }
  std::atomic<int> ready = static_cast<int>(models.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < models.size(); ++i) {
    threads.emplace_back(LiveThrough, std::cref(*models[i]),
                         std::cref(expected[i]), &ready);
  }
  for (std::thread& thread : threads) thread.join();
}

// The delegate beside others: XNNPACK for what it leaves, two interpreters in
// turns, a host that moves its tensors' memory.

// The first node of "can" is left to others.
DelegatePtr WithoutTheConvolution() {
  return MakeDelegate([](auto& options) { options.exclude_nodes = "0"; });
}

class DelegateCompanyTest : public DeviceTest {};

TEST_F(DelegateCompanyTest, XnnpackTakesTheRestInEitherOrder) {
  const auto model = LoadOrDie(ChainModel("can"));
  const std::vector<float> right = CpuResult(*model);
  for (const bool xnnpack_first : {false, true}) {
    const DelegatePtr delegate = WithoutTheConvolution();
    auto xnnpack = CreateXnnpackDelegate(1);
    ASSERT_TRUE(xnnpack.ok()) << xnnpack.status();
    auto interpreter = InterpreterOrDie(*model);
    if (xnnpack_first) {
      ASSERT_TRUE(interpreter->ApplyDelegate(xnnpack->get()).ok());
    }
    ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
    if (!xnnpack_first) {
      ASSERT_TRUE(interpreter->ApplyDelegate(xnnpack->get()).ok());
    }
    // XNNPACK knows all three ops.
    EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], xnnpack_first ? 0 : 2);
    ExpectClose(RunOnce(interpreter.get()), right);
    ExpectClose(RunOnce(interpreter.get(), 1), CpuResult(*model, 1));
    interpreter.reset();
  }
}

TEST_F(DelegateCompanyTest, TwoInterpretersOfOneDelegateTakeTurns) {
  const auto first_model = LoadOrDie(ChainModel("can"));
  const auto second_model = LoadOrDie(ChainModel("nm", {2, 3, 5, 9}));
  const DelegatePtr delegate = MakeDelegate();
  auto first = InterpreterOrDie(*first_model);
  auto second = InterpreterOrDie(*second_model);
  ASSERT_TRUE(first->ApplyDelegate(delegate.get()).ok());
  ASSERT_TRUE(second->ApplyDelegate(delegate.get()).ok());
  for (int round = 0; round < 3; ++round) {
    ExpectClose(RunOnce(first.get(), round), CpuResult(*first_model, round));
    ExpectClose(RunOnce(second.get(), round), CpuResult(*second_model, round));
  }
  first.reset();
  ExpectClose(RunOnce(second.get(), 4), CpuResult(*second_model, 4));
}

// As hosts with their own buffers do (TFLite's custom allocations).
TEST_F(DelegateCompanyTest, TensorsMayMoveBetweenInvokes) {
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model, delegate);
  auto* input = const_cast<TfLiteTensor*>(interpreter->input(0).get());
  auto* output = const_cast<TfLiteTensor*>(interpreter->output(0).get());
  char* const own_input = input->data.raw;
  char* const own_output = output->data.raw;
  for (int round = 0; round < 4; ++round) {
    std::vector<char> in(input->bytes, 0x5a), out(output->bytes, 0x5a);
    input->data.raw = in.data();
    output->data.raw = out.data();
    ExpectClose(RunOnce(interpreter.get(), round), CpuResult(*model, round));
  }
  input->data.raw = own_input;
  output->data.raw = own_output;
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
}

// Variable tensors of whole models: what resets them, who may write them, and
// what is refused (delegate/session/host_memory.h).

// An SVDF of `units` on "x", which remembers two steps in a state.
std::string Svdf(const char* x, const char* y, int inputs, int units,
                 const std::string& state) {
  return absl::StrCat("SVDF ", x, " ", y, "f=const:[", units, ",", inputs, "] ",
                      y, "t=const:[", units, ",2] bias=- ", state,
                      " rank=1 -> ", y, ":f32");
}

// x -> SVDF -> NEG -> SVDF.
std::vector<uint8_t> TwoSvdfs() {
  return cases::ModelOf(
             absl::StrCat(Svdf("x=[1,5]", "a", 5, 6, "s=state:[1,12]"),
                          " ; NEG a -> n ; ",
                          Svdf("n", "b", 6, 7, "u=state:[1,14]")))
      .bytes;
}

// The report of a delegate on the model, which runs as on the CPU.
nlohmann::json ReportOn(
    const std::string& text,
    const std::function<void(ModelBuilder&)>& change = [](ModelBuilder&) {}) {
  ModelBuilder b = cases::BuilderOf(text);
  change(b);
  const auto model = LoadOrDie(b.Finish());
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = InterpreterOrDie(*model);
  EXPECT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
  return ReportOf(delegate);
}

class DelegateStateTest : public DeviceTest {};

TEST_F(DelegateStateTest, SeveralStatesAndResetsInARow) {
  StatefulPair pair(TwoSvdfs());
  for (int i = 0; i < 3; ++i) pair.Step();
  pair.Reset();
  pair.Reset();
  pair.Step();
  pair.Reset();
  for (int i = 0; i < 3; ++i) pair.Step();
}

TEST_F(DelegateStateTest, AllocatingAgainChangesNothing) {
  StatefulPair pair(TwoSvdfs());
  pair.Step();
  for (Interpreter* interpreter : {&pair.cpu(), &pair.gpu()}) {
    ASSERT_TRUE(interpreter->AllocateTensors().ok());
  }
  pair.Step();
}

// States share no memory with anything else: run something large in between.
TEST_F(DelegateStateTest, StatesOutliveTheOtherTensors) {
  std::string text = Svdf("x=[1,8]", "s0", 8, 8, "s=state:[1,16]");
  for (int i = 0; i < 4; ++i) {
    // SOFTMAX is a separate dispatch.
    absl::StrAppend(&text, " ; SOFTMAX s", i, " beta=1 -> s", i + 1);
  }
  ExpectSameStates(cases::BuilderOf(text + " ; NEG s0 -> n").Finish());
}

TEST_F(DelegateStateTest, AStateOfTwoNodesStaysOnTheCpu) {
  const nlohmann::json report =
      ReportOn(absl::StrCat(Svdf("x=[1,6]", "a", 6, 6, "s=state:[1,12]"), " ; ",
                            Svdf("a", "b", 6, 6, "s")));
  EXPECT_EQ(report["nodes_delegated"], 0);
  EXPECT_THAT(report["cpu"].dump(),
              HasSubstr("is used by 2 nodes; only one may use it on the GPU"));
}

// On the CPU the second state then overwrites the first.
TEST_F(DelegateStateTest, AStateOfTwoInputsStaysOnTheCpu) {
  const nlohmann::json report = ReportOn(
      "LSTM@2 x=[1,3] s=state:[1,4] w=const:[16,7] b=const:[16] s "
      "kernel_type=BASIC fused_activation_function=TANH -> y:f32[1,4] "
      "c:f32[1,4] r:f32[1,7] t:f32[1,16]");
  EXPECT_EQ(report["nodes_delegated"], 0);
  EXPECT_THAT(report["cpu"].dump(), HasSubstr("is 2 of its inputs"));
}

// On the CPU a node may write to a variable tensor; its reader then sees it.
TEST_F(DelegateStateTest, AVariableOutputStaysOnTheCpu) {
  const nlohmann::json report =
      ReportOn("NEG x=[1,6] -> kept ; ABS x -> y", [](ModelBuilder& b) {
        b.model().subgraphs[0]->tensors[1]->is_variable = true;
      });
  EXPECT_THAT(report["cpu"].dump(),
              HasSubstr(", a variable: a graph with this fault"));
}

TEST_F(DelegateStateTest, OtherTypesOfStateStayOnTheCpu) {
  ModelBuilder b;
  const int x = b.AddInput("x", {1, 6});
  const int kept = b.AddVariable("kept", {1, 6}, TensorType::INT32);
  const int y = b.AddTensor("y", {1, 6});
  const int z = b.AddTensor("z", {1, 6}, TensorType::INT32);
  b.AddOp(Op::NEG, 1, {x}, {y});
  schema::MaximumMinimumOptionsT options;
  b.AddOp(Op::MAXIMUM, 1, {kept, kept}, {z}, options);
  b.SetOutputs({y, z});
  const auto model = LoadOrDie(b.Finish());
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model, delegate);
  EXPECT_THAT(ReportOf(delegate)["cpu"].dump(),
              HasSubstr("only float32 states are kept on the GPU"));
  EXPECT_TRUE(RunOnce(interpreter.get()).ok());
}

}  // namespace

}  // namespace gles_delegate::testing
