// labels: op llvmpipe softpipe
// Elementwise ops on int32 and bool against TFLite's own kernels, exactly.
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "delegate/ops/elementwise/elementwise_binary.h"
#include "delegate/ops/elementwise/elementwise_unary.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_graph.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

constexpr Op kArithmetic[] = {
    Op::ADD,       Op::SUB,       Op::MUL,
    Op::DIV,       Op::MAXIMUM,   Op::MINIMUM,
    Op::FLOOR_DIV, Op::FLOOR_MOD, Op::SQUARED_DIFFERENCE};
constexpr Op kLogical[] = {Op::LOGICAL_AND, Op::LOGICAL_OR};

class IntegerArithmeticTest : public DeviceTestWithParam<Op> {};

TEST_P(IntegerArithmeticTest, EveryShape) {
  for (const Shape& shape : FewShapes()) {
    ExpectMatchesCpuOnce(IntegerBinary({GetParam(), shape, shape}));
  }
  for (const Shape& shape : {Shape{}, Shape{7}, Shape{3, 5}, Shape{2, 3, 5}}) {
    ExpectMatchesCpuOnce(IntegerBinary({GetParam(), shape, shape}));
  }
}

TEST_P(IntegerArithmeticTest, Broadcasts) {
  const std::vector<std::pair<Shape, Shape>> pairs = {
      {{3, 2, 3, 5}, {3, 1, 1, 5}}, {{3, 2, 3, 5}, {1, 2, 3, 1}},
      {{3, 2, 3, 5}, {}},           {{3, 2, 3, 5}, {1}},
      {{2, 3, 5}, {3, 1}},          {{3, 1, 4, 1}, {1, 2, 1, 9}}};
  for (const auto& [wide, narrow] : pairs) {
    for (Constant constant :
         {Constant::kNone, Constant::kFirst, Constant::kSecond}) {
      ExpectMatchesCpuOnce(
          IntegerBinary({GetParam(), wide, narrow, 1000, constant}));
      ExpectMatchesCpuOnce(
          IntegerBinary({GetParam(), narrow, wide, 1000, constant}));
    }
  }
}

// Integers past what floats hold, as tensors and as scalars. Products and sums
// overflow: the low 32 bits stay.
TEST_P(IntegerArithmeticTest, GreatValues) {
  for (Constant constant : {Constant::kNone, Constant::kSecond}) {
    for (const Shape& b : {Shape{2, 3, 5}, Shape{1}}) {
      ExpectMatchesCpuOnce(
          IntegerBinary({GetParam(), {2, 3, 5}, b, 2147483646, constant}));
    }
  }
}

TEST_P(IntegerArithmeticTest, Activations) {
  const Op op = GetParam();
  if (op != Op::ADD && op != Op::SUB && op != Op::MUL && op != Op::DIV) return;
  for (Activation activation : kActivations) {
    ExpectMatchesCpuOnce(
        IntegerBinary({op, {2, 3, 5}, {5}, 10, Constant::kNone, activation}));
  }
}

TEST_P(IntegerArithmeticTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(IntegerBinary({GetParam(), {2, 3, 4, 5}, {4, 1}}));
}

INSTANTIATE_TEST_SUITE_P(Ops, IntegerArithmeticTest,
                         ::testing::ValuesIn(kArithmetic),
                         [](const auto& info) {
                           return schema::EnumNameBuiltinOperator(info.param);
                         });

// Whose powers stay in 32 bits: past them TFLite's own are undefined.
TEST(IntegerPowTest, ShapesAndConstants) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const Shape& shape : FewShapes()) {
    ExpectMatchesCpuOnce(IntegerBinary({Op::POW, shape, shape}));
  }
  for (const Shape& b : {Shape{}, Shape{5}, Shape{3, 1}}) {
    for (Constant constant : {Constant::kNone, Constant::kSecond}) {
      ExpectMatchesCpuOnce(
          IntegerBinary({Op::POW, {2, 3, 5}, b, 1000, constant}));
    }
  }
  ExpectMatchesCpu(IntegerBinary({Op::POW, {2, 3, 4, 5}, {4, 1}}));
}

