// labels: op delegate llvmpipe
// STABLEHLO_COMPOSITE: the nodes of its decomposition run in its place.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "tensorflow/lite/c/c_api.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/delegate_pair.h"
#include "tests/testing/device_test.h"
#include "tests/testing/real_model.h"
#include "tools/cases/model.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string Brackets(const Shape& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ","), "]");
}

// x / sqrt(mean(x^2) + 0.5) * w, as litert-torch writes it.
ModelBuilder RmsNorm(const Shape& shape) {
  Shape mean = shape;
  mean.back() = 1;
  return cases::BuilderOf(absl::StrReplaceAll(
      "MUL d_x={x} d_x -> square:f32{x} ; MEAN square axis=({a}) "
      "keep_dims=true -> mean:f32{m} ; ADD mean epsilon=const:f32[1](0.5) -> "
      "sum:f32{m} ; RSQRT sum -> root:f32{m} ; MUL d_x root -> scaled:f32{x} "
      "; MUL scaled d_w=[{c}] -> d_y:f32{x}",
      {{"{x}", Brackets(shape)},
       {"{m}", Brackets(mean)},
       {"{c}", absl::StrCat(shape.back())},
       {"{a}", absl::StrCat(shape.size() - 1)}}));
}

// NEG(odml.rms_norm(x, w)).
std::vector<uint8_t> NormModel(
    const Shape& shape,
    const std::function<void(schema::ModelT&)>& change = {}) {
  ModelBuilder b;
  const int x = b.AddInput("x", shape);
  std::vector<float> scales;
  for (int i = 0; i < shape.back(); ++i) {
    scales.push_back(0.5f + 0.25f * static_cast<float>(i));
  }
  const int w = b.AddConstant<float>("w", {shape.back()}, scales);
  const int y = b.AddTensor("y", shape);
  const int z = b.AddTensor("z", shape);
  b.AddComposite("odml.rms_norm", 1, {x, w}, {y});
  b.AddOp(Op::NEG, 1, {y}, {z});
  b.SetOutputs({z});
  b.AddSubgraph(RmsNorm(shape));
  if (change) change(b.model());
  return b.Finish();
}

// p = a - b, q = 2 * a, in the order q, p.
ModelBuilder Difference(const Shape& shape) {
  ModelBuilder b = cases::BuilderOf(absl::StrReplaceAll(
      "SUB first={x} second={x} -> p:f32{x} ; MUL first two=const:f32[1](2) "
      "-> q:f32{x}",
      {{"{x}", Brackets(shape)}}));
  std::swap(b.model().subgraphs[0]->outputs[0],
            b.model().subgraphs[0]->outputs[1]);
  return b;
}

// A model of one composite, whose decomposition follows.
ModelBuilder CompositeOf(const char* name, const Shape& shape) {
  ModelBuilder b;
  const int x = b.AddInput("x", shape), y = b.AddTensor("y", shape);
  b.AddComposite(name, 1, {x}, {y});
  b.SetOutputs({y});
  return b;
}

class DelegateCompositeTest : public DeviceTest {
 protected:
  // All `nodes` nodes of the model itself, which has no other.
  static void ExpectWhole(const DelegatePair& pair, int nodes) {
    testing::ExpectWhole(pair);
    EXPECT_EQ(ReportOf(pair.delegate)["nodes_total"], nodes);
  }
  // The first reason, if the composite alone stays on the CPU.
  static std::string ReasonOf(const DelegatePtr& delegate) {
    const nlohmann::json report = ReportOf(delegate);
    for (const auto& refusal : report["cpu"]) {
      const std::string op = refusal["op"];
      if (op.find("STABLEHLO_COMPOSITE") == std::string::npos) continue;
      EXPECT_EQ(refusal["nodes"].size(), 1u) << report;
      return op + ": " + refusal["reason"].get<std::string>();
    }
    return "";
  }
  // Of a model that TFLite's own kernel refuses, too.
  static std::string ReasonOfMalformed(const std::vector<uint8_t>& bytes) {
    const auto model = LoadOrDie(bytes);
    const DelegatePtr delegate = MakeDelegate();
    const auto cpu = Interpreter::Create(*model);
    EXPECT_FALSE(cpu.ok());
    const auto gpu = CreatedWith(*model, delegate);
    EXPECT_FALSE(gpu.ok());
    return ReasonOf(delegate);
  }
};

