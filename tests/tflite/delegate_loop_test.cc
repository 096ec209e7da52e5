// labels: op delegate llvmpipe sanitize
// WHILE: if the number of steps is known, the nodes of all steps run in its
// place.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/delegate_pair.h"
#include "tests/testing/device_test.h"
#include "tests/testing/edit_model.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A model with one loop. The counter is its state 0.
struct LoopModel {
  ModelBuilder outer, condition, body;
  std::vector<int> inputs, outputs, in_body;
  int limit = -1;  // the condition's input, if a state is the number of steps

  // A state that begins as the model's tensor `first`. Returns its position.
  int AddState(int first, const Shape& shape,
               TensorType type = TensorType::FLOAT32) {
    const std::string name = absl::StrCat("state", inputs.size());
    inputs.push_back(first);
    outputs.push_back(outer.AddTensor("last_" + name, shape, type));
    in_body.push_back(body.AddInput("body_" + name, shape, type));
    const int in_condition =
        condition.AddInput("condition_" + name, shape, type);
    if (type == TensorType::INT32) limit = in_condition;
    return static_cast<int>(inputs.size()) - 1;
  }
  int AddCounter(int first) { return AddState(first, {}, TensorType::INT32); }
  int AddFirst(int32_t value = 0) {
    return outer.AddConstant<int32_t>("first", {}, std::vector{value});
  }
  int Constant(const std::vector<float>& values) {
    return body.AddConstant<float>("constant",
                                   {static_cast<int>(values.size())}, values);
  }

  int Op1(Op op, std::vector<int> from, const Shape& shape) {
    const int to = body.AddTensor(absl::StrCat("t", count_++), shape);
    if (op == Op::ADD) {
      body.AddOp(op, 1, std::move(from), {to}, schema::AddOptionsT());
    } else if (op == Op::MUL) {
      body.AddOp(op, 1, std::move(from), {to}, schema::MulOptionsT());
    } else {
      body.AddOp(op, 1, std::move(from), {to});
    }
    return to;
  }
  int Ints(const std::vector<int32_t>& values) {
    return body.AddConstant<int32_t>("ints", {static_cast<int>(values.size())},
                                     values);
  }
  int NextCounter() {
    const int one =
        body.AddConstant<int32_t>("one", {}, std::vector<int32_t>{1});
    const int next = body.AddTensor("next", {}, TensorType::INT32);
    body.AddOp(Op::ADD, 1, {in_body[0], one}, {next}, schema::AddOptionsT());
    return next;
  }
  // [value, others...], as the place of a list's row or the size of its start.
  int RowAnd(int value, const std::vector<int32_t>& others) {
    const int row = body.AddTensor("row", {1}, TensorType::INT32);
    const int all = body.AddTensor("all", {static_cast<int>(others.size()) + 1},
                                   TensorType::INT32);
    body.AddOp(Op::RESHAPE, 1, {value, Ints({1})}, {row},
               schema::ReshapeOptionsT());
    body.AddOp(Op::CONCATENATION, 1, {row, Ints(others)}, {all},
               schema::ConcatenationOptionsT());
    return all;
  }
  // The list with `row` in place of that at the counter, as TensorFlow's
  // converter writes it.
  int Joined(int list, int row, const Shape& shape, int next) {
    Shape part = shape;
    part[0] = 1;
    const int before = body.AddTensor("before", part);
    const int after = body.AddTensor("after", part);
    body.SetShapeSignature(before, {-1, -1, -1});
    body.SetShapeSignature(after, {-1, -1, -1});
    const int joined = body.AddTensor("joined", shape);
    body.AddOp(Op::SLICE, 1,
               {list, Ints({0, 0, 0}), RowAnd(in_body[0], {-1, -1})}, {before});
    body.AddOp(Op::SLICE, 1, {list, RowAnd(next, {0, 0}), Ints({-1, -1, -1})},
               {after});
    body.AddOp(Op::CONCATENATION, 1, {before, row, after}, {joined},
               schema::ConcatenationOptionsT());
    return joined;
  }
  int Updated(int list, int row, const Shape& shape) {
    const int updated = body.AddTensor("updated", shape);
    body.AddOp(Op::DYNAMIC_UPDATE_SLICE, 1,
               {list, row, RowAnd(in_body[0], {0, 0})}, {updated});
    return updated;
  }
  int RowAt(int list, const Shape& shape) {
    const int row = body.AddTensor("row_of_list", {shape[1], shape[2]});
    body.AddOp(Op::GATHER, 1, {list, in_body[0]}, {row},
               schema::GatherOptionsT());
    return row;
  }

