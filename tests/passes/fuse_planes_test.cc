// labels: op llvmpipe softpipe
// A 1x1 convolution fused with the depthwise convolution that reads it, over
// whole planes, against the definition of both. On quantized values:
// quantized_depthwise_test.cc. convolution_pairs.txt has the graphs.
#include "delegate/passes/passes.h"
#include "gmock/gmock.h"
#include "tests/testing/convolution_pair.h"
#include "tests/testing/device.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/run_pass.h"

namespace gles_delegate::testing {
namespace {

using Case = ConvolutionPairCase;

struct Pair : ConvolutionPair {
  explicit Pair(const Case& c) : ConvolutionPair(Kind::kPointwise, c) {}
};

DeviceProfile Fusing() {
  DeviceProfile profile;
  profile.choices.fused_plane_work = 1 << 20;
  profile.limits.max_work_group_invocations = 1024;
  profile.limits.max_work_group_size = {1024, 1024, 64};
  profile.limits.max_shared_memory_bytes = 32 << 10;
  return profile;
}

void Check(const Case& c) {
  SCOPED_TRACE(::testing::Message()
               << c.src.ToString() << " to " << c.channels << " kernel "
               << c.kernel << " stride " << c.stride);
  Pair pair(c);
  RunPass("fuse_planes", &pair.graph, Fusing());
  ASSERT_EQ(pair.graph.nodes.size(), 1u);
  const auto got =
      RunGraph(pair.graph, {pair.src.values}, [](DeviceProfile&) {});
  ASSERT_TRUE(got.ok()) << got.status();
  ExpectWithinRoundings(*got, pair.Expected());
}

TEST(PointwiseDepthwiseTest, MatchesDefinition) {
  GLES_SKIP_WITHOUT_DEVICE();
  Check({{1, 5, 7, 5}});
  Check({{3, 6, 5, 17}, 33, 3, 2, 1, 0});
  Check({{1, 9, 9, 24}, 3, 5, 1, 1, 2, false});
  Check({{2, 7, 8, 8}, 12, 3, 1, 2, 2, true, false});
  Check({{1, 14, 14, 130}, 40});
  Check({{1, 3, 3, 4}, 4, 1, 1, 1, 0, false, false});
  Check({{1, 19, 19, 6}, 9, 2, 2});
}

}  // namespace
}  // namespace gles_delegate::testing