TEST(ParseBinaryTest, ExponentsBelowZero) {
  const auto refusal = [](int exponent) {
    return BinaryRefusal<ParseBinary>(
        Op::POW, FakeTensor({3}, DataType::kInt32), FakeInts({exponent}),
        FakeTensor({3}, DataType::kInt32));
  };
  EXPECT_EQ(refusal(2), "");
  EXPECT_THAT(refusal(-2), HasSubstr("holds -2"));
}

class LogicalTest : public DeviceTestWithParam<Op> {};

TEST_P(LogicalTest, ShapesAndBroadcasts) {
  for (const Shape& shape : FewShapes()) {
    ExpectMatchesCpuOnce(Logical(GetParam(), shape, shape));
  }
  for (const Shape& b : {Shape{}, Shape{5}, Shape{3, 1}, Shape{2, 1, 1, 5}}) {
    for (bool constant : {false, true}) {
      ExpectMatchesCpuOnce(Logical(GetParam(), {2, 4, 3, 5}, b, constant));
    }
  }
  ExpectMatchesCpu(Logical(GetParam(), {2, 3, 5}, {2, 3, 5}));
}

INSTANTIATE_TEST_SUITE_P(Ops, LogicalTest, ::testing::ValuesIn(kLogical),
                         [](const auto& info) {
                           return schema::EnumNameBuiltinOperator(info.param);
                         });

TEST(UnaryIntegerTest, NotAndNeg) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const Shape& shape : FewShapes()) {
    ExpectMatchesCpuOnce(LogicalNot(shape));
    ExpectMatchesCpuOnce(IntegerNeg(shape));
  }
}

// TFLite fails on these, so its kernels are not asked.
TEST_P(IntegerArithmeticTest, DivisionByZero) {
  const Op op = GetParam();
  if (op != Op::DIV && op != Op::FLOOR_DIV && op != Op::FLOOR_MOD) return;
  SingleOpModel model = IntegerBinary({op, {4}, {4}});
  model.inputs = {{7, -7, 0, 7}, {0, 0, 0, 2}};
  const RunResult result = RunOnDelegate(model);
  ASSERT_TRUE(result.status.ok()) << result.status;
  const int last = op == Op::FLOOR_MOD ? 1 : 3;
  EXPECT_THAT(result.outputs[0].ints, ::testing::ElementsAre(0, 0, 0, last));
}

// ABS and SIGN of int32, which TFLite 2.9 does not have, and the one negative
// number without a positive one.
std::vector<int32_t> UnaryOfInts(Op op, const std::vector<int32_t>& x) {
  const Shape shape = {static_cast<int>(x.size())};
  Graph graph;
  Node node;
  node.inputs = {AddTensor(&graph, shape)};
  node.outputs = {AddTensor(&graph, shape)};
  for (Tensor& tensor : graph.tensors) tensor.type = DataType::kInt32;
  NodeView view;
  view.builtin_code = static_cast<int>(op);
  view.inputs = {&graph.tensor(node.inputs[0])};
  view.outputs = {&graph.tensor(node.outputs[0])};
  auto parsed = ParseUnary(view);
  if (!parsed.ok()) {
    ADD_FAILURE() << parsed.status();
    return {};
  }
  node.attributes = parsed->attributes;
  node.post_ops = parsed->post_ops;
  // Integers to this graph, whatever C++ calls them.
  std::vector<float> bits(x.size());
  std::memcpy(bits.data(), x.data(), x.size() * sizeof(float));
  const auto got = RunGraphOf(schema::EnumNameBuiltinOperator(op), node, graph,
                              {bits}, [](DeviceProfile&) {});
  EXPECT_TRUE(got.ok()) << got.status();
  std::vector<int32_t> result(x.size());
  if (got.ok()) std::memcpy(result.data(), got->data(), 4 * x.size());
  return result;
}

