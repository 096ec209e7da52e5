// labels: op llvmpipe softpipe
// PACK against TFLite's own kernel, and what its parser refuses.
#include "delegate/ops/movement/pack.h"

#include "delegate/graph/builtin_params.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"

namespace gles_delegate::testing {
namespace {

class PackTest : public DeviceTest {};

TEST_F(PackTest, EveryRankAndAxis) {
  for (const Shape& shape : {Shape{}, {5}, {3, 4}, {2, 3, 5}}) {
    const int rank = static_cast<int>(shape.size());
    for (int axis = -1; axis <= rank; ++axis) {
      ExpectMatchesCpuOnce(Pack(shape, 3, axis));
    }
  }
}

TEST_F(PackTest, OneAndManyInputs) {
  for (int count : {1, 2, 9}) {
    for (int axis : {0, 2}) {
      ExpectMatchesCpuOnce(Pack({3, 4}, count, axis));
    }
  }
}

TEST_F(PackTest, ConstantInput) {
  for (int axis : {0, 2}) {
    ExpectMatchesCpuOnce(Pack({3, 4}, 3, axis, /*constant=*/1));
  }
}

TEST_F(PackTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(Pack({2, 3, 5}, 3, 1));
  ExpectMatchesCpu(Pack({3, 4}, 5, -1));
}

TEST(ParsePackTest, Refusals) {
  PackParams params = {2, 0};
  const Tensor input = FakeTensor({3, 4});
  const Tensor output = FakeTensor({2, 3, 4});
  EXPECT_EQ(Refusal(ParsePack, {input, input}, {output}, &params), "");
  EXPECT_THAT(Refusal(ParsePack, {input, input}, {input}, &params),
              HasSubstr("output is 3x4, its inputs and attributes give 2x3x4"));
  EXPECT_THAT(
      Refusal(ParsePack, {input, FakeTensor({4, 3})}, {output}, &params),
      HasSubstr("input 1 is 4x3, input 0 is 3x4"));
  EXPECT_THAT(Refusal(ParsePack, {}, {output}, &params),
              HasSubstr("has 0 inputs"));
  params.axis = 3;
  EXPECT_THAT(Refusal(ParsePack, {input, input}, {output}, &params),
              HasSubstr("axis 3 is outside"));
}

}  // namespace
}  // namespace gles_delegate::testing
