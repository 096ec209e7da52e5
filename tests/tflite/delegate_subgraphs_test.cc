// labels: op delegate llvmpipe
// Control flow: TFLite applies a delegate to each subgraph of a model, and the
// report has the nodes of all.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/delegate_pair.h"
#include "tests/testing/device_test.h"
#include "tools/cases/model.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// y = NEG(x op 2).
ModelBuilder Branch(const char* op, const std::string& shape) {
  return cases::BuilderOf(absl::StrCat(op, " x=", shape,
                                       " two=const:f32[1](2) -> t:f32", shape,
                                       " ; NEG t -> y:f32", shape));
}

// z = NEG(IF(c, NEG(x + 2), NEG(x * 2))).
std::vector<uint8_t> IfModel(const std::string& shape) {
  ModelBuilder b = cases::BuilderOf(absl::StrCat(
      "IF c=bool[] x=", shape, " then_subgraph_index=1 else_subgraph_index=2 ",
      "-> y:f32", shape, " ; NEG y -> z:f32", shape));
  b.AddSubgraph(Branch("ADD", shape));
  b.AddSubgraph(Branch("MUL", shape));
  return b.Finish();
}

// while (i < 5) { i = i + 1; x = NEG(x) * 2; }, then NEG(x).
std::vector<uint8_t> WhileModel(const std::string& shape) {
  const auto of_shape = [&shape](const char* text) {
    return cases::BuilderOf(absl::StrReplaceAll(text, {{"{x}", shape}}));
  };
  ModelBuilder b = of_shape(
      "WHILE i=i32[1] x={x} cond_subgraph_index=1 body_subgraph_index=2 -> "
      "last_i:i32[1] last_x:f32{x} ; NEG last_x1 -> y:f32{x}");
  ModelBuilder condition = of_shape("LESS i=i32[1] five=(5) -> less:bool[1]");
  condition.AddInput("x", {});
  b.AddSubgraph(std::move(condition));
  b.AddSubgraph(
      of_shape("ADD i=i32[1] one=(1) -> ni:i32[1] ; NEG x={x} -> t:f32{x} ; "
               "MUL t two=const:f32[1](2) -> nx:f32{x}"));
  return b.Finish();
}

// CALL_ONCE writes a variable that READ_VARIABLE reads; y = NEG(x).
std::vector<uint8_t> CallOnceModel() {
  ModelBuilder b;
  const int x = b.AddInput("x", {1, 3});
  const int y = b.AddTensor("y", {1, 3});
  const int handle = b.AddTensor("handle", {}, TensorType::RESOURCE);
  const int value = b.AddTensor("value", {1, 3});
  const int z = b.AddTensor("z", {1, 3});
  schema::CallOnceOptionsT once;
  once.init_subgraph_index = 1;
  b.AddOp(Op::CALL_ONCE, 1, {}, {}, once);
  schema::VarHandleOptionsT variable;
  variable.shared_name = "v";
  b.AddOp(Op::VAR_HANDLE, 1, {}, {handle}, variable);
  b.AddOp(Op::READ_VARIABLE, 1, {handle}, {value},
          schema::ReadVariableOptionsT());
  b.AddOp(Op::NEG, 1, {x}, {y});
  b.AddOp(Op::ADD, 1, {y, value}, {z}, schema::AddOptionsT());
  b.SetOutputs({z});
  ModelBuilder init;
  const int h = init.AddTensor("handle", {}, TensorType::RESOURCE);
  const int v =
      init.AddConstant<float>("v", {1, 3}, std::vector<float>{1, 20, 300});
  init.AddOp(Op::VAR_HANDLE, 1, {}, {h}, variable);
  init.AddOp(Op::ASSIGN_VARIABLE, 1, {h, v}, {},
             schema::AssignVariableOptionsT());
  init.SetOutputs({});
  b.AddSubgraph(std::move(init));
  return b.Finish();
}

int Refused(const nlohmann::json& report) {
  int nodes = 0;
  for (const auto& entry : report["cpu"]) {
    nodes += static_cast<int>(entry["nodes"].size());
    EXPECT_FALSE(entry["reason"].get<std::string>().empty());
  }
  return nodes;
}

