// labels: op llvmpipe softpipe
// The comparisons against TFLite's own kernels, and what their parser refuses.
#include "delegate/ops/elementwise/comparison.h"

#include "absl/strings/str_cat.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/special_floats.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

constexpr Op kOps[] = {Op::EQUAL,   Op::NOT_EQUAL,     Op::LESS,
                       Op::GREATER, Op::GREATER_EQUAL, Op::LESS_EQUAL};

class ComparisonTest : public DeviceTestWithParam<Op> {};

TEST_P(ComparisonTest, EveryShape) {
  for (TensorType type : {TensorType::FLOAT32, TensorType::INT32}) {
    for (const Shape& shape : FewShapes()) {
      ExpectMatchesCpuOnce(ComparisonOp(GetParam(), type, shape, shape));
    }
    for (const Shape& shape :
         {Shape{}, Shape{7}, Shape{3, 5}, Shape{2, 3, 5}}) {
      ExpectMatchesCpuOnce(ComparisonOp(GetParam(), type, shape, shape));
    }
  }
}

TEST_P(ComparisonTest, Broadcasts) {
  for (TensorType type : {TensorType::FLOAT32, TensorType::INT32}) {
    for (const Shape& b : {Shape{}, Shape{1}, Shape{5}, Shape{3, 1},
                           Shape{2, 1, 1, 5}, Shape{4, 1, 5}}) {
      for (Constant constant :
           {Constant::kNone, Constant::kFirst, Constant::kSecond}) {
        ExpectMatchesCpuOnce(
            ComparisonOp(GetParam(), type, {2, 4, 3, 5}, b, constant));
        ExpectMatchesCpuOnce(
            ComparisonOp(GetParam(), type, b, {2, 4, 3, 5}, constant));
      }
    }
    ExpectMatchesCpuOnce(
        ComparisonOp(GetParam(), type, {3, 1, 4, 1}, {1, 2, 1, 9}));
  }
}

TEST_P(ComparisonTest, Bools) {
  if (GetParam() != Op::EQUAL && GetParam() != Op::NOT_EQUAL) return;
  ExpectMatchesCpuOnce(
      ComparisonOp(GetParam(), TensorType::BOOL, {2, 3, 5}, {2, 3, 5}));
  ExpectMatchesCpuOnce(
      ComparisonOp(GetParam(), TensorType::BOOL, {2, 3, 5}, {3, 1}));
}

TEST_P(ComparisonTest, SpecialValues) {
  const float values[] = {0.0f, -0.0f, 1, -1, kInf, -kInf, NAN, 3e38f};
  SingleOpModel model =
      ComparisonOp(GetParam(), TensorType::FLOAT32, {8, 8}, {8, 8});
  for (int i = 0; i < 64; ++i) {
    model.inputs[0][i] = values[i / 8];
    model.inputs[1][i] = values[i % 8];
  }
  ExpectMatchesCpuOnce(model);
  SingleOpModel ints =
      ComparisonOp(GetParam(), TensorType::INT32, {2, 2}, {2, 2});
  ints.inputs = {{2147483520, -2147483648.0f, 16777216, -1},
                 {2147483392, 2147483520, 16777218, 1}};
  ExpectMatchesCpuOnce(ints);
}

TEST_P(ComparisonTest, PrecisionsAndStorages) {
  for (TensorType type : {TensorType::FLOAT32, TensorType::INT32}) {
    ExpectMatchesCpu(ComparisonOp(GetParam(), type, {2, 3, 4, 5}, {4, 1}));
  }
}

// One tensor beside itself; a bool that another op takes and fuses.
TEST_P(ComparisonTest, InAGraph) {
  const Shape shape = {2, 3, 5};
  ExpectMatchesCpuOnce(MakeModel(
      absl::StrCat(schema::EnumNameBuiltinOperator(GetParam()), " and OR"),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const int x =
            v.Input("x", shape, FewValues(v, TensorType::FLOAT32, shape));
        const int y =
            v.Input("y", shape, FewValues(v, TensorType::FLOAT32, shape));
        const int first = v.OfBools(v.builder().AddTensor("first", shape));
        const int second = v.OfBools(v.builder().AddTensor("second", shape));
        v.builder().AddOp(GetParam(), 1, {x, x}, {first});
        v.builder().AddOp(GetParam(), 1, {x, y}, {second});
        return v.OfBools(v.Op(Op::LOGICAL_AND, 1, {first, second}));
      }));
}

TEST_P(ComparisonTest, Codes) {
  const Shape shape = {3, 5};
  const auto quantization = ModelQuantization::PerTensor(0.75f, 7);
  SingleOpModel model =
      ComparisonOp(GetParam(), TensorType::FLOAT32, shape, shape);
  OpVariant v(model.description, /*absolute=*/false);
  ModelBuilder& b = v.builder();
  const int x = b.AddInput("a", shape, TensorType::UINT8, quantization);
  const int y = b.AddInput("b", shape, TensorType::UINT8, quantization);
  const int output = b.AddTensor("output", shape, TensorType::BOOL);
  b.AddOp(GetParam(), 2, {x, y}, {output});
  b.SetOutputs({output});
  model.bytes = b.Finish();
  ExpectMatchesCpuOnce(model);
}

INSTANTIATE_TEST_SUITE_P(Ops, ComparisonTest, ::testing::ValuesIn(kOps),
                         [](const auto& info) {
                           return schema::EnumNameBuiltinOperator(info.param);
                         });

constexpr auto Message = BinaryRefusal<ParseComparison>;

TEST(ParseComparisonTest, Refusals) {
  const Tensor floats = FakeTensor({2, 3});
  const Tensor ints = FakeTensor({2, 3}, DataType::kInt32);
  const Tensor bools = FakeTensor({2, 3}, DataType::kBool);
  EXPECT_EQ(Message(Op::LESS, floats, floats, bools), "");
  EXPECT_EQ(Message(Op::EQUAL, bools, bools, bools), "");
  EXPECT_THAT(Message(Op::LESS, bools, bools, bools),
              HasSubstr("are supported"));
  EXPECT_THAT(Message(Op::LESS, floats, ints, bools),
              HasSubstr("must be of one type"));
  EXPECT_THAT(Message(Op::LESS, floats, floats, floats),
              HasSubstr("output is float32, only bool"));
  EXPECT_THAT(Message(Op::LESS, floats, FakeTensor({4}), bools),
              HasSubstr("do not broadcast"));
  EXPECT_THAT(Message(Op::LESS, floats, FakeTensor({4, 1, 3}), bools),
              HasSubstr("its inputs and attributes give 4x2x3"));
  EXPECT_THAT(Message(Op::ADD, floats, floats, bools),
              HasSubstr("is no comparison"));
  Tensor quantized = floats;
  quantized.quantized = DataType::kInt8;
  quantized.quantization = {{0.5f}, {3}, 0};
  Tensor others = quantized;
  EXPECT_EQ(Message(Op::LESS, quantized, others, bools), "");
  // Codes of 8 bits are rescaled in integers, those of 16 are not.
  others.quantization.scale = {0.25f};
  EXPECT_EQ(Message(Op::LESS, quantized, others, bools), "");
  quantized.quantized = others.quantized = DataType::kInt16;
  EXPECT_THAT(Message(Op::LESS, quantized, others, bools),
              HasSubstr("whose quantizations differ"));
}

}  // namespace
}  // namespace gles_delegate::testing
