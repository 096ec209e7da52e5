// labels: op llvmpipe softpipe
// SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND against TFLite's own kernels, and
// what their parsers refuse.
#include "delegate/ops/movement/space_batch.h"

#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/of_type.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class SpaceBatchTest : public DeviceTest {};

using Ints = std::vector<int>;

TEST_F(SpaceBatchTest, ToBatch) {
  for (int channels : StandardChannels()) {
    ExpectMatchesCpuOnce(
        SpaceBatch(true, {1, 4, 6, channels}, {2, 2}, {0, 0, 0, 0}));
    ExpectMatchesCpuOnce(
        SpaceBatch(true, {3, 5, 4, channels}, {2, 3}, {1, 0, 0, 2}));
    ExpectMatchesCpuOnce(
        SpaceBatch(true, {2, 1, 1, channels}, {1, 4}, {0, 0, 2, 1}));
  }
  ExpectMatchesCpuOnce(SpaceBatch(true, {1, 5, 70, 4}, {1, 2}, {0, 0, 0, 0}));
  ExpectMatchesCpuOnce(SpaceBatch(true, {2, 3, 5, 3}, {1, 1}, {2, 1, 0, 3}));
  ExpectMatchesCpuOnce(SpaceBatch(true, {1, 7, 7, 5}, {4, 4}, {3, 6, 8, 1}));
}

TEST_F(SpaceBatchTest, ToSpace) {
  for (int channels : StandardChannels()) {
    ExpectMatchesCpuOnce(
        SpaceBatch(false, {4, 3, 2, channels}, {2, 2}, {0, 0, 0, 0}));
    ExpectMatchesCpuOnce(
        SpaceBatch(false, {18, 3, 2, channels}, {2, 3}, {1, 0, 0, 2}));
    ExpectMatchesCpuOnce(
        SpaceBatch(false, {12, 1, 1, channels}, {1, 4}, {0, 0, 2, 1}));
  }
  ExpectMatchesCpuOnce(SpaceBatch(false, {2, 5, 70, 4}, {1, 2}, {0, 0, 1, 0}));
  ExpectMatchesCpuOnce(SpaceBatch(false, {16, 3, 4, 5}, {4, 4}, {3, 6, 8, 1}));
}

TEST_F(SpaceBatchTest, OneSpatialAxis) {
  for (int channels : {1, 5}) {
    ExpectMatchesCpuOnce(SpaceBatch(true, {3, 8, channels}, {2}, {0, 0}));
    ExpectMatchesCpuOnce(SpaceBatch(true, {2, 7, channels}, {3}, {0, 2}));
    ExpectMatchesCpuOnce(SpaceBatch(false, {6, 4, channels}, {2}, {0, 0}));
    ExpectMatchesCpuOnce(SpaceBatch(false, {6, 4, channels}, {3}, {1, 2}));
  }
}

TEST_F(SpaceBatchTest, Integers) {
  const auto type = TensorType::INT32;
  ExpectMatchesCpu(
      OfType(SpaceBatch(true, {2, 5, 4, 5}, {2, 3}, {1, 0, 0, 2}), type));
  ExpectMatchesCpu(
      OfType(SpaceBatch(false, {12, 3, 2, 5}, {2, 3}, {1, 0, 0, 2}), type));
}

TEST_F(SpaceBatchTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(SpaceBatch(true, {2, 5, 4, 5}, {2, 3}, {1, 0, 0, 2}));
  ExpectMatchesCpu(SpaceBatch(false, {12, 3, 2, 5}, {2, 3}, {1, 0, 0, 2}));
}

TEST(ParseSpaceBatchTest, RefusalsToBatch) {
  const Tensor input = FakeTensor({1, 4, 6, 3});
  const Tensor output = FakeTensor({6, 2, 3, 3});
  const auto refusal = [&](const Ints& block, const Ints& edges) {
    return Refusal(ParseSpaceToBatch, {input, FakeInts(block), FakeInts(edges)},
                   {output});
  };
  EXPECT_EQ(refusal({2, 3}, {0, 0, 1, 2}), "");
  EXPECT_THAT(refusal({2, 4}, {0, 0, 1, 2}),
              HasSubstr("block 4 does not divide axis 2, which has 9"));
  EXPECT_THAT(refusal({0, 3}, {0, 0, 1, 2}), HasSubstr("at least 1"));
  EXPECT_THAT(refusal({2, 3}, {0, 0, -1, 4}),
              HasSubstr("the paddings hold -1, which is negative"));
  EXPECT_THAT(refusal({2}, {0, 0}), HasSubstr("wants 2 and 4"));
  EXPECT_THAT(refusal({2, 3}, {0, 0, 0, 0}),
              HasSubstr("output is 6x2x3x3, its inputs and attributes give "
                        "6x2x2x3"));
  // A batch that is past 32 bits after the first axis, and after both.
  EXPECT_THAT(refusal({1 << 30, 4}, {(1 << 30) - 4, 0, 0, 2}),
              HasSubstr("an axis of 4294967296"));
  EXPECT_THAT(
      Refusal(ParseSpaceToBatch,
              {input, FakeRuntimeInts({2}), FakeInts({0, 0, 1, 2})}, {output}),
      HasSubstr("the block: known only at run time"));
  EXPECT_THAT(
      Refusal(ParseSpaceToBatch,
              {FakeTensor({4, 6}), FakeInts({2}), FakeInts({0, 0})}, {output}),
      HasSubstr("wants rank 3 or 4"));
}

TEST(ParseSpaceBatchTest, RefusalsToSpace) {
  const Tensor input = FakeTensor({6, 2, 3, 3});
  const Tensor output = FakeTensor({1, 4, 6, 3});
  const auto refusal = [&](const Ints& block, const Ints& edges) {
    return Refusal(ParseBatchToSpace, {input, FakeInts(block), FakeInts(edges)},
                   {output});
  };
  EXPECT_EQ(refusal({2, 3}, {0, 0, 1, 2}), "");
  EXPECT_THAT(refusal({2, 4}, {0, 0, 1, 2}),
              HasSubstr("blocks of 4 do not divide a batch of 3"));
  EXPECT_THAT(refusal({2, 3}, {0, 5, 0, 0}), HasSubstr("an axis of -1"));
  EXPECT_THAT(refusal({2, 3}, {0, 0, 0, -3}), HasSubstr("the crops hold -3"));
}

}  // namespace
}  // namespace gles_delegate::testing
