// labels: op delegate llvmpipe sanitize
// WHILE: if the number of steps is known, the nodes of all steps run in its
// place.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/delegate_pair.h"
#include "tests/testing/device_test.h"
#include "tests/testing/edit_model.h"
#include "tools/cases/model.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The texts of a model with one loop, as those of tools/cases, and the names of
// tensors. Its states are the body's `inputs`, the counter first, and become
// `next` in each step.
struct Loop {
  std::string outer;  // {w} stands for the WHILE's options
  std::string outputs;
  std::string body;
  std::string inputs, next;
  int steps = 0;  // until the counter is that; 0: until it is the last state
  std::function<void(ModelBuilder& outer, ModelBuilder& body)> change = {};
};

std::vector<uint8_t> ModelOf(const Loop& loop) {
  ModelBuilder outer = cases::BuilderOf(absl::StrReplaceAll(
      loop.outer, {{"{w}", "cond_subgraph_index=1 body_subgraph_index=2 ->"}}));
  outer.SetOutputs(Named(outer, loop.outputs));
  ModelBuilder condition, body = cases::BuilderOf(loop.body);
  schema::SubGraphT& graph = *body.model().subgraphs[0];
  graph.inputs = Named(body, loop.inputs);
  body.SetOutputs(Named(body, loop.next));
  if (loop.change) loop.change(outer, body);
  for (int id : graph.inputs) {
    const schema::TensorT& t = *graph.tensors[id];
    condition.AddInput(t.name, t.shape, t.type);
  }
  const int less = condition.AddTensor("less", {}, TensorType::BOOL);
  const int end = loop.steps == 0 ? static_cast<int>(graph.inputs.size()) - 1
                                  : condition.AddConstant<int32_t>(
                                        "steps", {}, std::vector{loop.steps});
  condition.AddOp(Op::LESS, 1, {0, end}, {less});
  condition.SetOutputs({less});
  outer.AddSubgraph(std::move(condition));
  outer.AddSubgraph(std::move(body));
  return outer.Finish();
}

constexpr char kNextCounter[] = "ADD i=i32[] one=1 -> n:i32[] ; ";

// One state of `shape` beside the counter, from "x" to "y".
Loop OneState(const std::string& shape, const std::string& body, int steps) {
  return {
      absl::StrReplaceAll(
          "WHILE i=0 x={s} {w} m:i32[] o:f32{s} ; NEG o1 -> z:f32{s}",
          {{"{s}", shape}}),
      "z",
      absl::StrCat(kNextCounter, absl::StrReplaceAll(body, {{"{s}", shape}})),
      "i x",
      "n y",
      steps};
}

enum class Write { kJoined, kUpdated };

// h = TANH(x[i] + h / 2) in each step, and the list of all h, whose rows are
// written as TensorFlow's converter does, or by DYNAMIC_UPDATE_SLICE.
std::vector<uint8_t> CellModel(int steps, Write write, int first = 0,
                               int rows = 0) {
  const auto text = [&](const std::string& text) {
    return absl::StrReplaceAll(
        text, {{"{l}", absl::StrCat("[", rows > 0 ? rows : steps, ",2,5]")},
               {"{i}", absl::StrCat(first)}});
  };
  Loop loop;
  loop.outer = text(
      "WHILE i={i} l=const:f32{l}(0.25) h=const:f32[2,5](0.5) x={l} {w} "
      "m:i32[] o:f32{l} p:f32[2,5] q:f32{l} ; NEG o1 -> y:f32{l} ; "
      "NEG p2 -> z:f32[2,5]");
  loop.outputs = "y z";
  loop.body = text(absl::StrCat(
      kNextCounter,
      "GATHER x={l} i -> row:f32[2,5] ; MUL h=[2,5] half=[1](0.5) -> "
      "k:f32[2,5] ; ADD row k -> s:f32[2,5] ; TANH s -> new_h:f32[2,5] ; "
      "RESHAPE new_h to=(1,2,5) -> new_row:f32[1,2,5] ; "
      "RESHAPE i flat=(1) -> at:i32[1] ; ",
      write == Write::kUpdated
          ? "CONCATENATION at zeros=(0,0) axis=0 -> begin:i32[3] ; "
            "DYNAMIC_UPDATE_SLICE l={l} new_row begin -> list:f32{l}"
          : "CONCATENATION at ends=(-1,-1) axis=0 -> size:i32[3] ; "
            "SLICE l={l} zero=(0,0,0) size -> before:f32[1,2,5] ; "
            "RESHAPE n flat -> behind:i32[1] ; "
            "CONCATENATION behind zeros=(0,0) axis=0 -> begin:i32[3] ; "
            "SLICE l begin rest=(-1,-1,-1) -> after:f32[1,2,5] ; "
            "CONCATENATION before new_row after axis=0 -> list:f32{l}"));
  loop.inputs = "i l h x";
  loop.next = "n list new_h x";
  loop.steps = steps;
  if (write == Write::kJoined) {
    loop.change = [](ModelBuilder&, ModelBuilder& body) {
      for (int part : Named(body, "before after")) {
        body.SetShapeSignature(part, {-1, -1, -1});
      }
    };
  }
  return ModelOf(loop);
}

