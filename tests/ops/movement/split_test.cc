// labels: op llvmpipe softpipe
// SPLIT, SPLIT_V and UNPACK against TFLite's own kernels, and what their
// parsers refuse.
#include "delegate/ops/movement/split.h"

#include "delegate/graph/builtin_params.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"
#include "tools/common/model_builder.h"

namespace gles_delegate::testing {
namespace {

using Ints = std::vector<int>;

class SplitTest : public DeviceTest {};

TEST_F(SplitTest, EqualParts) {
  for (int axis : {0, 1, 2, 3, -1}) {
    ExpectMatchesCpuOnce(Split(SplitKind::kSplit, {4, 6, 8, 10}, axis,
                               Ints(2, (axis == -1 ? 10 : 4 + 2 * axis) / 2)));
  }
  ExpectMatchesCpuOnce(Split(SplitKind::kSplit, {1, 2, 3, 24}, 3, {8, 8, 8}));
  ExpectMatchesCpuOnce(Split(SplitKind::kSplit, {1, 2, 3, 9}, 3, {3, 3, 3}));
  ExpectMatchesCpuOnce(Split(SplitKind::kSplit, {2, 3, 4, 5}, 1, {3}));
  ExpectMatchesCpuOnce(Split(SplitKind::kSplit, {6, 5}, 0, {2, 2, 2}));
  ExpectMatchesCpuOnce(Split(SplitKind::kSplit, {2, 6, 5}, 1, {3, 3}));
}

TEST_F(SplitTest, PartsOfGivenSizes) {
  ExpectMatchesCpuOnce(Split(SplitKind::kSplitV, {2, 3, 4, 17}, 3, {4, 8, 5}));
  ExpectMatchesCpuOnce(
      Split(SplitKind::kSplitV, {2, 3, 4, 17}, -1, {1, 6, 10}));
  ExpectMatchesCpuOnce(
      Split(SplitKind::kSplitV, {2, 7, 4, 3}, 1, {4, 1, 2}, {4, -1, 2}));
  ExpectMatchesCpuOnce(Split(SplitKind::kSplitV, {7, 3}, 0, {6, 1}));
}

TEST_F(SplitTest, Unpacks) {
  for (int axis : {0, 1, 2, 3, -2}) {
    const Shape shape = {2, 3, 4, 5};
    ExpectMatchesCpuOnce(Split(SplitKind::kUnpack, shape, axis,
                               Ints(shape[axis < 0 ? axis + 4 : axis], 1)));
  }
  ExpectMatchesCpuOnce(Split(SplitKind::kUnpack, {3, 5}, 0, {1, 1, 1}));
  ExpectMatchesCpuOnce(Split(SplitKind::kUnpack, {2, 3}, 1, {1, 1, 1}));
  ExpectMatchesCpuOnce(Split(SplitKind::kUnpack, {2, 3, 4}, 1, {1, 1, 1}));
  ExpectMatchesCpuOnce(Split(SplitKind::kUnpack, {3}, 0, {1, 1, 1}));
}

TEST_F(SplitTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(Split(SplitKind::kSplitV, {2, 3, 4, 17}, 3, {4, 8, 5}));
  ExpectMatchesCpu(Split(SplitKind::kUnpack, {2, 3, 4, 5}, 2, {1, 1, 1, 1}));
}

TEST(ParseSplitTest, Refusals) {
  SplitParams params = {2};
  const Tensor input = FakeTensor({2, 6});
  const Tensor half = FakeTensor({2, 3});
  EXPECT_EQ(Refusal(ParseSplit, {FakeInts({1}), input}, {half, half}, &params),
            "");
  EXPECT_THAT(
      Refusal(ParseSplit, {FakeInts({1}), input}, {half, input}, &params),
      HasSubstr("output 1: output is 2x6"));
  EXPECT_THAT(
      Refusal(ParseSplit, {FakeInts({1}), input}, {half, half, half}, &params),
      HasSubstr("cuts axis 1 of 6 elements into 2 for 3 outputs"));
  EXPECT_THAT(
      Refusal(ParseSplit, {FakeInts({2}), input}, {half, half}, &params),
      HasSubstr("axis 2 is outside"));
  EXPECT_THAT(
      Refusal(ParseSplit, {FakeRuntimeInts({1}), input}, {half, half}, &params),
      HasSubstr("the axis: known only at run time"));
  const auto by_sizes = [&](const Ints& sizes) {
    return Refusal(ParseSplitV, {input, FakeInts(sizes), FakeInts({1})},
                   {half, half});
  };
  EXPECT_EQ(by_sizes({3, -1}), "");
  EXPECT_THAT(by_sizes({-1, -1}), HasSubstr("two sizes of -1"));
  EXPECT_THAT(by_sizes({3, 3, 0}), HasSubstr("has 3 sizes for 2 outputs"));
  EXPECT_THAT(by_sizes({2, 4}), HasSubstr("output 0: output is 2x3"));
  EXPECT_THAT(Refusal(ParseSplitV,
                      {FakeTensor({2, 7}), FakeInts({3, 3}), FakeInts({1})},
                      {half, half}),
              HasSubstr("the outputs have 6 elements on axis 1, the input 7"));
}

TEST(ParseUnpackTest, Refusals) {
  UnpackParams params = {2, 0};
  const Tensor input = FakeTensor({2, 6});
  const Tensor row = FakeTensor({6});
  EXPECT_EQ(Refusal(ParseUnpack, {input}, {row, row}, &params), "");
  EXPECT_THAT(Refusal(ParseUnpack, {input}, {row, input}, &params),
              HasSubstr("output is 2x6, its inputs and attributes give 6"));
  EXPECT_THAT(Refusal(ParseUnpack, {input}, {row}, &params),
              HasSubstr("axis 0 of 2x6 gives 2 outputs, the node has 1"));
}

}  // namespace
}  // namespace gles_delegate::testing
