// labels: op llvmpipe softpipe
// CAST out of range, and types that only the host has; other cases are rows of
// tools/cases/typed.txt.

#include <cmath>
#include <limits>

#include "delegate/ops/all_ops.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/special_floats.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

class CastTest : public DeviceTest {};

// Values outside of int32, for which C++ leaves TFLite 2.9's result open: later
// kernels take the nearest, and the greatest for NaN.
TEST_F(CastTest, OutOfRange) {
  SingleOpModel model =
      cases::ModelOf("CAST x=f32[8] out_data_type=INT32 -> i32");
  model.inputs[0] = {2147483648.0f, 1e20f, kInf, NAN, -NAN, -3e9f, -kInf, 7};
  const RunResult result = RunOnDelegate(model);
  ASSERT_TRUE(result.status.ok()) << result.status;
  constexpr int kMax = std::numeric_limits<int>::max();
  constexpr int kMin = std::numeric_limits<int>::min();
  EXPECT_THAT(
      result.outputs[0].ints,
      ::testing::ElementsAre(kMax, kMax, kMax, kMax, kMax, kMin, kMin, 7));
}

TEST(ParseCastTest, Refusals) {
  const Tensor floats = FakeTensor({2, 3});
  const Tensor ints = FakeTensor({2, 3}, DataType::kInt32);
  EXPECT_EQ(Refusal(ParseCast, {floats}, {ints}), "");
  for (DataType type : {DataType::kInt64, DataType::kUint8, DataType::kInt8}) {
    EXPECT_THAT(Refusal(ParseCast, {FakeTensor({2, 3}, type)}, {ints}),
                HasSubstr("only float32, int32 and bool run"));
    EXPECT_THAT(Refusal(ParseCast, {ints}, {FakeTensor({2, 3}, type)}),
                HasSubstr("only float32, int32 and bool"));
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
      HasSubstr("input 0 is uint32[2,3]"));
  Tensor quantized = floats;
  quantized.quantized = DataType::kUint8;
  EXPECT_THAT(Refusal(ParseCast, {quantized}, {floats}),
              HasSubstr("CAST works on its quantized values"));
}

}  // namespace
}  // namespace gles_delegate::testing