// Two states of one shape, a and b; e = -a, s = b / 2 + a, and what `more`
// adds. `next` is what becomes of them.
Loop Pair(int steps, const std::string& next, const std::string& more = "") {
  return {
      "WHILE i=0 a=[1,4,3] b=[1,4,3] {w} m:i32[] c:f32[1,4,3] "
      "d:f32[1,4,3] ; NEG c1 -> y:f32[1,4,3] ; NEG d2 -> z:f32[1,4,3]",
      "y z",
      absl::StrCat(kNextCounter,
                   "NEG a=[1,4,3] -> e:f32[1,4,3] ; "
                   "MUL b=[1,4,3] half=[1](0.5) -> h:f32[1,4,3] ; "
                   "ADD h a -> s:f32[1,4,3]",
                   more),
      "i a b",
      "n " + next,
      steps};
}
std::vector<uint8_t> PairModel(int steps, const std::string& next = "s e",
                               const std::string& more = "") {
  return ModelOf(Pair(steps, next, more));
}

// a = -a by way of another shape. `places`: another state is where a > 0, which
// is known only at run time.
std::vector<uint8_t> ReshapingModel(bool places) {
  Loop loop = OneState("[1,4,3]",
                       "RESHAPE x flat=(12) -> r:f32[12] ; NEG r -> q:f32[12] "
                       "; RESHAPE q back=(1,4,3) -> y:f32{s}",
                       3);
  loop.body.replace(loop.body.find("RESHAPE x "), 10, "RESHAPE x=[1,4,3] ");
  if (!places) return ModelOf(loop);
  loop.outer =
      "GREATER x=[1,4,3] zero=[1](0.0) -> g:bool[1,4,3] ; "
      "WHERE g -> where:i64[12,3] ; WHILE i=0 x where {w} m:i32[] "
      "o:f32[1,4,3] p:i64[12,3] ; NEG o3 -> z:f32[1,4,3]";
  loop.body += " ; NEG places=i64[12,3] -> unused:i64[12,3]";
  loop.inputs += " places";
  loop.next += " places";
  loop.change = [](ModelBuilder& outer, ModelBuilder&) {
    outer.SetShapeSignature(Named(outer, "where")[0], {-1, 3});
  };
  return ModelOf(loop);
}

class DelegateLoopTest : public DeviceTest {
 protected:
  // Why the loop stays on the CPU. The model runs.
  static std::string ReasonOf(std::vector<uint8_t> bytes) {
    DelegatePair pair = MakePair(std::move(bytes));
    ExpectSame(&pair);
    return ReasonOf(pair.delegate);
  }
  static std::string ReasonOf(const DelegatePtr& delegate) {
    const nlohmann::json report = ReportOf(delegate);
    for (const auto& refusal : report["cpu"]) {
      if (refusal["op"] == "WHILE") return refusal["reason"];
    }
    return "";
  }
};

TEST_F(DelegateLoopTest, RunsAsItsSteps) {
  for (Write write : {Write::kJoined, Write::kUpdated}) {
    DelegatePair pair = MakePair(CellModel(4, write));
    ExpectWhole(pair);
    ExpectSame(&pair);
  }
}

