// labels: op delegate llvmpipe softpipe
// Variable tensors of whole models: what resets them, who may write them, and
// what is refused (delegate/session/state_mark.h).
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/stateful.h"
#include "tools/op_models/random.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// Adds an SVDF of `units` on x, which remembers two steps in `state`.
int AddSvdf(ModelBuilder* b, int x, int inputs, int units, int state) {
  Random random("svdf");
  const auto weights = [&](const Shape& shape) {
    return b->AddConstant<float>("w", shape,
                                 random.Gaussian(ElementCount(shape), 0, 0.5f));
  };
  const int feature = weights({units, inputs});
  const int time = weights({units, 2});
  const int y = b->AddTensor("y", {1, units});
  schema::SVDFOptionsT options;
  options.rank = 1;
  b->AddOp(Op::SVDF, 1, {x, feature, time, -1, state}, {y}, options);
  return y;
}

// x -> `ops` before -> SVDF -> NEG -> SVDF.
std::vector<uint8_t> TwoSvdfs() {
  ModelBuilder b;
  const int x = b.AddInput("x", {1, 5});
  const int first = AddSvdf(&b, x, 5, 6, b.AddVariable("state 1", {1, 12}));
  const int negated = b.AddTensor("negated", {1, 6});
  b.AddOp(Op::NEG, 1, {first}, {negated});
  b.SetOutputs({AddSvdf(&b, negated, 6, 7, b.AddVariable("state 2", {1, 14}))});
  return b.Finish();
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
  ModelBuilder b;
  const int x = b.AddInput("x", {1, 8});
  const int svdf = AddSvdf(&b, x, 8, 8, b.AddVariable("state", {1, 16}));
  int y = svdf;
  for (int i = 0; i < 4; ++i) {
    // SOFTMAX is a separate dispatch.
    const int next = b.AddTensor("y", {1, 8});
    schema::SoftmaxOptionsT options;
    options.beta = 1;
    b.AddOp(Op::SOFTMAX, 1, {y}, {next}, options);
    y = next;
  }
  b.SetOutputs({svdf, y});
  ExpectSameStates(b.Finish());
}

TEST_F(DelegateStateTest, AStateOfTwoNodesStaysOnTheCpu) {
  ModelBuilder b;
  const int x = b.AddInput("x", {1, 6});
  const int state = b.AddVariable("state", {1, 12});
  const int y = AddSvdf(&b, x, 6, 6, state);
  b.SetOutputs({AddSvdf(&b, y, 6, 6, state)});
  const auto model = LoadOrDie(b.Finish());
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  const nlohmann::json report = ReportOf(delegate);
  EXPECT_EQ(report["nodes_delegated"], 0);
  EXPECT_THAT(report["cpu"].dump(),
              HasSubstr("is used by 2 nodes; only one may use it on the GPU"));
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
}

// On the CPU the second state then overwrites the first.
TEST_F(DelegateStateTest, AStateOfTwoInputsStaysOnTheCpu) {
  Random random("lstm");
  ModelBuilder b;
  const int x = b.AddInput("x", {1, 3});
  const int w = b.AddConstant<float>("w", {16, 7}, random.Gaussian(16 * 7));
  const int bias = b.AddConstant<float>("b", {16}, random.Gaussian(16));
  const int state = b.AddVariable("state", {1, 4});
  const int y = b.AddTensor("y", {1, 4}), cells = b.AddTensor("c", {1, 4});
  const int rows = b.AddTensor("r", {1, 7}), sums = b.AddTensor("s", {1, 16});
  schema::LSTMOptionsT options;
  options.kernel_type = schema::LSTMKernelType::BASIC;
  options.fused_activation_function = schema::ActivationFunctionType::TANH;
  b.AddOp(Op::LSTM, 2, {x, state, w, bias, state}, {y, cells, rows, sums},
          options);
  b.SetOutputs({y});
  const auto model = LoadOrDie(b.Finish());
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 0);
  EXPECT_THAT(ReportOf(delegate)["cpu"].dump(),
              HasSubstr("is 2 of its inputs"));
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
}

// On the CPU a node may write to a variable tensor; its reader then sees it.
TEST_F(DelegateStateTest, AVariableOutputStaysOnTheCpu) {
  ModelBuilder b;
  const int x = b.AddInput("x", {1, 6});
  const int kept = b.AddVariable("kept", {1, 6});
  b.AddOp(Op::NEG, 1, {x}, {kept});
  const int y = b.AddTensor("y", {1, 6});
  b.AddOp(Op::ABS, 1, {x}, {y});
  b.SetOutputs({kept, y});
  const auto model = LoadOrDie(b.Finish());
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  EXPECT_THAT(ReportOf(delegate)["cpu"].dump(),
              HasSubstr(", a variable: a graph with this fault"));
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
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