TEST_F(DelegateCompositeTest, RunsAsItsDecomposition) {
  DelegatePair pair = MakePair(NormModel({1, 6, 8}));
  ExpectWhole(pair, 2);
  ExpectSame(&pair);
}

TEST_F(DelegateCompositeTest, ReportsNameTheComposite) {
  const DelegatePair pair = MakePair(NormModel({1, 6, 8}), [](auto& o) {
    o.self_check = 0;
    o.startup = kTfLiteGlesStartupDirect;
  });
  const nlohmann::json partition = ReportOf(pair.delegate)["partition"][0];
  EXPECT_EQ(partition["model_nodes"], nlohmann::json::parse(R"([
      {"node": 0, "computed_by": 0, "composite": "odml.rms_norm"},
      {"node": 1, "computed_by": 0}])"));
  std::vector<std::string> labels;
  for (const auto& dispatch : partition["plan"]) {
    labels.push_back(dispatch["label"]);
  }
  EXPECT_FALSE(labels.empty());
  EXPECT_THAT(labels, Each(EndsWith(" 0 of odml.rms_norm")));
}

TEST_F(DelegateCompositeTest, FollowsAResize) {
  for (auto mode : {kTfLiteGlesThreadCaller, kTfLiteGlesThreadWorker}) {
    DelegatePair pair = MakePair(NormModel({1, 6, 8}),
                                 [mode](auto& o) { o.thread_mode = mode; });
    for (const Shape& shape : {Shape{3, 2, 8}, Shape{1, 9, 8}}) {
      Resize(&pair, {shape});
      ExpectSame(&pair);
      ExpectWhole(pair, 2);
    }
  }
}

TEST_F(DelegateCompositeTest, KeepsTheOrderOfInputsAndOutputs) {
  const Shape shape = {1, 3, 4};
  ModelBuilder b;
  const int x = b.AddInput("x", shape);
  const int y = b.AddTensor("y", shape);
  const int q = b.AddTensor("q", shape);
  const int p = b.AddTensor("p", shape);
  b.AddOp(Op::SQUARE, 1, {x}, {y});
  b.AddComposite("any.name", 1, {y, x}, {q, p});
  b.SetOutputs({p, q});
  b.AddSubgraph(Difference(shape));
  DelegatePair pair = MakePair(b.Finish());
  ExpectWhole(pair, 2);
  ExpectSame(&pair);
}

// The decomposition's inputs stand against the order of its tensors, one is
// unused, and two are one tensor outside.
TEST_F(DelegateCompositeTest, TellsInputsOfOneShapeApart) {
  const Shape shape = {1, 3, 4};
  ModelBuilder b;
  const int x = b.AddInput("x", shape);
  const int y = b.AddTensor("y", shape);
  const int z = b.AddTensor("z", shape);
  b.AddOp(Op::SQUARE, 1, {x}, {y});
  b.AddComposite("any.name", 1, {y, y, x, x}, {z});
  b.SetOutputs({z});
  ModelBuilder d = cases::BuilderOf(
      "SUB third=[1,3,4] first=[1,3,4] -> s:f32[1,3,4] ; MUL s "
      "fourth=[1,3,4] -> f32[1,3,4]");
  std::vector<int>& inputs = d.model().subgraphs[0]->inputs;
  inputs = {inputs[2], inputs[0], d.AddTensor("second", shape), inputs[1]};
  b.AddSubgraph(std::move(d));
  DelegatePair pair = MakePair(b.Finish());
  ExpectWhole(pair, 2);
  ExpectSame(&pair);
}