TEST_F(DelegateLoopTest, RunsIn16Bits) {
  DelegatePair pair = MakePair(CellModel(4, Write::kJoined), [](auto& o) {
    o.is_precision_loss_allowed = 1;
  });
  ExpectWhole(pair);
  const auto expected = RunOnce(pair.cpu.get());
  const auto actual = RunOnce(pair.gpu.get());
  ASSERT_TRUE(expected.ok() && actual.ok());
  // TANH's slope is at most 1, so a step adds the roundings of x, the sum and
  // the result, all below 4, to half of those before: at most six of 2^-10.
  EXPECT_THAT(*actual, ::testing::Pointwise(::testing::FloatNear(6.0f / 1024),
                                            *expected));
}

TEST_F(DelegateLoopTest, RunsNoStepOrOne) {
  for (Write write : {Write::kJoined, Write::kUpdated}) {
    for (int steps : {0, 1}) {
      DelegatePair pair = MakePair(CellModel(3, write, /*first=*/3 - steps));
      ExpectWhole(pair);
      ExpectSame(&pair);
    }
  }
}

// Rows that no step writes, before and after those that steps write.
TEST_F(DelegateLoopTest, KeepsOtherRows) {
  for (Write write : {Write::kJoined, Write::kUpdated}) {
    DelegatePair pair = MakePair(CellModel(4, write, /*first=*/2, /*rows=*/6));
    ExpectWhole(pair);
    ExpectSame(&pair);
  }
}

// A step that copied its list would take as many dispatches more.
TEST_F(DelegateLoopTest, CopiesNoList) {
  const auto dispatches = [](int steps) {
    const DelegatePair pair =
        MakePair(CellModel(steps, Write::kJoined),
                 [](auto& o) { o.startup = kTfLiteGlesStartupDirect; });
    return ReportOf(pair.delegate)["partition"][0]["plan"].size();
  };
  // A row of x in two, the cell, and its row of the list.
  EXPECT_LE(dispatches(8) - dispatches(4), 4u * 4);
}

// x = x / 2 + a, twice, in each step: fewer than all would be fused into one.
TEST_F(DelegateLoopTest, AllStepsHaveTheSamePrograms) {
  const auto report = [](int steps) {
    DelegatePair pair = MakePair(
        ModelOf(OneState("[1,4,3]",
                         "MUL x={s} f=[1](0.5) -> a:f32{s} ; ADD a "
                         "g=[1](0.25) -> b:f32{s} ; ABS b -> c:f32{s} ; "
                         "MUL c f -> d:f32{s} ; ADD d h=[1](0.5) -> e:f32{s} "
                         "; ABS e -> y:f32{s}",
                         steps)),
        [](auto& o) { o.startup = kTfLiteGlesStartupDirect; });
    ExpectWhole(pair);
    ExpectSame(&pair);
    return ReportOf(pair.delegate);
  };
  const nlohmann::json few = report(20), many = report(60);
  EXPECT_EQ(many["programs"], few["programs"]);
  // Two steps of 6 functions fit into one.
  EXPECT_EQ(many["partition"][0]["plan"].size(), 30u);
}

// All steps together are too large for the self-check; one is not.
TEST_F(DelegateLoopTest, TheSelfCheckRunsOneStep) {
  const DelegatePair pair = MakePair(
      ModelOf(OneState("[64,512]", "SOFTMAX x={s} beta=1 -> y:f32{s}", 140)),
      [](auto& o) { o.startup = kTfLiteGlesStartupDirect; });
  ExpectWhole(pair);
  const auto check = ReportOf(pair.delegate)["partition"][0]["self_check"];
  EXPECT_EQ(check["verdict"], "right") << check;
}

// h = W h in each step.
TEST_F(DelegateLoopTest, HasItsWeightsOnce) {
  const auto constants = [](int steps) {
    DelegatePair pair = MakePair(ModelOf(OneState(
        "[2,12]",
        "FULLY_CONNECTED x={s} w=const:f32[12,12](0.0625) b=- -> y:f32{s}",
        steps)));
    ExpectWhole(pair);
    ExpectSame(&pair);
    return ReportOf(pair.delegate)["gpu_bytes"]["constants"].get<int>();
  };
  const int of_one_step = constants(1);
  EXPECT_GT(of_one_step, 0);
  EXPECT_EQ(constants(5), of_one_step);
}

TEST_F(DelegateLoopTest, TellsStatesOfOneShapeApart) {
  for (bool crosses : {false, true}) {
    DelegatePair pair = MakePair(PairModel(3, crosses ? "e s" : "s e"));
    ExpectWhole(pair);
    ExpectSame(&pair);
  }
}

