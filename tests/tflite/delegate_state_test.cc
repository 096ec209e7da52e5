// labels: op delegate llvmpipe softpipe
// Variable tensors of whole models: what resets them, who may write them, and
// what is refused (delegate/session/host_memory.h).
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/stateful.h"
#include "tools/cases/model.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

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
  auto interpreter = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  EXPECT_THAT(ReportOf(delegate)["cpu"].dump(),
              HasSubstr("only float32 states are kept on the GPU"));
  EXPECT_TRUE(RunOnce(interpreter.get()).ok());
}

}  // namespace
}  // namespace gles_delegate::testing
