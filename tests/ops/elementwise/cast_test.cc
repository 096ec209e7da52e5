// labels: op llvmpipe softpipe
// CAST against TFLite's own kernel, and what its parser refuses.
#include "delegate/ops/elementwise/cast.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/texels.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/special_floats.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

constexpr TensorType kTypes[] = {TensorType::FLOAT32, TensorType::INT32,
                                 TensorType::BOOL};

class CastTest : public DeviceTest {};

TEST_F(CastTest, EveryPairEveryShape) {
  for (TensorType from : kTypes) {
    for (TensorType to : kTypes) {
      for (const Shape& shape : FewShapes()) {
        ExpectMatchesCpuOnce(Cast(from, to, shape));
      }
      for (const Shape& shape : {Shape{}, Shape{7}, Shape{3, 5}}) {
        ExpectMatchesCpuOnce(Cast(from, to, shape));
      }
      ExpectMatchesCpu(Cast(from, to, {2, 3, 5}));
    }
  }
}

// Types that only the host reads and writes.
TEST_F(CastTest, Float64AndUint16) {
  constexpr TensorType kFloat = TensorType::FLOAT32;
  for (const Shape& shape : {Shape{}, Shape{7}, Shape{2, 3, 5}}) {
    ExpectMatchesCpu(Cast(TensorType::FLOAT64, kFloat, shape));
    ExpectMatchesCpu(Cast(kFloat, TensorType::FLOAT64, shape, 1e4f));
    ExpectMatchesCpuOnce(Cast(TensorType::UINT16, kFloat, shape, 2e3f));
    ExpectMatchesCpuOnce(Cast(TensorType::UINT16, TensorType::INT32, shape));
    ExpectMatchesCpuOnce(Cast(TensorType::UINT16, TensorType::BOOL, shape));
    ExpectMatchesCpuOnce(
        Cast(TensorType::INT32, TensorType::UINT16, shape, 1e5f));
    SingleOpModel narrowed = Cast(kFloat, TensorType::UINT16, shape);
    for (float& value : narrowed.inputs[0]) value = 650 * std::abs(value);
    ExpectMatchesCpuOnce(narrowed);
  }
}

// x + CAST of a constant, which is folded.
TEST_F(CastTest, ConstantsOfFloat64AndUint16) {
  for (TensorType type : {TensorType::FLOAT64, TensorType::UINT16}) {
    ExpectMatchesCpuOnce(MakeModel(
        absl::StrCat("constant ", schema::EnumNameTensorType(type)),
        Accuracy{/*terms=*/1}, [&](OpVariant& v) {
          const int x = v.Input("x", {2, 3}, v.random().Gaussian(6));
          const std::vector<double> doubles = {0.1, 1e-3, 7};
          const std::vector<uint16_t> shorts = {1, 40000, 65535};
          const int c = v.builder().AddConstantBytes(
              "c", {3}, type,
              type == TensorType::FLOAT64 ? AsBytes<double>(doubles)
                                          : AsBytes<uint16_t>(shorts));
          const int floats = v.builder().AddTensor("floats", {3});
          schema::CastOptionsT options;
          options.in_data_type = type;
          v.builder().AddOp(Op::CAST, 1, {c}, {floats}, options);
          return v.Op(Op::ADD, 1, {x, floats}, schema::AddOptionsT());
        }));
  }
}

TEST_F(CastTest, TowardsZero) {
  SingleOpModel model = Cast(TensorType::FLOAT32, TensorType::INT32, {2, 6});
  model.inputs[0] = {0.99f,          -0.99f,   1.5f,  -1.5f,
                     2.5f,           -2.5f,    0.5f,  2147483520,
                     -2147483648.0f, 16777215, -0.0f, 1e-40f};
  ExpectMatchesCpuOnce(model);
}

TEST_F(CastTest, GreatIntegers) {
  ExpectMatchesCpuOnce(
      Cast(TensorType::INT32, TensorType::INT32, {2, 5}, 2.1e9f));
  // Floats of 24 bits come back whole.
  ExpectMatchesCpuOnce(
      Cast(TensorType::INT32, TensorType::FLOAT32, {2, 5}, 16777216));
  ExpectMatchesCpuOnce(
      Cast(TensorType::INT32, TensorType::BOOL, {2, 5}, 2.1e9f));
}