TEST_F(DelegateLoopTest, PassesAnInputOn) {
  DelegatePair pair = MakePair(PairModel(3, "s b"));
  ExpectWhole(pair);
  ExpectSame(&pair);
}

// The model stays on the CPU, but the delegate is applied to the body.
TEST_F(DelegateLoopTest, AFaultOfTheModelLeavesTheBodyItsShapes) {
  const auto model =
      LoadOrDie(EditModel(ReshapingModel(/*places=*/false), [](auto& model) {
        schema::SubGraphT& graph = *model.subgraphs[0];
        graph.tensors[graph.outputs[0]]->is_variable = true;
      }));
  const DelegatePtr delegate =
      MakeDelegate([](auto& options) { options.max_delegated_partitions = 0; });
  InterpreterOptions options;
  options.delegate = delegate.get();
  options.apply = InterpreterOptions::Apply::kOptions;
  const auto interpreter = Interpreter::Create(*model, options);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  ExpectClose(RunOnce(interpreter->get()), CpuResult(*model));
}

TEST_F(DelegateLoopTest, AnUnknownInputLeavesTheBodyItsShapes) {
  DelegatePair pair = MakePair(ReshapingModel(/*places=*/true));
  ExpectSame(&pair);
}

TEST_F(DelegateLoopTest, FollowsAResize) {
  for (auto mode : {kTfLiteGlesThreadCaller, kTfLiteGlesThreadWorker}) {
    DelegatePair pair =
        MakePair(PairModel(3), [mode](auto& o) { o.thread_mode = mode; });
    for (const Shape& shape : {Shape{3, 2, 5}, Shape{1, 4, 3}}) {
      Resize(&pair, {shape, shape});
      ExpectSame(&pair);
      ExpectWhole(pair);
    }
  }
}

// The number of steps is an extent of an input.
TEST_F(DelegateLoopTest, AResizeChangesTheSteps) {
  DelegatePair pair = MakePair(ModelOf(
      {"SHAPE x=[4,3] out_type=INT32 -> dims:i32[2] ; "
       "GATHER dims first=0 -> count:i32[] ; "
       "WHILE i=0 h=const:f32[3](1,2,3) x count {w} m:i32[] o:f32[3] "
       "p:f32[4,3] q:i32[] ; NEG o3 -> z:f32[3]",
       "z",
       absl::StrCat(kNextCounter,
                    "GATHER x=[4,3] i -> row:f32[3] ; MUL h=[3] half=[1](0.5) "
                    "-> k:f32[3] ; ADD k row -> s:f32[3] ; "
                    "NEG count=i32[] -> unused:i32[]"),
       "i h x count", "n s x count"}));
  ExpectWhole(pair);
  ExpectSame(&pair);
  for (int steps : {7, 1, 4}) {
    Resize(&pair, {{steps, 3}});
    ExpectWhole(pair);
    ExpectSame(&pair);
  }
}

// Each step appends a row.
TEST_F(DelegateLoopTest, AStateMayGrow) {
  DelegatePair pair = MakePair(ModelOf(OneState(
      "[1,2,3]",
      "NEG x={s} -> e:f32{s} ; CONCATENATION e x axis=0 -> y:f32[2,2,3]", 3)));
  ExpectWhole(pair);
  ExpectSame(&pair);
}

Loop Squares() { return OneState("[1,3]", "SQUARE x={s} -> y:f32{s}", 2); }

TEST_F(DelegateLoopTest, TheLastCounterIsAnOutput) {
  Loop loop = Squares();
  loop.outer = loop.outer.substr(0, loop.outer.find(" ; NEG"));
  loop.outputs = "m0 o1";
  DelegatePair pair = MakePair(ModelOf(loop));
  ExpectWhole(pair);
  ExpectSame(&pair);
}

// Nodes that no longer fit are computed by TFLite's own kernels.
TEST_F(DelegateLoopTest, RunsOnTheCpuAfterAResize) {
  DelegatePair pair =
      MakePair(PairModel(3), [](auto& o) { o.memory_limit_bytes = 100000; });
  ExpectWhole(pair);
  for (int width : {9000, 8000, 4}) {
    Resize(&pair, {{1, width, 3}, {1, width, 3}});
    ExpectSame(&pair);
  }
}

