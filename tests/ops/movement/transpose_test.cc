// labels: op llvmpipe softpipe
// TRANSPOSE against TFLite's own kernel, and what its parser refuses.
#include "delegate/ops/movement/transpose.h"

#include <algorithm>

#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"

namespace gles_delegate::testing {
namespace {

class TransposeTest : public DeviceTest {};

TEST_F(TransposeTest, EveryPermutation) {
  for (const Shape& shape :
       {Shape{2, 3, 4, 5}, {1, 5, 7, 8}, {4, 3, 5}, {3, 17}, {5}}) {
    std::vector<int> permutation(shape.size());
    for (size_t i = 0; i < shape.size(); ++i) {
      permutation[i] = static_cast<int>(i);
    }
    do {
      ExpectMatchesCpuOnce(Transpose(shape, permutation));
    } while (std::next_permutation(permutation.begin(), permutation.end()));
  }
}

TEST_F(TransposeTest, BetweenLayoutsOfEveryShape) {
  for (const Shape& shape : StandardShapes()) {
    for (const std::vector<int>& permutation :
         {std::vector<int>{0, 3, 1, 2}, {0, 2, 3, 1}}) {
      ExpectMatchesCpuOnce(Transpose(shape, permutation));
    }
  }
}

TEST_F(TransposeTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(Transpose({2, 3, 4, 5}, {0, 3, 1, 2}));
  ExpectMatchesCpu(Transpose({2, 3, 4, 5}, {1, 2, 0, 3}));
}

TEST(ParseTransposeTest, Refusals) {
  const Tensor input = FakeTensor({2, 3, 4});
  const Tensor output = FakeTensor({4, 2, 3});
  EXPECT_EQ(Refusal(ParseTranspose, {input, FakeInts({2, 0, 1})}, {output}),
            "");
  EXPECT_EQ(Refusal(ParseTranspose, {input, FakeInts({-1, 0, 1})}, {output}),
            "");
  EXPECT_THAT(
      Refusal(ParseTranspose, {input, FakeInts({0, 1, 2})}, {output}),
      HasSubstr("output is 4x2x3, its inputs and attributes give 2x3x4"));
  EXPECT_THAT(Refusal(ParseTranspose, {input, FakeInts({2, 0, 0})}, {output}),
              HasSubstr("axis 0 twice"));
  EXPECT_THAT(Refusal(ParseTranspose, {input, FakeInts({3, 0, 1})}, {output}),
              HasSubstr("axis 3 is outside"));
  EXPECT_THAT(Refusal(ParseTranspose, {input, FakeInts({1, 0})}, {output}),
              HasSubstr("the permutation has 2 elements"));
  EXPECT_THAT(Refusal(ParseTranspose, {input, FakeRuntimeInts({3})}, {output}),
              HasSubstr("the permutation: known only at run time"));
}

}  // namespace
}  // namespace gles_delegate::testing