TEST(UnaryIntegerTest, AbsSignAndTheLeast) {
  GLES_SKIP_WITHOUT_DEVICE();
  const int32_t min = std::numeric_limits<int32_t>::min();
  const std::vector<int32_t> x = {0, 5, -5, 2147483647, -2147483647, min};
  EXPECT_THAT(UnaryOfInts(Op::ABS, x),
              ::testing::ElementsAre(0, 5, 5, 2147483647, 2147483647, min));
  EXPECT_THAT(UnaryOfInts(Op::SIGN, x),
              ::testing::ElementsAre(0, 1, -1, 1, -1, -1));
  EXPECT_THAT(UnaryOfInts(Op::NEG, x),
              ::testing::ElementsAre(0, -5, 5, -2147483647, 2147483647, min));
}

TEST(AddNTest, Integers) {
  GLES_SKIP_WITHOUT_DEVICE();
  const Shape shape = {2, 3, 5};
  ExpectMatchesCpuOnce(
      MakeModel("ADD_N of int32", Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        std::vector<int> inputs;
        for (int i = 0; i < 5; ++i) {
          inputs.push_back(v.OfInts(
              v.Input(absl::StrCat("x", i), shape,
                      v.random().Uniform(ElementCount(shape), -1000, 1000))));
        }
        inputs.push_back(inputs[0]);
        return v.OfInts(v.Op(Op::ADD_N, 1, inputs));
      }));
}

// A chain that is fused: a sum, clamped, doubled.
TEST(FusedIntegersTest, Chain) {
  GLES_SKIP_WITHOUT_DEVICE();
  const Shape shape = {2, 3, 5};
  ExpectMatchesCpuOnce(
      MakeModel("a chain of int32", Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const int x = v.OfInts(v.Input(
            "x", shape, v.random().Uniform(ElementCount(shape), -50, 50)));
        const int y = v.OfInts(v.Input(
            "y", shape, v.random().Uniform(ElementCount(shape), -50, 50)));
        const int sum = v.OfInts(v.builder().AddTensor("sum", shape));
        schema::AddOptionsT add;
        add.fused_activation_function = schema::ActivationFunctionType::RELU6;
        v.builder().AddOp(Op::ADD, 1, {x, y}, {sum}, add);
        const int min = v.OfInts(v.builder().AddTensor("least", shape));
        v.builder().AddOp(Op::MINIMUM, 1, {sum, y}, {min},
                          schema::MaximumMinimumOptionsT());
        return v.OfInts(v.Op(Op::MUL, 1, {min, v.IntConstant("two", {}, {2})},
                             schema::MulOptionsT()));
      }));
}

constexpr auto Message = BinaryRefusal<ParseBinary>;

TEST(ParseIntegersTest, Refusals) {
  const Tensor ints = FakeTensor({2, 3}, DataType::kInt32);
  const Tensor bools = FakeTensor({2, 3}, DataType::kBool);
  const Tensor longs = FakeTensor({2, 3}, DataType::kInt64);
  const Tensor floats = FakeTensor({2, 3});
  EXPECT_EQ(Message(Op::MAXIMUM, ints, ints, ints), "");
  EXPECT_THAT(Message(Op::MAXIMUM, longs, longs, longs), HasSubstr("int64"));
  EXPECT_THAT(Message(Op::MAXIMUM, ints, floats, floats),
              HasSubstr("must be of one type"));
  EXPECT_THAT(Message(Op::MAXIMUM, floats, floats, ints),
              HasSubstr("must be of one type"));
  EXPECT_THAT(Message(Op::MAXIMUM, bools, bools, bools),
              HasSubstr("only float32"));
  EXPECT_EQ(Message(Op::FLOOR_MOD, ints, FakeInts({1, 2, 3}), ints), "");
  for (Op op : {Op::FLOOR_DIV, Op::FLOOR_MOD}) {
    EXPECT_THAT(Message(op, ints, FakeInts({1, 0, 3}), ints),
                HasSubstr("holds 0"));
  }
  EXPECT_THAT(Message(Op::LOGICAL_AND, ints, ints, ints),
              HasSubstr("only bool is supported"));
}

}  // namespace
}  // namespace gles_delegate::testing