  // Adds the loop: as long as the counter is less than `steps`, or than the
  // state `limit` if that is 0.
  void Finish(std::vector<int> next, int steps) {
    const int less = condition.AddTensor("less", {}, TensorType::BOOL);
    const int end = steps == 0 ? limit
                               : condition.AddConstant<int32_t>(
                                     "steps", {}, std::vector{steps});
    condition.AddOp(Op::LESS, 1, {0, end}, {less});
    condition.SetOutputs({less});
    body.SetOutputs(std::move(next));
    schema::WhileOptionsT options;
    options.cond_subgraph_index = 1;
    options.body_subgraph_index = 2;
    outer.AddOp(Op::WHILE, 1, inputs, outputs, options);
  }
  // The outputs that follow the counter's, each as NEG of it.
  std::vector<uint8_t> Model(const std::vector<Shape>& shapes) {
    std::vector<int> results;
    for (size_t i = 0; i < shapes.size(); ++i) {
      results.push_back(outer.AddTensor(absl::StrCat("y", i), shapes[i]));
      outer.AddOp(Op::NEG, 1, {outputs[i + 1]}, {results.back()});
    }
    outer.SetOutputs(results);
    outer.AddSubgraph(std::move(condition));
    outer.AddSubgraph(std::move(body));
    return outer.Finish();
  }

 private:
  int count_ = 0;
};

enum class Write { kJoined, kUpdated };

// h = TANH(x[i] + h / 2) in each step, and the list of all h.
std::vector<uint8_t> CellModel(int steps, Write write, int first = 0,
                               int rows = 0) {
  const Shape list = {rows > 0 ? rows : steps, 2, 5}, h = {2, 5};
  LoopModel m;
  const int x = m.outer.AddInput("x", list);
  const int zeros = m.outer.AddConstant<float>(
      "zeros", list, std::vector<float>(ElementCount(list), 0.25f));
  const int h0 =
      m.outer.AddConstant<float>("h0", h, std::vector<float>(10, 0.5f));
  m.AddCounter(m.AddFirst(first));
  const int results = m.AddState(zeros, list), hidden = m.AddState(h0, h),
            rows_of_x = m.AddState(x, list);
  const int next = m.NextCounter();
  const int row = m.RowAt(m.in_body[rows_of_x], list);
  const int half = m.Op1(Op::MUL, {m.in_body[hidden], m.Constant({0.5f})}, h);
  const int sum = m.Op1(Op::ADD, {row, half}, h);
  const int new_h = m.Op1(Op::TANH, {sum}, h);
  const int new_row = m.body.AddTensor("new_row", {1, 2, 5});
  m.body.AddOp(Op::RESHAPE, 1, {new_h, m.Ints({1, 2, 5})}, {new_row},
               schema::ReshapeOptionsT());
  const int joined = write == Write::kJoined
                         ? m.Joined(m.in_body[results], new_row, list, next)
                         : m.Updated(m.in_body[results], new_row, list);
  m.Finish({next, joined, new_h, m.in_body[rows_of_x]}, steps);
  return m.Model({list, h});
}

// Two states of one shape: a, b = b / 2 + a, -a. `what` is what becomes of
// them.
std::vector<uint8_t> PairModel(
    int steps, const std::function<std::vector<int>(LoopModel&)>& what) {
  const Shape shape = {1, 4, 3};
  LoopModel m;
  const int a = m.outer.AddInput("a", shape);
  const int b = m.outer.AddInput("b", shape);
  m.AddCounter(m.AddFirst());
  m.AddState(a, shape);
  m.AddState(b, shape);
  std::vector<int> next = {m.NextCounter()};
  for (int id : what(m)) next.push_back(id);
  m.Finish(next, steps);
  return m.Model({shape, shape});
}
std::vector<int> Crossed(LoopModel& m) {
  const Shape shape = {1, 4, 3};
  const int negated = m.Op1(Op::NEG, {m.in_body[1]}, shape);
  const int half = m.Op1(Op::MUL, {m.in_body[2], m.Constant({0.5f})}, shape);
  const int sum = m.Op1(Op::ADD, {half, m.in_body[1]}, shape);
  return {sum, negated};
}

