// labels: unit sanitize
// Which PAD goes into its reader, and where the pass must not fire.
#include <any>
#include <vector>

#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/conv/depthwise_conv_2d.h"
#include "delegate/ops/movement/pad.h"
#include "delegate/ops/pooling/pool_2d.h"
#include "delegate/passes/passes.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

PadAttributes SpatialPad() {
  PadAttributes a;
  a.before = {0, 1, 3, 0};
  a.after = {0, 2, 4, 0};
  return a;
}

const std::vector<int> kPadded = {1, 5, 9, 4};

TEST(FusePaddingTest, IntoConvolutions) {
  GraphBuilder b;
  const TensorId x = b.Input(kDims);
  const TensorId padded = b.Pad(x, kPadded, SpatialPad());
  Conv2dAttributes conv;
  conv.pad_top = 1;  // SAME's own
  const TensorId y =
      b.Node("CONV_2D", {padded, b.Constant({4, 1, 1, 4})}, kPadded, conv);
  const TensorId z =
      b.Node("DEPTHWISE_CONV_2D", {padded, b.Constant({1, 1, 1, 4})}, kPadded,
             DepthwiseConv2dAttributes());
  b.graph.outputs = {y, z};
  RunPass("fuse_padding", &b.graph);
  RunPass("remove_dead_nodes", &b.graph);
  ASSERT_THAT(b.Ops(), ElementsAre("CONV_2D", "DEPTHWISE_CONV_2D"));
  const auto& a =
      std::any_cast<const Conv2dAttributes&>(b.graph.nodes[0].attributes);
  EXPECT_THAT(
      (std::vector<int>{a.pad_top, a.pad_left, a.pad_bottom, a.pad_right}),
      ElementsAre(2, 3, 2, 4));
  EXPECT_EQ(b.graph.nodes[0].inputs[0], x);
  EXPECT_EQ(b.graph.nodes.back().inputs[0], x);
}

TEST(FusePaddingTest, IntoPooling) {
  for (const char* op : {"AVERAGE_POOL_2D", "MAX_POOL_2D"}) {
    GraphBuilder b;
    const TensorId x = b.Input(kDims);
    const TensorId padded = b.Pad(x, kPadded, SpatialPad());
    b.graph.outputs = {b.Node(op, {padded}, kPadded, PoolAttributes())};
    RunPass("fuse_padding", &b.graph);
    const Node& pool = b.graph.nodes.back();
    EXPECT_EQ(pool.inputs[0], x);
    const auto& a = std::any_cast<const PoolAttributes&>(pool.attributes);
    EXPECT_TRUE(a.zeros);
    EXPECT_EQ(a.pad_h.before, SpatialPad().before[1]);
    EXPECT_EQ(a.pad_w.after, SpatialPad().after[2]);
  }
}

TEST(FusePaddingTest, NotIntoPoolingThatPadsOrWorksInIntegers) {
  PoolAttributes same;
  same.pad_w.after = 1;
  for (bool integer_path : {false, true}) {
    GraphBuilder b;
    const TensorId padded = b.Pad(b.Input(kDims), kPadded, SpatialPad());
    b.graph.outputs = {b.Node("MAX_POOL_2D", {padded}, kPadded,
                              integer_path ? PoolAttributes() : same)};
    b.graph.nodes.back().integer_path = integer_path;
    RunPass("fuse_padding", &b.graph);
    EXPECT_EQ(b.graph.nodes.back().inputs[0], padded);
  }
}

TEST(FusePaddingTest, NotOtherValuesAxesOrReaders) {
  PadAttributes value = SpatialPad(), channels = SpatialPad(),
                mirror = SpatialPad(), runtime = SpatialPad();
  value.value = 1;
  channels.after[3] = 1;
  mirror.edge = Remap::Edge::kReflect;
  runtime.runtime_value = true;
  for (const PadAttributes& a : {value, channels, mirror, runtime}) {
    GraphBuilder b;
    const TensorId padded = b.Pad(b.Input(kDims), kPadded, a);
    b.graph.outputs = {b.Conv(padded)};
    RunPass("fuse_padding", &b.graph);
    EXPECT_EQ(b.graph.nodes.back().inputs[0], padded);
  }
  GraphBuilder b;
  const TensorId padded = b.Pad(b.Input(kDims), kPadded, SpatialPad());
  b.graph.outputs = {b.Conv(padded), b.Relu(padded)};
  RunPass("fuse_padding", &b.graph);
  EXPECT_EQ(b.graph.nodes.back().inputs[0], padded);
}

TEST(FusePaddingTest, NotAnOutput) {
  GraphBuilder b;
  const TensorId padded = b.Pad(b.Input(kDims), kPadded, SpatialPad());
  b.graph.outputs = {padded, b.Conv(padded)};
  RunPass("fuse_padding", &b.graph);
  EXPECT_EQ(b.graph.nodes.back().inputs[0], padded);
}

PadAttributes ChannelPad(int before, int after) {
  PadAttributes a;
  a.before[3] = before;
  a.after[3] = after;
  return a;
}

TEST(FuseChannelPaddingTest, IntoEitherSideOfASum) {
  for (bool padded_first : {true, false}) {
    GraphBuilder b;
    const TensorId narrow = b.Input({1, 2, 2, 3});
    const TensorId wide = b.Conv(b.Input(kDims));
    const TensorId padded = b.Pad(narrow, kDims, ChannelPad(0, 1));
    b.graph.outputs = {padded_first ? b.Add(padded, wide)
                                    : b.Add(wide, padded)};
    ASSERT_TRUE(RunPasses(&b.graph).ok());
    ASSERT_THAT(b.Ops(), ElementsAre("CONV_2D"));
    const PostOp& add = b.graph.nodes[0].post_ops[0];
    EXPECT_EQ(add.operand, narrow);
    EXPECT_TRUE(add.operand_zero_extend);
    EXPECT_EQ(add.operand_first, padded_first);
  }
}

TEST(FuseChannelPaddingTest, NotOtherReadersFunctionsOrPads) {
  enum Case { kValue, kBefore, kProduct, kReader, kCases };
  for (int i = 0; i < kCases; ++i) {
    GraphBuilder b;
    const TensorId wide = b.Conv(b.Input(kDims));
    PadAttributes a = i == kBefore ? ChannelPad(1, 0) : ChannelPad(0, 1);
    if (i == kValue) a.value = 1;
    const TensorId padded = b.Pad(b.Input({1, 2, 2, 3}), kDims, a);
    b.graph.outputs = {b.Add(wide, padded)};
    if (i == kProduct) b.graph.nodes.back().post_ops[0].function = "mul";
    if (i == kReader) b.graph.outputs.push_back(b.Conv(padded));
    RunPass("fuse_channel_padding", &b.graph);
    EXPECT_EQ(b.graph.nodes[2].post_ops[0].operand, padded) << i;
    EXPECT_FALSE(b.graph.nodes[2].post_ops[0].operand_zero_extend) << i;
  }
}

}  // namespace
}  // namespace gles_delegate::testing