TEST_F(CastTest, ToBool) {
  SingleOpModel model = Cast(TensorType::FLOAT32, TensorType::BOOL, {2, 4});
  model.inputs[0] = {
      0.0f, -0.0f, NAN,    std::numeric_limits<float>::infinity(),
      0.1f, -7,    1e-38f, -1e30f};
  ExpectMatchesCpuOnce(model);
}

// Values outside of int32, for which C++ leaves TFLite 2.9's result open: later
// kernels take the nearest, and the greatest for NaN.
TEST_F(CastTest, OutOfRange) {
  SingleOpModel model = Cast(TensorType::FLOAT32, TensorType::INT32, {8});
  model.inputs[0] = {2147483648.0f, 1e20f, kInf, NAN, -NAN, -3e9f, -kInf, 7};
  const RunResult result = RunOnDelegate(model);
  ASSERT_TRUE(result.status.ok()) << result.status;
  constexpr int kMax = std::numeric_limits<int>::max();
  constexpr int kMin = std::numeric_limits<int>::min();
  EXPECT_THAT(
      result.outputs[0].ints,
      ::testing::ElementsAre(kMax, kMax, kMax, kMax, kMax, kMin, kMin, 7));
}

// To and fro, as graphs of masks have it.
TEST_F(CastTest, InAGraph) {
  const Shape shape = {2, 3, 5};
  ExpectMatchesCpuOnce(
      MakeModel("a mask", Accuracy{/*terms=*/1}, [&](OpVariant& v) {
        const int x =
            v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        const int holds = v.OfBools(v.builder().AddTensor("holds", shape));
        v.builder().AddOp(Op::GREATER, 1, {x, v.Constant("c", {}, {0.25f})},
                          {holds});
        const int mask = v.builder().AddTensor("mask", shape);
        schema::CastOptionsT options;
        options.in_data_type = TensorType::BOOL;
        v.builder().AddOp(Op::CAST, 1, {holds}, {mask}, options);
        return v.Op(Op::MUL, 1, {x, mask}, schema::MulOptionsT());
      }));
}

TEST(ParseCastTest, Refusals) {
  const Tensor floats = FakeTensor({2, 3});
  const Tensor ints = FakeTensor({2, 3}, DataType::kInt32);
  EXPECT_EQ(Refusal(ParseCast, {floats}, {ints}), "");
  for (DataType type : {DataType::kInt64, DataType::kUint8, DataType::kInt8}) {
    EXPECT_THAT(
        Refusal(ParseCast, {FakeTensor({2, 3}, type)}, {ints}),
        HasSubstr("only float32 and float16 constants, int32, bool are"));
    EXPECT_THAT(Refusal(ParseCast, {ints}, {FakeTensor({2, 3}, type)}),
                HasSubstr("are supported"));
  }
  EXPECT_THAT(
      Refusal(ParseCast, {floats}, {FakeTensor({3, 2}, DataType::kInt32)}),
      HasSubstr("output is 3x2, its inputs and attributes give 2x3"));
  Tensor wide = floats;
  wide.host = DataType::kFloat64;
  EXPECT_EQ(Refusal(ParseCast, {wide}, {floats}), "");
  EXPECT_THAT(Refusal(ParseCast, {wide}, {ints}),
              HasSubstr("float64[2,3] is read and written as float32 here"));
  EXPECT_THAT(Refusal(ParseCast, {ints}, {wide}), HasSubstr("float64[2,3]"));
  EXPECT_THAT(
      Refusal(ParseCast, {FakeTensor({2, 3}, DataType::kUint32)}, {floats}),
      HasSubstr("uint32[2,3]"));
  Tensor quantized = floats;
  quantized.quantized = DataType::kUint8;
  EXPECT_THAT(Refusal(ParseCast, {quantized}, {floats}),
              HasSubstr("CAST works on its quantized values"));
}

}  // namespace
}  // namespace gles_delegate::testing