class DelegateSubgraphsTest : public DeviceTest {
 protected:
  // One run: `first` for an input of integers or bools, floats by `round`.
  static std::vector<float> Run(Interpreter* interpreter, int first,
                                int round) {
    for (int i = 0; i < interpreter->inputs(); ++i) {
      const TensorView input = interpreter->input(i);
      std::vector<float> values(input.elements());
      for (size_t k = 0; k < values.size(); ++k) {
        values[k] = static_cast<float>(round) + 0.25f * static_cast<float>(k);
      }
      if (input.type() != kTfLiteFloat32) {
        values.assign(values.size(), static_cast<float>(first));
      }
      EXPECT_TRUE(input.WriteFloats(values).ok());
    }
    const absl::Status invoked = interpreter->Invoke();
    EXPECT_TRUE(invoked.ok()) << invoked;
    std::vector<float> all;
    for (int i = 0; i < interpreter->outputs(); ++i) {
      const auto one = interpreter->output(i).AsFloats();
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }
  static void ExpectSame(DelegatePair* pair, int first, int round) {
    ExpectClose(Run(pair->gpu.get(), first, round),
                Run(pair->cpu.get(), first, round));
  }
};

// The control-flow op stays on the CPU, of six nodes in three subgraphs.
void ExpectAllButOneDelegated(const nlohmann::json& report) {
  EXPECT_EQ(report["subgraphs"], 3) << report;
  EXPECT_EQ(report["nodes_total"], 6) << report;
  EXPECT_EQ(report["nodes_delegated"], 5) << report;
  EXPECT_EQ(Refused(report), 1) << report;
}

TEST_F(DelegateSubgraphsTest, BothBranchesOfAnIf) {
  DelegatePair pair = MakePair(IfModel("[1,4,5,3]"));
  const nlohmann::json report = ReportOf(pair.delegate);
  ExpectAllButOneDelegated(report);
  EXPECT_EQ(report["partitions"], 3) << report;
  for (int round : {0, 1}) {
    ExpectSame(&pair, 1, round);
    ExpectSame(&pair, 0, round);
  }
}

TEST_F(DelegateSubgraphsTest, ResizedBranches) {
  DelegatePair pair = MakePair(IfModel("[1,4,5,3]"));
  for (const Shape& shape : {Shape{1, 7, 2, 5}, Shape{1, 4, 5, 3}}) {
    for (Interpreter* i : {pair.cpu.get(), pair.gpu.get()}) {
      ASSERT_TRUE(i->ResizeInput(1, shape).ok());
      const absl::Status allocated = i->AllocateTensors();
      ASSERT_TRUE(allocated.ok()) << allocated;
    }
    ExpectSame(&pair, 1, 0);
    ExpectSame(&pair, 0, 1);
    EXPECT_EQ(ReportOf(pair.delegate)["nodes_delegated"], 5);
  }
}

TEST_F(DelegateSubgraphsTest, ConditionAndBodyOfAWhile) {
  DelegatePair pair = MakePair(WhileModel("[1,4,5,3]"));
  const nlohmann::json report = ReportOf(pair.delegate);
  ExpectAllButOneDelegated(report);
  for (int first : {0, 3, 5, 0}) ExpectSame(&pair, first, first);
}

// Each call of a subgraph crosses the border, which small ones do not repay.
TEST_F(DelegateSubgraphsTest, SmallOnesThatOthersCall) {
  for (bool is_while : {false, true}) {
    const std::string shape = "[1,4,5,3]";
    DelegatePair pair =
        MakePair(is_while ? WhileModel(shape) : IfModel(shape),
                 [](auto& o) { o.max_delegated_partitions = -1; });
    const nlohmann::json report = ReportOf(pair.delegate);
    EXPECT_EQ(report["nodes_delegated"], 0) << report;
    int reasons = 0;
    for (const auto& entry : report["cpu"]) {
      reasons += entry["reason"].get<std::string>().find(
                     "does not pay at each call") != std::string::npos;
    }
    EXPECT_EQ(reasons, 2) << report;
    for (int first : {0, 1}) ExpectSame(&pair, first, first);
  }
}

// As a signature's own subgraph.
TEST_F(DelegateSubgraphsTest, SmallOnesThatTheAppCalls) {
  ModelBuilder b = Branch("ADD", "[1,3]");
  b.AddSubgraph(Branch("MUL", "[1,3]"));
  const DelegatePair pair =
      MakePair(b.Finish(), [](auto& o) { o.max_delegated_partitions = -1; });
  const nlohmann::json report = ReportOf(pair.delegate);
  EXPECT_EQ(report["subgraphs"], 2) << report;
  EXPECT_EQ(report["nodes_delegated"], 4) << report;
}

TEST_F(DelegateSubgraphsTest, AVariableThatCallOnceWrites) {
  DelegatePair pair = MakePair(CallOnceModel());
  const nlohmann::json report = ReportOf(pair.delegate);
  EXPECT_EQ(report["subgraphs"], 2) << report;
  EXPECT_EQ(report["nodes_total"], 7) << report;
  EXPECT_EQ(report["nodes_delegated"].get<int>() + Refused(report), 7)
      << report;
  EXPECT_GE(report["nodes_delegated"], 1) << report;
  for (int round : {0, 1}) ExpectSame(&pair, 0, round);
}

// The report is of the last interpreter alone.
TEST_F(DelegateSubgraphsTest, AnotherInterpreterBeginsANewReport) {
  DelegatePair pair = MakePair(IfModel("[1,2,2,3]"));
  const auto other = LoadOrDie(ChainModel("nn"));
  auto interpreter = InterpreterOrDie(*other);
  ASSERT_TRUE(interpreter->ApplyDelegate(pair.delegate.get()).ok());
  const nlohmann::json report = ReportOf(pair.delegate);
  EXPECT_EQ(report["subgraphs"], 1) << report;
  EXPECT_EQ(report["nodes_total"], 2) << report;
}

}  // namespace
}  // namespace gles_delegate::testing
