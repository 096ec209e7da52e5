// labels: op llvmpipe softpipe
// A depthwise convolution fused with the 1x1 convolution that reads it, against
// the definition of both; and the graphs that the pass must leave alone.

#include <cmath>
#include <limits>

#include "absl/functional/function_ref.h"
#include "delegate/passes/passes.h"
#include "gmock/gmock.h"
#include "tests/testing/convolution_pair.h"
#include "tests/testing/device.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"
#include "tests/testing/run_graph.h"

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

// The pair, changed, stays two nodes.
void ExpectNotFused(absl::FunctionRef<void(ConvolutionPair*)> change,
                    int work = 1 << 20) {
  Pair pair(Case{{1, 5, 7, 5}});
  change(&pair);
  DeviceProfile profile;
  Fusing(1, &profile);
  profile.choices.fused_depthwise_work = work;
  RunPass("fuse_depthwise", &pair.graph, profile);
  EXPECT_EQ(pair.graph.nodes.size(), 2u);
}

TEST(FuseDepthwiseTest, LeavesOtherPairsAlone) {
  ExpectNotFused([](ConvolutionPair*) {},
                 /*work=*/17);  // 9 taps of 2 slices are 18
  ExpectNotFused([](ConvolutionPair*) {}, /*work=*/0);
  for (const auto& change : ChangesThatPartThem()) ExpectNotFused(change);
}

// A depthwise convolution whose result a concatenation reads in place must be
// written, though its only node of a reader is a convolution.
TEST(FuseDepthwiseTest, LeavesViewsAlone) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 5, 7, 4});
  DepthwiseConv2dAttributes depthwise;
  depthwise.pad_top = depthwise.pad_left = 1;
  const TensorId middle =
      b.Node("DEPTHWISE_CONV_2D", {x, b.Constant({1, 3, 3, 4})}, {1, 5, 7, 4},
             depthwise);
  b.graph.outputs = {b.Conv(middle)};
  b.graph.tensor(middle).view.of = b.Tensor({1, 5, 7, 8});
  DeviceProfile profile;
  profile.choices.split_k_target = 1;
  profile.choices.fused_depthwise_work = 1 << 20;
  RunPass("fuse_depthwise", &b.graph, profile);
  EXPECT_THAT(b.Ops(), ElementsAre("DEPTHWISE_CONV_2D", "CONV_2D"));
  b.graph.tensor(middle).view = {};
  RunPass("fuse_depthwise", &b.graph, profile);
  EXPECT_THAT(b.Ops(), ElementsAre("DEPTHWISE_CONV_2D+CONV_2D"));
}

bool FusesByNvidiasRow(const Case& c) {
  Pair pair(c);
  DeviceProfile profile;
  profile.limits.max_work_group_invocations = 1024;
  profile.limits.max_shared_memory_bytes = 48 << 10;
  profile.choices.split_k_target = 48 << 10;
  profile.choices.fused_depthwise_work = 1300;
  RunPass("fuse_depthwise", &pair.graph, profile);
  return pair.graph.nodes.size() == 1;
}

// Layers of MobileNets, past 1300: times on an H200
// decide.
TEST(FuseDepthwiseTest, FusesMoreWhereThereIsLittleWork) {
  // Four and eight times 576: 0.11 and 0.90 million products in all.
  EXPECT_TRUE(FusesByNvidiasRow({{1, 7, 7, 256}, 256, 3, 1, 1, 1}));
  EXPECT_TRUE(FusesByNvidiasRow({{1, 28, 28, 256}, 512, 3, 2, 1, 1}));
  // 1.8 million.
  EXPECT_FALSE(FusesByNvidiasRow({{1, 28, 28, 256}, 256, 3, 1, 1, 1}));
  // 0.34 million, but a work group has 864 for each pixel.
  EXPECT_FALSE(FusesByNvidiasRow({{1, 14, 14, 384}, 96, 3, 1, 1, 1}));
}

}  // namespace
}  // namespace gles_delegate::testing