// Tensors are allocated before the delegate, which takes nothing.
TEST_F(DelegateLoopTest, RunsIfNothingIsTaken) {
  const auto model = LoadOrDie(CellModel(4, Write::kJoined));
  const DelegatePtr delegate =
      MakeDelegate([](auto& o) { o.exclude_nodes = "0-2"; });
  auto interpreter = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->AllocateTensors().ok());
  const auto expected = RunOnce(interpreter.get());
  ASSERT_TRUE(expected.ok());
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  ExpectClose(RunOnce(interpreter.get()), *expected);
  EXPECT_THAT(ReasonOf(delegate), HasSubstr("exclude_nodes"));
}

TEST_F(DelegateLoopTest, RefusesAnUnknownNumberOfSteps) {
  Loop loop = Squares();
  loop.outer.replace(loop.outer.find("i=0"), 3, "i=i32[]");
  EXPECT_THAT(ReasonOf(ModelOf(loop)),
              HasSubstr("the number of its steps is known only at run time"));
}

// Of another type than its input, as only the runtime's kernel takes it.
TEST_F(DelegateLoopTest, AStringOutputStaysTheRuntimes) {
  Loop loop = Squares();
  loop.change = [](ModelBuilder& outer, ModelBuilder&) {
    outer.model().subgraphs[0]->tensors[Named(outer, "m0")[0]]->type =
        TensorType::STRING;
  };
  EXPECT_THAT(ReasonOf(ModelOf(loop)), HasSubstr("other types"));
}

TEST_F(DelegateLoopTest, RefusesTooManySteps) {
  const DelegatePair pair = MakePair(PairModel(100000));
  EXPECT_THAT(ReasonOf(pair.delegate),
              AllOf(HasSubstr("its body of 4 nodes runs more than 2048 times"),
                    HasSubstr("at most 8192 nodes")));
}

// x = W x in each step, W with `size` rows; the number of steps is an input if
// `steps` is 0.
std::vector<uint8_t> ProductsModel(int size, int steps) {
  Loop loop = OneState(
      absl::StrCat("[1,", size, "]"),
      absl::StrCat("FULLY_CONNECTED x={s} w=const:f32[", size, ",", size, "](",
                   1.0f / static_cast<float>(size), ") b=- -> y:f32{s}"),
      steps > 0 ? steps : 3);
  if (steps == 0) loop.outer.replace(loop.outer.find("i=0"), 3, "i=i32[]");
  return ModelOf(loop);
}
void EachThatPays(TfLiteGlesDelegateOptions& o) {
  o.max_delegated_partitions = -1;
}

TEST_F(DelegateLoopTest, LeavesManyStepsThatDoNotPayToTheRuntime) {
  DelegatePair small = MakePair(ProductsModel(8, 257), EachThatPays);
  EXPECT_THAT(ReasonOf(small.delegate), HasSubstr("its 257 steps do not pay"));
  EXPECT_EQ(ReportOf(small.delegate)["nodes_delegated"], 0);
  ExpectSame(&small);
  ExpectWhole(MakePair(ProductsModel(8, 256), EachThatPays));
  ExpectWhole(MakePair(ProductsModel(8, 257)));
  ExpectWhole(MakePair(ProductsModel(256, 257), EachThatPays));
}

// Each step of a loop that the runtime runs crosses the border.
TEST_F(DelegateLoopTest, TakesABodyIfItPaysAtEachStep) {
  const auto delegated = [](int size, auto options) {
    DelegatePair pair = MakePair(ProductsModel(size, 0), options);
    ExpectSame(&pair);
    return ReportOf(pair.delegate)["nodes_delegated"].get<int>();
  };
  // The condition, the body's two nodes, and what follows the loop.
  const auto all = [](auto& o) { o.max_delegated_partitions = 0; };
  EXPECT_EQ(delegated(8, all), 4);
  EXPECT_EQ(delegated(8, EachThatPays), 0);
  EXPECT_EQ(delegated(512, EachThatPays), 2);
}

// Each step has its tensors, and a small file can have many that nothing uses.
TEST_F(DelegateLoopTest, RefusesStepsThatTakeTooMuchMemory) {
  Loop loop = Pair(1000, "s e");
  loop.change = [](ModelBuilder&, ModelBuilder& body) {
    for (int i = 0; i < 20000; ++i) body.AddTensor("", {1});
  };
  const DelegatePair pair = MakePair(ModelOf(loop));
  EXPECT_THAT(ReasonOf(pair.delegate),
              AllOf(HasSubstr("a step of a loop takes"),
                    HasSubstr("of 268435456 bytes")));
}