// One subgraph for two composites, each with another shape and other inputs.
TEST_F(DelegateCompositeTest, SharesASubgraphAmongShapes) {
  ModelBuilder b;
  const int x = b.AddInput("x", {1, 4, 8});
  const int small = b.AddInput("small", {1, 2, 8});
  const int w = b.AddConstant<float>("w", {8}, std::vector<float>(8, 3));
  const int y = b.AddTensor("y", {1, 4, 8});
  const int z = b.AddTensor("z", {1, 2, 8});
  b.AddComposite("odml.rms_norm", 1, {x, w}, {y});
  b.AddComposite("odml.rms_norm", 1, {small, w}, {z});
  b.SetOutputs({y, z});
  ModelBuilder apart = b;
  b.AddSubgraph(RmsNorm({1, 4, 8}));
  const auto shared = LoadOrDie(b.Finish());
  const DelegatePtr delegate =
      MakeDelegate([](auto& o) { o.max_delegated_partitions = 0; });
  const auto gpu = Applied(*shared, delegate);
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 2) << ReportOf(delegate);
  // TFLite's own kernels would both run at the last one's shape.
  apart.model()
      .subgraphs[0]
      ->operators[1]
      ->builtin_options_2.AsStableHLOCompositeOptions()
      ->decomposition_subgraph_index = 2;
  apart.AddSubgraph(RmsNorm({1, 4, 8}));
  apart.AddSubgraph(RmsNorm({1, 2, 8}));
  ExpectClose(RunOnce(gpu.get()), CpuResult(*LoadOrDie(apart.Finish())));
}

TEST_F(DelegateCompositeTest, InlinesCompositesInside) {
  const Shape shape = {1, 3, 4};
  ModelBuilder b = CompositeOf("outer", shape);
  ModelBuilder outer;
  const int a = outer.AddInput("a", shape);
  const int c = outer.AddTensor("c", shape);
  const int q = outer.AddTensor("q", shape);
  const int p = outer.AddTensor("p", shape);
  const int o = outer.AddTensor("o", shape);
  outer.AddOp(Op::SQUARE, 1, {a}, {c});
  outer.AddComposite("inner", 2, {c, a}, {q, p});
  outer.AddOp(Op::MUL, 1, {q, p}, {o}, schema::MulOptionsT());
  outer.SetOutputs({o});
  b.AddSubgraph(std::move(outer));
  b.AddSubgraph(Difference(shape));
  DelegatePair pair = MakePair(b.Finish());
  ExpectWhole(pair, 1);
  ExpectSame(&pair);
}

TEST_F(DelegateCompositeTest, NamesTheOpThatKeepsItOnTheCpu) {
  const Shape shape = {1, 2, 3, 4};
  ModelBuilder b = CompositeOf("some.name", shape);
  // No delegate here takes the pooling.
  b.AddSubgraph(cases::BuilderOf(
      "L2_POOL_2D a=[1,2,3,4] filter=1 -> its_pool:f32[1,2,3,4] ; NEG "
      "its_pool -> f32[1,2,3,4]"));
  DelegatePair pair = MakePair(b.Finish());
  EXPECT_THAT(ReasonOf(pair.delegate),
              AllOf(HasSubstr("STABLEHLO_COMPOSITE some.name"),
                    HasSubstr("L2_POOL_2D of its decomposition"),
                    HasSubstr("its_pool")));
  ExpectSame(&pair);
}

// Nodes that no longer fit are computed by TFLite's own kernels, of the
// composite and of its decomposition.
TEST_F(DelegateCompositeTest, RunsOnTheCpuAfterAResize) {
  DelegatePair pair = MakePair(NormModel({1, 6, 8}),
                               [](auto& o) { o.memory_limit_bytes = 100000; });
  ExpectWhole(pair, 2);
  Resize(&pair, {{1, 9000, 8}});
  EXPECT_LT(ReportOf(pair.delegate)["nodes_delegated"], 2);
  ExpectSame(&pair);
}

