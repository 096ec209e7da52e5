// labels: op llvmpipe softpipe
// SCATTER_ND against TFLite's own kernel, and what its parser refuses.
#include "delegate/ops/movement/scatter_nd.h"

#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class ScatterNdTest : public DeviceTest {};

TEST_F(ScatterNdTest, EveryDepth) {
  for (int channels : StandardChannels()) {
    for (int depth = 1; depth <= 4; ++depth) {
      ExpectMatchesCpuOnce(ScatterNd({3, 4, 5, channels}, 9, depth));
    }
  }
  ExpectMatchesCpuOnce(ScatterNd({9}, 4, 1));
  ExpectMatchesCpuOnce(ScatterNd({9, 5}, 4, 2));
  ExpectMatchesCpuOnce(ScatterNd({2, 3, 4, 2, 3}, 5, 2));
  ExpectMatchesCpuOnce(ScatterNd({9, 5}, 4, 1, /*runtime=*/false));
}

TEST_F(ScatterNdTest, Integers) {
  ExpectMatchesCpuOnce(ScatterNd({3, 4, 5}, 6, 2, true, TensorType::INT32));
}

TEST_F(ScatterNdTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(ScatterNd({3, 4, 5, 6}, 6, 2));
}

TEST_F(ScatterNdTest, RuntimeIndicesOutsideAddNothing) {
  SingleOpModel model = ScatterNd({3}, 5, 1);
  model.inputs[0] = {-1, 0, 2, 3, 2};
  model.inputs[1] = {1, 2, 4, 8, 16};
  const RunResult result = RunOnDelegate(model);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_THAT(result.outputs[0].values, ::testing::ElementsAre(2, 0, 20));
}

TEST(ParseScatterNdTest, Refusals) {
  const auto refusal = [](const Tensor& indices, std::vector<int> updates,
                          std::vector<int> output) {
    return Refusal(ParseScatterNd,
                   {indices, FakeTensor(std::move(updates)),
                    FakeInts(output, {static_cast<int>(output.size())})},
                   {FakeTensor(output)});
  };
  EXPECT_EQ(refusal(FakeRuntimeInts({4, 2}), {4, 5}, {2, 3, 5}), "");
  EXPECT_THAT(refusal(FakeRuntimeInts({4, 2}), {4, 3}, {2, 3, 5}),
              HasSubstr("the updates are 4x3, the indices and the output "
                        "take 4x5"));
  EXPECT_THAT(refusal(FakeRuntimeInts({4, 4}), {4}, {2, 3, 5}),
              HasSubstr("must be 1 to the rank of the output 2x3x5"));
  EXPECT_THAT(refusal(FakeInts({0, 3}, {1, 2}), {1, 5}, {2, 3, 5}),
              HasSubstr("index 3 is outside an axis of 3 elements"));
  EXPECT_THAT(refusal(FakeRuntimeInts({20000, 1}), {20000, 64}, {20000, 64}),
              HasSubstr("texels of the output would read 20000 indices"));
}

}  // namespace
}  // namespace gles_delegate::testing