// a = -a by way of another shape. `places`: another state is where a > 0, which
// is known only at run time.
std::vector<uint8_t> ReshapingModel(bool places) {
  const Shape shape = {1, 4, 3}, flat = {12};
  LoopModel m;
  const int a = m.outer.AddInput("a", shape);
  m.AddCounter(m.AddFirst());
  m.AddState(a, shape);
  if (places) {
    const int zero =
        m.outer.AddConstant<float>("zero", {1}, std::vector<float>{0});
    const int greater = m.outer.AddTensor("greater", shape, TensorType::BOOL);
    const int where = m.outer.AddTensor("where", {12, 3}, TensorType::INT64);
    m.outer.SetShapeSignature(where, {-1, 3});
    m.outer.AddOp(Op::GREATER, 1, {a, zero}, {greater});
    m.outer.AddOp(Op::WHERE, 1, {greater}, {where});
    m.AddState(where, {12, 3}, TensorType::INT64);
  }
  const int row = m.body.AddTensor("row", flat);
  const int back = m.body.AddTensor("back", shape);
  m.body.AddOp(Op::RESHAPE, 1, {m.in_body[1], m.Ints({12})}, {row},
               schema::ReshapeOptionsT());
  const int negated = m.Op1(Op::NEG, {row}, flat);
  m.body.AddOp(Op::RESHAPE, 1, {negated, m.Ints({1, 4, 3})}, {back},
               schema::ReshapeOptionsT());
  std::vector<int> next = {m.NextCounter(), back};
  if (places) next.push_back(m.in_body[2]);
  m.Finish(next, 3);
  return m.Model({shape});
}

class DelegateLoopTest : public DeviceTest {
 protected:
  static void Resize(DelegatePair* pair, const std::vector<Shape>& shapes) {
    for (Interpreter* i : {pair->cpu.get(), pair->gpu.get()}) {
      for (size_t k = 0; k < shapes.size(); ++k) {
        ASSERT_TRUE(i->ResizeInput(static_cast<int>(k), shapes[k]).ok());
      }
      const absl::Status allocated = i->AllocateTensors();
      ASSERT_TRUE(allocated.ok()) << allocated;
    }
  }
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
    const Shape shape = {1, 4, 3};
    LoopModel m;
    m.AddCounter(m.AddFirst());
    const int x = m.AddState(m.outer.AddInput("x", shape), shape);
    const int next = m.NextCounter();
    int y = m.in_body[x];
    for (float a : {0.25f, 0.5f}) {
      y = m.Op1(Op::MUL, {y, m.Constant({0.5f})}, shape);
      y = m.Op1(Op::ADD, {y, m.Constant({a})}, shape);
      y = m.Op1(Op::ABS, {y}, shape);
    }
    m.Finish({next, y}, steps);
    DelegatePair pair = MakePair(m.Model({shape}), [](auto& o) {
      o.startup = kTfLiteGlesStartupDirect;
    });
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
  const Shape shape = {64, 512};
  LoopModel m;
  m.AddCounter(m.AddFirst());
  const int x = m.AddState(m.outer.AddInput("x", shape), shape);
  const int next = m.NextCounter();
  const int y = m.body.AddTensor("y", shape);
  schema::SoftmaxOptionsT softmax;
  softmax.beta = 1;
  m.body.AddOp(Op::SOFTMAX, 1, {m.in_body[x]}, {y}, softmax);
  m.Finish({next, y}, 140);
  const DelegatePair pair = MakePair(
      m.Model({shape}), [](auto& o) { o.startup = kTfLiteGlesStartupDirect; });
  ExpectWhole(pair);
  const auto check = ReportOf(pair.delegate)["partition"][0]["self_check"];
  EXPECT_EQ(check["verdict"], "right") << check;
}

