// labels: op llvmpipe softpipe
// A depthwise convolution fused with the 1x1 convolution that reads it, against
// the definition of both. convolution_pairs.txt has the graphs.

#include <cmath>
#include <limits>

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
  explicit Pair(const Case& c) : ConvolutionPair(Kind::kDepthwise, c) {}
};

void Fusing(int split_k_target, DeviceProfile* profile) {
  profile->choices.split_k_target = split_k_target;
  profile->choices.fused_depthwise_work = 1 << 20;
}

void Check(const Case& c, int split_k_target) {
  SCOPED_TRACE(::testing::Message()
               << c.src.ToString() << " kernel " << c.kernel << " stride "
               << c.stride << " to " << c.channels << " split "
               << split_k_target);
  Pair pair(c);
  DeviceProfile fusing;
  fusing.limits.max_work_group_invocations = 1024;
  fusing.limits.max_shared_memory_bytes = 32 << 10;
  Fusing(split_k_target, &fusing);
  RunPass("fuse_depthwise", &pair.graph, fusing);
  ASSERT_EQ(pair.graph.nodes.size(), 1u);
  const auto got = RunGraph(
      pair.graph, {pair.src.values},
      [&](DeviceProfile& profile) { Fusing(split_k_target, &profile); });
  ASSERT_TRUE(got.ok()) << got.status();
  ExpectWithinRoundings(*got, pair.Expected());
}

TEST(DepthwisePointwiseTest, MatchesDefinition) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int target : {1, 1 << 20}) {
    Check({{1, 5, 7, 5}}, target);
    Check({{3, 6, 5, 17}, 33, 3, 2, 1, 0}, target);
    Check({{1, 9, 9, 24}, 3, 5, 1, 1, 2, false}, target);
    Check({{2, 7, 8, 8}, 12, 3, 1, 2, 2, true, false}, target);
    Check({{1, 9, 17, 40}, 130, 3, 1, 1, 1}, target);
    Check({{1, 3, 3, 4}, 4, 1, 1, 1, 0, false, false}, target);
  }
}

// A NaN comes through the clamp between the two, as on the CPU.
TEST(DepthwisePointwiseTest, KeepsNaN) {
  GLES_SKIP_WITHOUT_DEVICE();
  Pair pair(Case{{1, 1, 1, 4}, 4, 1, 1, 1, 0});
  pair.src.values[2] = std::numeric_limits<float>::quiet_NaN();
  DeviceProfile fusing;
  Fusing(1, &fusing);
  RunPass("fuse_depthwise", &pair.graph, fusing);
  ASSERT_EQ(pair.graph.nodes.size(), 1u);
  const auto got =
      RunGraph(pair.graph, {pair.src.values},
               [](DeviceProfile& profile) { Fusing(1, &profile); });
  ASSERT_TRUE(got.ok()) << got.status();
  for (float v : *got) EXPECT_TRUE(std::isnan(v)) << v;
}

}  // namespace
}  // namespace gles_delegate::testing
