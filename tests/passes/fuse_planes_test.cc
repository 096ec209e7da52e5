// labels: op llvmpipe softpipe
// A 1x1 convolution fused with the depthwise convolution that reads it, over
// whole planes, against the definition of both; and the graphs that the pass
// must leave alone. On quantized values: quantized_depthwise_test.cc.
#include "absl/functional/function_ref.h"
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

DeviceProfile Fusing(int work = 1 << 20) {
  DeviceProfile profile;
  profile.choices.fused_plane_work = work;
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

// The pair, changed, stays two nodes.
void ExpectNotFused(absl::FunctionRef<void(ConvolutionPair*)> change,
                    const DeviceProfile& profile = Fusing()) {
  Pair pair(Case{{1, 5, 7, 5}});
  change(&pair);
  RunPass("fuse_planes", &pair.graph, profile);
  EXPECT_EQ(pair.graph.nodes.size(), 2u);
}

TEST(FusePlanesTest, LeavesOtherPairsAlone) {
  ExpectNotFused([](ConvolutionPair*) {},
                 Fusing(/*work=*/69));  // 35 pixels, 2 slices
  ExpectNotFused([](ConvolutionPair*) {}, Fusing(/*work=*/0));
  DeviceProfile small = Fusing();
  small.limits.max_shared_memory_bytes = 16 * 2 * 35;  // the planes alone
  ExpectNotFused([](ConvolutionPair*) {}, small);
  for (const auto& change : ChangesThatPartThem()) ExpectNotFused(change);
}

}  // namespace
}  // namespace gles_delegate::testing
