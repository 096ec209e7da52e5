// labels: op llvmpipe softpipe
// DEPTH_TO_SPACE and SPACE_TO_DEPTH against TFLite's own kernels, and what
// their parsers refuse.
#include "delegate/ops/movement/space_depth.h"

#include "delegate/graph/builtin_params.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"

namespace gles_delegate::testing {
namespace {

class SpaceDepthTest : public DeviceTest {};

TEST_F(SpaceDepthTest, BlocksAndChannelTails) {
  for (int block : {1, 2, 3}) {
    for (int channels : StandardChannels()) {
      const SingleOpModel to_space =
          DepthToSpace({2, 3, 4, channels * block * block}, block);
      EXPECT_THAT(RunOnDelegate(to_space), MatchesCpu(to_space));
      const SingleOpModel to_depth = DepthToSpace(
          {2, 2 * block, 3 * block, channels}, block, /*inverse=*/true);
      EXPECT_THAT(RunOnDelegate(to_depth), MatchesCpu(to_depth));
    }
  }
}

TEST_F(SpaceDepthTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(DepthToSpace({2, 3, 4, 12}, 2));
  ExpectMatchesCpu(DepthToSpace({2, 6, 4, 5}, 2, /*inverse=*/true));
  ExpectMatchesCpu(DepthToSpace({1, 6, 4, 8}, 2, /*inverse=*/true));
}

TEST(ParseSpaceDepthTest, Refusals) {
  SpaceDepthParams params = {2};
  const Tensor deep = FakeTensor({1, 2, 3, 12});
  const Tensor wide = FakeTensor({1, 4, 6, 3});
  EXPECT_EQ(Refusal(ParseDepthToSpace, {deep}, {wide}, &params), "");
  EXPECT_EQ(Refusal(ParseSpaceToDepth, {wide}, {deep}, &params), "");
  EXPECT_THAT(
      Refusal(ParseDepthToSpace, {deep}, {deep}, &params),
      HasSubstr("output is 1x2x3x12, its inputs and attributes give 1x4x6x3"));
  EXPECT_THAT(Refusal(ParseDepthToSpace, {wide}, {deep}, &params),
              HasSubstr("block 2 does not divide the channels of 1x4x6x3"));
  EXPECT_THAT(
      Refusal(ParseSpaceToDepth, {deep}, {wide}, &params),
      HasSubstr("block 2 does not divide the height and width of 1x2x3x12"));
  EXPECT_THAT(
      Refusal(ParseDepthToSpace, {FakeTensor({2, 3, 12})}, {wide}, &params),
      HasSubstr("rank 4"));
  params.block_size = 0;
  EXPECT_THAT(Refusal(ParseSpaceToDepth, {wide}, {deep}, &params),
              HasSubstr("block 0"));
}

}  // namespace
}  // namespace gles_delegate::testing