// A branch of an IF calls the same subgraph from a composite on the CPU: it is
// built when that happens.
TEST_F(DelegateCompositeTest, ADecompositionThatIsCalledRuns) {
  const Shape shape = {1, 6, 8};
  const auto add_norm = [&shape](ModelBuilder* b, int x) {
    const int w = b->AddConstant<float>("w", {8}, std::vector<float>(8, 3));
    const int y = b->AddTensor("y", shape);
    b->AddComposite("odml.rms_norm", 1, {x, w}, {y});
    return y;
  };
  ModelBuilder b;
  const int c = b.AddInput("c", {}, TensorType::BOOL);
  const int y = add_norm(&b, b.AddInput("x", shape));
  const int z = b.AddTensor("z", shape);
  schema::IfOptionsT options;
  options.then_subgraph_index = 2;
  options.else_subgraph_index = 3;
  b.AddOp(Op::IF, 1, {c, y}, {z}, options);
  b.SetOutputs({z});
  b.AddSubgraph(RmsNorm(shape));
  for (bool has_norm : {true, false}) {
    ModelBuilder branch;
    const int x = branch.AddInput("x", shape);
    const int t = branch.AddTensor("t", shape);
    branch.AddOp(Op::NEG, 1, {x}, {t});
    branch.SetOutputs({has_norm ? add_norm(&branch, t) : t});
    b.AddSubgraph(std::move(branch));
  }
  DelegatePair pair =
      MakePair(b.Finish(), [](auto& o) { o.exclude_nodes = "1"; });
  EXPECT_EQ(ReportOf(pair.delegate)["subgraphs"], 3);
  ExpectSame(&pair);  // the condition is not zero
  const nlohmann::json report = ReportOf(pair.delegate);
  EXPECT_EQ(report["subgraphs"], 4) << report;
  // Of the decomposition's six all run; two composites and the IF do not.
  EXPECT_EQ(report["nodes_total"], 2 + 6 + 2 + 1) << report;
  EXPECT_EQ(report["nodes_delegated"], 1 + 5 + 1 + 1) << report;
}

// A decomposition has its own inputs, none of which has that name.
TEST_F(DelegateCompositeTest, InputShapesAreThoseOfTheModel) {
  DelegatePair pair = MakePair(
      NormModel({1, 6, 8},
                [](schema::ModelT& model) {
                  model.subgraphs[0]->tensors[0]->shape_signature = {-1, 6, 8};
                }),
      [](auto& options) { options.input_shapes = "x=3x6x8"; });
  EXPECT_FALSE(ReportOf(pair.delegate).contains("error"));
  ExpectSame(&pair);
}

TEST_F(DelegateCompositeTest, RefusesAMissingSubgraph) {
  for (int index : {2, -1, 1 << 30}) {
    EXPECT_THAT(ReasonOfMalformed(NormModel(
                    {1, 6, 8},
                    [index](schema::ModelT& model) {
                      model.subgraphs[0]
                          ->operators[0]
                          ->builtin_options_2.AsStableHLOCompositeOptions()
                          ->decomposition_subgraph_index = index;
                    })),
                HasSubstr("TFLite's own kernel of node 0"));
  }
}

TEST_F(DelegateCompositeTest, RefusesOtherCounts) {
  const auto refused = [](const std::function<void(schema::SubGraphT&)>& how) {
    return ReasonOfMalformed(
        NormModel({1, 6, 8},
                  [&how](schema::ModelT& model) { how(*model.subgraphs[1]); }));
  };
  EXPECT_THAT(refused([](auto& d) { d.inputs = {0}; }),
              HasSubstr("TFLite's own kernel of node 0"));
  EXPECT_THAT(refused([](auto& d) { d.outputs.push_back(7); }),
              HasSubstr("TFLite's own kernel of node 0"));
  EXPECT_THAT(refused([](auto& d) { d.outputs.clear(); }),
              HasSubstr("TFLite's own kernel of node 0"));
}

