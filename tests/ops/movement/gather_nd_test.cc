// labels: op llvmpipe softpipe
// GATHER_ND against TFLite's own kernel, and what its parser refuses.
#include "delegate/ops/movement/gather_nd.h"

#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class GatherNdTest : public DeviceTest {};

TEST_F(GatherNdTest, EveryDepth) {
  for (int channels : StandardChannels()) {
    for (int depth = 1; depth <= 4; ++depth) {
      ExpectMatchesCpuOnce(GatherNd({3, 4, 5, channels}, {6, depth}));
    }
  }
  ExpectMatchesCpuOnce(GatherNd({3, 4, 5, 6}, {2, 3, 2}));
  ExpectMatchesCpuOnce(GatherNd({3, 4, 5, 6}, {2, 2, 3, 4}));
  ExpectMatchesCpuOnce(GatherNd({3, 4, 5, 6}, {2}));  // one element's slice
  ExpectMatchesCpuOnce(GatherNd({3, 4, 5, 6}, {4}));  // a scalar
}

TEST_F(GatherNdTest, LowerRanks) {
  ExpectMatchesCpuOnce(GatherNd({9}, {4, 1}));
  ExpectMatchesCpuOnce(GatherNd({9, 5}, {4, 1}));
  ExpectMatchesCpuOnce(GatherNd({9, 5}, {4, 2}));
  ExpectMatchesCpuOnce(GatherNd({9, 5, 3}, {2, 2, 2}));
}

TEST_F(GatherNdTest, Constants) {
  ExpectMatchesCpuOnce(GatherNd({3, 4, 5, 6}, {6, 2}, /*runtime=*/false));
  ExpectMatchesCpuOnce(GatherNd({9, 5}, {4, 2}, /*runtime=*/false));
}

TEST_F(GatherNdTest, Integers) {
  ExpectMatchesCpuOnce(GatherNd({3, 4, 5}, {6, 2}, true, TensorType::INT32));
  ExpectMatchesCpuOnce(GatherNd({3, 4, 5}, {6, 3}, true, TensorType::INT32));
}

TEST_F(GatherNdTest, RuntimeIndicesAreClamped) {
  SingleOpModel model = GatherNd({2, 3}, {4, 2});
  model.inputs[0] = {0, 1, 2, 10, 11, 12};
  model.inputs[1] = {-1, 1, 2, 3, 2147483520, -2147483648.0f, 1, 2};
  const RunResult result = RunOnDelegate(model);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_THAT(result.outputs[0].values, ::testing::ElementsAre(1, 12, 10, 12));
}

TEST_F(GatherNdTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(GatherNd({3, 4, 5, 6}, {6, 2}));
  ExpectMatchesCpu(GatherNd({3, 4, 5, 6}, {6, 4}));
}

TEST(ParseGatherNdTest, Refusals) {
  const Tensor input = FakeTensor({2, 3, 5});
  const auto refusal = [&](const Tensor& indices, std::vector<int> output) {
    return Refusal(ParseGatherNd, {input, indices},
                   {FakeTensor(std::move(output))});
  };
  EXPECT_EQ(refusal(FakeRuntimeInts({4, 2}), {4, 5}), "");
  EXPECT_EQ(refusal(FakeInts({1, 2, 0, 0}, {2, 2}), {2, 5}), "");
  EXPECT_THAT(refusal(FakeInts({1, 2, 2, 0}, {2, 2}), {2, 5}),
              HasSubstr("index 2 is outside an axis of 2 elements"));
  EXPECT_THAT(refusal(FakeInts({1, 2, 0, -1}, {2, 2}), {2, 5}),
              HasSubstr("index -1 is outside an axis of 3 elements"));
  EXPECT_THAT(refusal(FakeRuntimeInts({4, 2}), {4, 4}),
              HasSubstr("output is 4x4, its inputs and attributes give 4x5"));
  EXPECT_THAT(refusal(FakeRuntimeInts({4, 4}), {4}),
              HasSubstr("must not be past the rank of 2x3x5"));
  EXPECT_THAT(refusal(FakeRuntimeInts({}), {4}),
              HasSubstr("the indices are scalar"));
  EXPECT_THAT(refusal(FakeRuntimeInts({4, 0}), {4, 2, 3, 5}),
              HasSubstr("no elements"));
  const Tensor deep = FakeTensor({1, 2, 3, 4, 5});
  EXPECT_THAT(Refusal(ParseGatherNd, {deep, FakeRuntimeInts({4, 5})},
                      {FakeTensor({4})}),
              HasSubstr("names 5 axes, at most 4"));
}

}  // namespace
}  // namespace gles_delegate::testing
