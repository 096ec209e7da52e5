// labels: op llvmpipe softpipe
// REVERSE_V2 against TFLite's own kernel, and what its parser refuses.
#include "delegate/ops/movement/reverse.h"

#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/of_type.h"

namespace gles_delegate::testing {
namespace {

class ReverseTest : public DeviceTest {};

TEST_F(ReverseTest, EveryAxisEveryShape) {
  for (const Shape& shape : StandardShapes()) {
    for (int axis = 0; axis < 4; ++axis) {
      ExpectMatchesCpuOnce(Reverse(shape, axis));
    }
  }
}

TEST_F(ReverseTest, LowerRanks) {
  ExpectMatchesCpuOnce(Reverse({7}, 0));
  for (int axis : {0, 1}) ExpectMatchesCpuOnce(Reverse({3, 6}, axis));
  for (int axis : {0, 1, 2}) ExpectMatchesCpuOnce(Reverse({3, 4, 5}, axis));
}

TEST_F(ReverseTest, IntegersAndBools) {
  for (int axis : {2, 3}) {
    const SingleOpModel model = Reverse({2, 3, 4, 6}, axis);
    ExpectMatchesCpu(OfType(model, TensorType::INT32));
    ExpectMatchesCpu(OfType(model, TensorType::BOOL));
  }
}

TEST_F(ReverseTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(Reverse({2, 3, 4, 6}, 1));
  ExpectMatchesCpu(Reverse({2, 3, 4, 6}, 3));
}

TEST(ParseReverseTest, Refusals) {
  const Tensor input = FakeTensor({2, 3});
  EXPECT_EQ(Refusal(ParseReverse, {input, FakeInts({1})}, {input}), "");
  EXPECT_EQ(Refusal(ParseReverse, {input, FakeInts({0, -1})}, {input}), "");
  EXPECT_THAT(Refusal(ParseReverse, {input, FakeInts({2})}, {input}),
              HasSubstr("axis 2 is outside a tensor of rank 2"));
  EXPECT_THAT(Refusal(ParseReverse, {input, FakeInts({1, -1})}, {input}),
              HasSubstr("axis 1 is named twice"));
  EXPECT_THAT(
      Refusal(ParseReverse, {input, FakeInts({0})}, {FakeTensor({3, 2})}),
      HasSubstr("output is 3x2, its inputs and attributes give 2x3"));
  EXPECT_THAT(Refusal(ParseReverse, {input, FakeRuntimeInts({1})}, {input}),
              HasSubstr("the axes: known only at run time"));
  EXPECT_THAT(Refusal(ParseReverse, {input}, {input}),
              HasSubstr("has 1 inputs, wants 2"));
}

}  // namespace
}  // namespace gles_delegate::testing