TEST_F(DelegateLoopTest, NamesTheOpThatKeepsItOnTheCpu) {
  EXPECT_THAT(
      ReasonOf(
          PairModel(2, "back e",
                    " ; RESHAPE s image=(1,1,4,3) -> its_image:f32[1,1,4,3] ; "
                    "L2_POOL_2D its_image filter=1 -> its_pool:f32[1,1,4,3] ; "
                    "RESHAPE its_pool to=(1,4,3) -> back:f32[1,4,3]")),
      AllOf(HasSubstr("L2_POOL_2D of its body"), HasSubstr("its_pool")));
}

// The two states trade places; both are one tensor.
TEST_F(DelegateLoopTest, RefusesWhatItCannotTell) {
  for (const char* next : {"b a", "s s"}) {
    EXPECT_THAT(ReasonOf(PairModel(3, next)), HasSubstr("its body's output 1"));
  }
}

TEST_F(DelegateLoopTest, ALoopInsideStaysOnTheCpu) {
  ModelBuilder builder = cases::BuilderOf(
      "WHILE i=0 x=[1,4,3] cond_subgraph_index=1 body_subgraph_index=2 -> "
      "m:i32[] o:f32[1,4,3] ; NEG o1 -> z:f32[1,4,3]");
  builder.SetOutputs(Named(builder, "z"));
  for (const char* loop :
       {"ADD i=i32[] one=1 -> n:i32[] ; WHILE zero=0 x=[1,4,3] "
        "cond_subgraph_index=3 body_subgraph_index=4 -> last:i32[] "
        "y:f32[1,4,3]",
        "ADD i=i32[] one=1 -> n:i32[] ; ADD x=[1,4,3] x -> y:f32[1,4,3]"}) {
    const bool is_outer = absl::StrContains(loop, "WHILE");
    ModelBuilder condition =
        cases::BuilderOf(is_outer ? "LESS i=i32[] end=2 -> bool[]"
                                  : "LESS i=i32[] end=3 -> bool[]");
    condition.AddInput("x", {1, 4, 3});
    ModelBuilder body = cases::BuilderOf(loop);
    body.SetOutputs(Named(body, is_outer ? "n y2" : "n y"));
    builder.AddSubgraph(std::move(condition));
    builder.AddSubgraph(std::move(body));
  }
  EXPECT_THAT(ReasonOf(builder.Finish()), HasSubstr("WHILE of its body"));
}

TEST_F(DelegateLoopTest, RefusesAMissingSubgraph) {
  for (int index : {3, -1, 1 << 30}) {
    Loop loop = Squares();
    loop.change = [index](ModelBuilder& outer, ModelBuilder&) {
      outer.model()
          .subgraphs[0]
          ->operators[0]
          ->builtin_options.AsWhileOptions()
          ->body_subgraph_index = index;
    };
    const auto model = LoadOrDie(ModelOf(loop));
    const DelegatePtr delegate = MakeDelegate();
    InterpreterOptions options;
    options.delegate = delegate.get();
    options.apply = InterpreterOptions::Apply::kOptions;
    EXPECT_FALSE(Interpreter::Create(*model, options).ok());
    EXPECT_THAT(ReasonOf(delegate), HasSubstr("TFLite's own kernel of node 0"));
  }
}

// Keras's layers (./dev zoo --corpus).
TEST_F(DelegateLoopTest, ExportedModelsRunWhole) {
  for (const char* name : {"lstm", "gru", "gru_sequence", "conv_lstm"}) {
    SCOPED_TRACE(name);
    auto model = Model::FromFile(absl::StrCat(
        GLES_DELEGATE_SOURCE_DIR, "/tests/corpus/", name, ".float32.tflite"));
    ASSERT_TRUE(model.ok()) << model.status();
    DelegatePair pair;
    pair.model = *std::move(model);
    pair.delegate =
        MakeDelegate([](auto& o) { o.max_delegated_partitions = 0; });
    pair.cpu = InterpreterOrDie(*pair.model);
    pair.gpu = Applied(*pair.model, pair.delegate);
    ExpectWhole(pair);
    ExpectSame(&pair);
  }
}

}  // namespace
}  // namespace gles_delegate::testing