// h = W h in each step.
TEST_F(DelegateLoopTest, HasItsWeightsOnce) {
  const auto constants = [](int steps) {
    const Shape shape = {2, 12};
    LoopModel m;
    m.AddCounter(m.AddFirst());
    const int h = m.AddState(m.outer.AddInput("h", shape), shape);
    const int weights = m.body.AddConstant<float>(
        "weights", {12, 12}, std::vector<float>(144, 0.0625f));
    const int product = m.body.AddTensor("product", shape);
    const int next = m.NextCounter();
    m.body.AddOp(Op::FULLY_CONNECTED, 1, {m.in_body[h], weights, -1}, {product},
                 schema::FullyConnectedOptionsT());
    m.Finish({next, product}, steps);
    DelegatePair pair = MakePair(m.Model({shape}));
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
    DelegatePair pair = MakePair(PairModel(3, [crosses](LoopModel& m) {
      std::vector<int> next = Crossed(m);
      if (crosses) std::swap(next[0], next[1]);
      return next;
    }));
    ExpectWhole(pair);
    ExpectSame(&pair);
  }
}

TEST_F(DelegateLoopTest, PassesAnInputOn) {
  DelegatePair pair = MakePair(PairModel(3, [](LoopModel& m) {
    return std::vector<int>{Crossed(m)[0], m.in_body[2]};
  }));
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
    DelegatePair pair = MakePair(PairModel(3, Crossed),
                                 [mode](auto& o) { o.thread_mode = mode; });
    for (const Shape& shape : {Shape{3, 2, 5}, Shape{1, 4, 3}}) {
      Resize(&pair, {shape, shape});
      ExpectSame(&pair);
      ExpectWhole(pair);
    }
  }
}

// The number of steps is an extent of an input.
TEST_F(DelegateLoopTest, AResizeChangesTheSteps) {
  LoopModel m;
  const Shape shape = {4, 3};
  const int x = m.outer.AddInput("x", shape);
  const int h0 =
      m.outer.AddConstant<float>("h0", {3}, std::vector<float>{1, 2, 3});
  const int dims = m.outer.AddTensor("dims", {2}, TensorType::INT32);
  const int count = m.outer.AddTensor("count", {}, TensorType::INT32);
  schema::ShapeOptionsT of_x;
  of_x.out_type = TensorType::INT32;
  m.outer.AddOp(Op::SHAPE, 1, {x}, {dims}, of_x);
  schema::GatherOptionsT gather;
  m.outer.AddOp(Op::GATHER, 1, {dims, m.AddFirst()}, {count}, gather);
  m.AddCounter(m.AddFirst());
  const int h = m.AddState(h0, {3});
  const int rows = m.AddState(x, shape);
  const int limit = m.AddCounter(count);
  const int next = m.NextCounter();
  const int row = m.body.AddTensor("row", {3});
  m.body.AddOp(Op::GATHER, 1, {m.in_body[rows], m.in_body[0]}, {row}, gather);
  const int half = m.Op1(Op::MUL, {m.in_body[h], m.Constant({0.5f})}, {3});
  const int sum = m.Op1(Op::ADD, {half, row}, {3});
  m.Finish({next, sum, m.in_body[rows], m.in_body[limit]}, 0);
  DelegatePair pair = MakePair(m.Model({{3}}));
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
  LoopModel m;
  const int x = m.outer.AddInput("x", {1, 2, 3});
  m.AddCounter(m.AddFirst());
  const int list = m.AddState(x, {1, 2, 3});
  const int next = m.NextCounter();
  const int joined = m.body.AddTensor("joined", {2, 2, 3});
  const int negated = m.Op1(Op::NEG, {m.in_body[list]}, {1, 2, 3});
  m.body.AddOp(Op::CONCATENATION, 1, {negated, m.in_body[list]}, {joined},
               schema::ConcatenationOptionsT());
  m.Finish({next, joined}, 3);
  DelegatePair pair = MakePair(m.Model({{1, 2, 3}}));
  ExpectWhole(pair);
  ExpectSame(&pair);
}