TEST_F(DelegateCompositeTest, RefusesWhatDoesNotDependOnItsInputs) {
  for (bool reads : {true, false}) {
    const Shape shape = {1, 3, 4};
    ModelBuilder b = CompositeOf("any.name", shape);
    ModelBuilder d;
    const int a = d.AddInput("a", shape);
    const int c = d.AddConstant<float>("c", shape, std::vector<float>(12, 3));
    const int e = d.AddTensor("e", shape);
    d.AddOp(Op::NEG, 1, {reads ? a : c}, {e});
    d.SetOutputs({reads ? c : e});
    b.AddSubgraph(std::move(d));
    DelegatePair pair = MakePair(b.Finish());
    EXPECT_THAT(
        ReasonOf(pair.delegate),
        HasSubstr(reads ? "an output that no node writes" : "reads no input"));
    ExpectSame(&pair);
  }
}

TEST_F(DelegateCompositeTest, RefusesWhatPassesThrough) {
  DelegatePair pair = MakePair(NormModel({1, 6, 8}, [](schema::ModelT& model) {
    model.subgraphs[1]->outputs = {0};
  }));
  EXPECT_THAT(ReasonOf(pair.delegate), HasSubstr("passes on 'd_x'"));
  ExpectSame(&pair);
}

// TFLite's own kernel overflows the stack as it is prepared, so the interpreter
// is only made.
TEST_F(DelegateCompositeTest, RefusesACompositeOfItself) {
  const auto model = LoadOrDie(NormModel({1, 6, 8}, [](schema::ModelT& m) {
    // The last node of the decomposition becomes the composite.
    auto copy =
        std::make_unique<schema::OperatorT>(*m.subgraphs[0]->operators[0]);
    copy->inputs = {0, 8};
    copy->outputs = {9};
    m.subgraphs[1]->operators[5] = std::move(copy);
  }));
  const DelegatePtr delegate = MakeDelegate();
  TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreterOptionsAddDelegate(options, delegate.get());
  TfLiteInterpreter* interpreter =
      TfLiteInterpreterCreate(model->get(), options);
  EXPECT_NE(interpreter, nullptr);
  EXPECT_THAT(ReasonOf(delegate), HasSubstr("leads back to the composite"));
  TfLiteInterpreterDelete(interpreter);
  TfLiteInterpreterOptionsDelete(options);
}

// Models of litert-torch's own decompositions.
class ExportedCompositeTest
    : public DeviceTestWithParam<std::pair<const char*, int>> {};

TEST_P(ExportedCompositeTest, RunsWhole) {
  const auto& [name, nodes] = GetParam();
  const std::string path =
      SharedFile(std::string("findings/llm/") + name + ".tflite");
  if (path.empty()) {
    GTEST_SKIP() << "NO MODEL findings/llm/" << name
                 << ".tflite: set GLES_DELEGATE_SHARED_DIR";
  }
  auto model = Model::FromFile(path);
  ASSERT_TRUE(model.ok()) << model.status();
  const DelegatePtr delegate = MakeDelegate();
  const auto interpreter = Applied(**model, delegate);
  const nlohmann::json report = ReportOf(delegate);
  EXPECT_EQ(report["nodes_total"], nodes) << report;
  EXPECT_EQ(report["nodes_delegated"], nodes) << report;
  for (int round : {0, 1}) {
    ExpectClose(RunOnce(interpreter.get(), round), CpuResult(**model, round));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ExportedCompositeTest,
    ::testing::Values(std::make_pair("composite_rms_norm", 1),
                      std::make_pair("composite_sdpa", 1),
                      std::make_pair("four_fc_rms_composite", 8)),
    [](const auto& info) { return std::string(info.param.first); });

// Control flow: TFLite applies a delegate to each subgraph of a model, and the
// report has the nodes of all.

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
    Resize(&pair, {shape}, /*first=*/1);
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