TEST_F(DelegateLoopTest, TheLastCounterIsAnOutput) {
  LoopModel m;
  const int x = m.outer.AddInput("x", {1, 3});
  m.AddCounter(m.AddFirst());
  const int state = m.AddState(x, {1, 3});
  m.Finish({m.NextCounter(), m.Op1(Op::SQUARE, {m.in_body[state]}, {1, 3})}, 2);
  m.outer.SetOutputs({m.outputs[0], m.outputs[1]});
  m.outer.AddSubgraph(std::move(m.condition));
  m.outer.AddSubgraph(std::move(m.body));
  DelegatePair pair = MakePair(m.outer.Finish());
  ExpectWhole(pair);
  ExpectSame(&pair);
}

// Nodes that no longer fit are computed by TFLite's own kernels.
TEST_F(DelegateLoopTest, RunsOnTheCpuAfterAResize) {
  DelegatePair pair = MakePair(PairModel(3, Crossed),
                               [](auto& o) { o.memory_limit_bytes = 100000; });
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
  LoopModel m;
  const int first = m.outer.AddInput("i", {}, TensorType::INT32);
  const int x = m.outer.AddInput("x", {1, 3});
  m.AddCounter(first);
  const int state = m.AddState(x, {1, 3});
  m.Finish({m.NextCounter(), m.Op1(Op::SQUARE, {m.in_body[state]}, {1, 3})}, 2);
  EXPECT_THAT(ReasonOf(m.Model({{1, 3}})),
              HasSubstr("the number of its steps is known only at run time"));
}

// Of another type than its input, as only the runtime's kernel takes it.
TEST_F(DelegateLoopTest, AStringOutputStaysTheRuntimes) {
  LoopModel m;
  const int x = m.outer.AddInput("x", {1, 3});
  m.AddCounter(m.AddFirst());
  const int state = m.AddState(x, {1, 3});
  m.Finish({m.NextCounter(), m.Op1(Op::SQUARE, {m.in_body[state]}, {1, 3})}, 2);
  m.outer.model().subgraphs[0]->tensors[m.outputs[0]]->type =
      TensorType::STRING;
  EXPECT_THAT(ReasonOf(m.Model({{1, 3}})), HasSubstr("other types"));
}

TEST_F(DelegateLoopTest, RefusesTooManySteps) {
  const DelegatePair pair = MakePair(PairModel(100000, Crossed));
  EXPECT_THAT(ReasonOf(pair.delegate),
              AllOf(HasSubstr("its body of 4 nodes runs more than 2048 times"),
                    HasSubstr("at most 8192 nodes")));
}

// x = W x in each step, W with `size` rows; the number of steps is an input if
// `steps` is 0.
std::vector<uint8_t> ProductsModel(int size, int steps) {
  const Shape shape = {1, size};
  LoopModel m;
  m.AddCounter(steps > 0 ? m.AddFirst()
                         : m.outer.AddInput("i", {}, TensorType::INT32));
  const int x = m.AddState(m.outer.AddInput("x", shape), shape);
  const int weights = m.body.AddConstant<float>(
      "weights", {size, size},
      std::vector<float>(static_cast<size_t>(size) * size,
                         1.0f / static_cast<float>(size)));
  const int product = m.body.AddTensor("product", shape);
  const int next = m.NextCounter();
  m.body.AddOp(Op::FULLY_CONNECTED, 1, {m.in_body[x], weights, -1}, {product},
               schema::FullyConnectedOptionsT());
  m.Finish({next, product}, steps > 0 ? steps : 3);
  return m.Model({shape});
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
  const DelegatePair pair = MakePair(PairModel(1000, [](LoopModel& m) {
    for (int i = 0; i < 20000; ++i) m.body.AddTensor("", {1});
    return Crossed(m);
  }));
  EXPECT_THAT(ReasonOf(pair.delegate),
              AllOf(HasSubstr("a step of a loop takes"),
                    HasSubstr("of 268435456 bytes")));
}

TEST_F(DelegateLoopTest, NamesTheOpThatKeepsItOnTheCpu) {
  EXPECT_THAT(
      ReasonOf(PairModel(
          2,
          [](LoopModel& m) {
            std::vector<int> next = Crossed(m);
            const int four = m.body.AddTensor("its_image", {1, 1, 4, 3});
            const int pooled = m.body.AddTensor("its_pool", {1, 1, 4, 3});
            const int back = m.body.AddTensor("back", {1, 4, 3});
            m.body.AddOp(Op::RESHAPE, 1, {next[0], m.Ints({1, 1, 4, 3})},
                         {four}, schema::ReshapeOptionsT());
            schema::Pool2DOptionsT pool;
            pool.stride_w = pool.stride_h = 1;
            pool.filter_width = pool.filter_height = 1;
            m.body.AddOp(Op::L2_POOL_2D, 1, {four}, {pooled}, pool);
            m.body.AddOp(Op::RESHAPE, 1, {pooled, m.Ints({1, 4, 3})}, {back},
                         schema::ReshapeOptionsT());
            return std::vector<int>{back, next[1]};
          })),
      AllOf(HasSubstr("L2_POOL_2D of its body"), HasSubstr("its_pool")));
}

TEST_F(DelegateLoopTest, RefusesWhatItCannotTell) {
  // The two states trade places.
  EXPECT_THAT(
      ReasonOf(PairModel(3,
                         [](LoopModel& m) {
                           Crossed(m);
                           return std::vector<int>{m.in_body[2], m.in_body[1]};
                         })),
      HasSubstr("its body's output 1"));
  // Both are one tensor.
  EXPECT_THAT(ReasonOf(PairModel(3,
                                 [](LoopModel& m) {
                                   const int one = Crossed(m)[0];
                                   return std::vector<int>{one, one};
                                 })),
              HasSubstr("its body's output 1"));
}

TEST_F(DelegateLoopTest, ALoopInsideStaysOnTheCpu) {
  LoopModel inner;
  const Shape shape = {1, 4, 3};
  // The body of the outer loop, with the inner one.
  LoopModel m;
  const int x = m.outer.AddInput("x", shape);
  m.AddCounter(m.AddFirst());
  const int state = m.AddState(x, shape);
  const int zero = m.body.AddConstant<int32_t>("zero", {}, std::vector{0});
  const int last = m.body.AddTensor("last", {}, TensorType::INT32);
  const int y = m.body.AddTensor("y", shape);
  schema::WhileOptionsT options;
  options.cond_subgraph_index = 3;
  options.body_subgraph_index = 4;
  const int next = m.NextCounter();
  m.body.AddOp(Op::WHILE, 1, {zero, m.in_body[state]}, {last, y}, options);
  m.Finish({next, y}, 2);
  inner.AddCounter(inner.AddFirst());
  inner.AddState(inner.outer.AddInput("x", shape), shape);
  const int twice =
      inner.Op1(Op::ADD, {inner.in_body[1], inner.in_body[1]}, shape);
  inner.Finish({inner.NextCounter(), twice}, 3);
  const int z = m.outer.AddTensor("z", shape);
  m.outer.AddOp(Op::NEG, 1, {m.outputs[1]}, {z});
  m.outer.SetOutputs({z});
  for (ModelBuilder* b :
       {&m.condition, &m.body, &inner.condition, &inner.body}) {
    m.outer.AddSubgraph(std::move(*b));
  }
  EXPECT_THAT(ReasonOf(m.outer.Finish()), HasSubstr("WHILE of its body"));
}

TEST_F(DelegateLoopTest, RefusesAMissingSubgraph) {
  for (int index : {3, -1, 1 << 30}) {
    const auto bytes = [index] {
      LoopModel m;
      const int x = m.outer.AddInput("x", {1, 3});
      m.AddCounter(m.AddFirst());
      m.AddState(x, {1, 3});
      m.Finish({m.NextCounter(), m.Op1(Op::SQUARE, {m.in_body[1]}, {1, 3})}, 2);
      m.outer.model()
          .subgraphs[0]
          ->operators[0]
          ->builtin_options.AsWhileOptions()
          ->body_subgraph_index = index;
      return m.Model({{1, 3}});
    }();
    const auto model = LoadOrDie(bytes);
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
