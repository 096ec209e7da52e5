// labels: unit sanitize
// Each pass alone: a graph in, a graph out, and the cases where it must not
// fire.
#include "delegate/passes/passes.h"

#include <any>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/conv/depthwise_conv_2d.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/movement/pad.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/pooling/pool_2d.h"
#include "delegate/passes/dead_nodes.h"
#include "delegate/passes/fold_constants.h"
#include "delegate/passes/fuse_elementwise.h"
#include "delegate/passes/fuse_padding.h"
#include "delegate/passes/remove_identity.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/graph_builder.h"

namespace gles_delegate {
namespace {

using ::testing::ElementsAre;
using testing::GraphBuilder;
using ::testing::HasSubstr;

std::vector<std::string> Functions(const Node& node) {
  std::vector<std::string> names;
  for (const PostOp& op : node.post_ops) names.push_back(op.function);
  return names;
}

const std::vector<int> kDims = {1, 2, 2, 4};

// --- FoldConstants -----------------------------------------------------------

TEST(FoldConstantsTest, HalfThroughDequantizeIsShared) {
  GraphBuilder b;
  const TensorId half = b.Tensor({2});
  b.graph.tensor(half).type = DataType::kFloat16;
  b.graph.tensor(half).constant =
      ConstantData::Own({0x00, 0x3c, 0x00, 0xc0});  // 1, -2
  const TensorId out = b.Node("DEQUANTIZE", {half}, {2});
  b.graph.outputs = {b.Add(b.Input({2}), out)};
  ASSERT_TRUE(FoldConstants(&b.graph).ok());
  EXPECT_THAT(b.Ops(), ElementsAre("ADD"));
  const Tensor& t = b.graph.tensor(out);
  EXPECT_EQ(t.type, DataType::kFloat16);
  EXPECT_EQ(t.constant.bytes().data(),
            b.graph.tensor(half).constant.bytes().data());
  EXPECT_THAT(*ConstantFloats(t), ElementsAre(1, -2));
}

TEST(FoldConstantsTest, Int8ThroughDequantizeBecomesFloat) {
  GraphBuilder b;
  const TensorId codes = b.Tensor({2, 2});
  Tensor& t = b.graph.tensor(codes);
  t.type = DataType::kInt8;
  t.constant = ConstantData::Own({1, 2, 3, 0xff});
  t.quantization.scale = {0.5f, 2.0f};
  t.quantization.zero_point = {0, 1};
  t.quantization.dimension = 0;
  const TensorId out = b.Node("DEQUANTIZE", {codes}, {2, 2});
  ASSERT_TRUE(FoldConstants(&b.graph).ok());
  EXPECT_EQ(b.graph.tensor(out).type, DataType::kFloat32);
  EXPECT_THAT(*ConstantFloats(b.graph.tensor(out)),
              ElementsAre(0.5f, 1, 4, -4));
}

TEST(FoldConstantsTest, ChainsOfReshapes) {
  GraphBuilder b;
  const TensorId c = b.Constant({2, 6});
  const TensorId x = b.Node("RESHAPE", {c}, {3, 4});
  const TensorId y = b.Node("EXPAND_DIMS", {x}, {1, 3, 4});
  const TensorId z = b.Node("SQUEEZE", {y}, {3, 4});
  ASSERT_TRUE(FoldConstants(&b.graph).ok());
  EXPECT_TRUE(b.graph.nodes.empty());
  EXPECT_TRUE(b.graph.tensor(z).is_constant());
}

TEST(FoldConstantsTest, LeavesWhatIsComputed) {
  GraphBuilder b;
  b.graph.outputs = {b.Node("RESHAPE", {b.Input({2, 6})}, {3, 4})};
  ASSERT_TRUE(FoldConstants(&b.graph).ok());
  EXPECT_THAT(b.Ops(), ElementsAre("RESHAPE"));
}

TEST(FoldConstantsTest, RefusesAnotherNumberOfElements) {
  GraphBuilder b;
  b.Node("RESHAPE", {b.Constant({2, 6})}, {3, 5});
  const absl::Status status = FoldConstants(&b.graph);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot become"));
}

// --- RemoveIdentityNodes -----------------------------------------------------

TEST(RemoveIdentityTest, ChainInside) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 1, 1, 8});
  const TensorId y = b.Relu(x);
  const TensorId z = b.Node("SQUEEZE", {y}, {8});
  const TensorId w = b.Node("RESHAPE", {z}, {1, 8});
  b.graph.outputs = {b.Relu(w)};
  RemoveIdentityNodes(&b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "RELU"));
  EXPECT_THAT(b.graph.nodes[1].inputs, ElementsAre(y));
}

// The output keeps its id; its producer takes it over, other readers follow.
TEST(RemoveIdentityTest, AtTheOutput) {
  GraphBuilder b;
  const TensorId y = b.Relu(b.Input({1, 1, 1, 8}));
  const TensorId z = b.Node("RESHAPE", {y}, {1, 8});
  const TensorId w = b.Node("RESHAPE", {z}, {8});
  const TensorId other = b.Relu(y);
  b.graph.outputs = {w, other};
  RemoveIdentityNodes(&b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "RELU"));
  EXPECT_THAT(b.graph.outputs, ElementsAre(w, other));
  EXPECT_THAT(b.graph.nodes[0].outputs, ElementsAre(w));
  EXPECT_THAT(b.graph.nodes[1].inputs, ElementsAre(w));
}

TEST(RemoveIdentityTest, BetweenInputAndOutputStays) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 8});
  b.graph.outputs = {b.Node("RESHAPE", {x}, {8})};
  RemoveIdentityNodes(&b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RESHAPE"));
}

TEST(RemoveIdentityTest, BetweenTwoOutputsStays) {
  GraphBuilder b;
  const TensorId y = b.Relu(b.Input({1, 8}));
  const TensorId z = b.Node("RESHAPE", {y}, {8});
  b.graph.outputs = {y, z};
  RemoveIdentityNodes(&b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "RESHAPE"));
}

TEST(RemoveIdentityTest, RealReshapesStay) {
  GraphBuilder b;
  const TensorId y = b.Relu(b.Input({1, 2, 2, 8}));
  b.graph.outputs = {b.Relu(b.Node("RESHAPE", {y}, {1, 4, 8}))};
  RemoveIdentityNodes(&b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "RESHAPE", "RELU"));
}

TEST(RemoveIdentityTest, ConcatenationOfOneAndPadByNothing) {
  GraphBuilder b;
  const TensorId y = b.Relu(b.Input(kDims));
  const TensorId z = b.Node("CONCATENATION", {y}, kDims);
  const TensorId w =
      b.Node("PAD", {z, b.Ints({0, 0, 0, 0, 0, 0, 0, 0})}, kDims);
  b.graph.outputs = {b.Relu(w)};
  RemoveIdentityNodes(&b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "RELU"));
}

TEST(RemoveIdentityTest, ActivationOfAConcatenationStays) {
  GraphBuilder b;
  const TensorId y = b.Relu(b.Input(kDims));
  const TensorId z =
      b.Node("CONCATENATION", {y}, kDims, {}, {{"clamp", {0, 1, 0, 0}}});
  b.graph.outputs = {b.Relu(z)};
  RemoveIdentityNodes(&b.graph);
  EXPECT_EQ(b.graph.nodes.size(), 3u);
}

TEST(RemoveIdentityTest, ReversalStays) {
  for (int stride : {1, -1}) {
    GraphBuilder b;
    if (FindOp(45, "") == nullptr) GTEST_SKIP() << "STRIDED_SLICE is not there";
    const TensorId y = b.Relu(b.Input(kDims));
    const TensorId z = b.Node("STRIDED_SLICE",
                              {y, b.Ints({0, 0, 0, 0}), b.Ints({0, 0, 0, 0}),
                               b.Ints({1, stride, 1, 1})},
                              kDims);
    b.graph.outputs = {b.Relu(z)};
    RemoveIdentityNodes(&b.graph);
    EXPECT_EQ(b.graph.nodes.size(), stride == 1 ? 2u : 3u);
  }
}

// --- FusePadding -------------------------------------------------------------

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
  FusePadding(&b.graph);
  RemoveDeadNodes(&b.graph);
  ASSERT_THAT(b.Ops(), ElementsAre("CONV_2D", "DEPTHWISE_CONV_2D"));
  const auto& a =
      std::any_cast<const Conv2dAttributes&>(b.graph.nodes[0].attributes);
  EXPECT_THAT(
      (std::vector<int>{a.pad_top, a.pad_left, a.pad_bottom, a.pad_right}),
      ElementsAre(2, 3, 2, 4));
  EXPECT_EQ(b.graph.nodes[0].inputs[0], x);
  EXPECT_EQ(b.graph.nodes[1].inputs[0], x);
}

TEST(FusePaddingTest, IntoPooling) {
  for (const char* op : {"AVERAGE_POOL_2D", "MAX_POOL_2D"}) {
    GraphBuilder b;
    const TensorId x = b.Input(kDims);
    const TensorId padded = b.Pad(x, kPadded, SpatialPad());
    b.graph.outputs = {b.Node(op, {padded}, kPadded, PoolAttributes())};
    FusePadding(&b.graph);
    const Node& pool = b.graph.nodes[1];
    EXPECT_EQ(pool.inputs[0], x);
    const auto& a = std::any_cast<const PoolAttributes&>(pool.attributes);
    EXPECT_TRUE(a.zeros);
    EXPECT_EQ(a.pad_h.before, SpatialPad().before[1]);
    EXPECT_EQ(a.pad_w.after, SpatialPad().after[2]);
  }
}

TEST(FusePaddingTest, NotIntoPoolingThatPadsOrWorksOnCodes) {
  PoolAttributes same;
  same.pad_w.after = 1;
  for (bool on_codes : {false, true}) {
    GraphBuilder b;
    const TensorId padded = b.Pad(b.Input(kDims), kPadded, SpatialPad());
    b.graph.outputs = {b.Node("MAX_POOL_2D", {padded}, kPadded,
                              on_codes ? PoolAttributes() : same)};
    b.graph.nodes[1].on_codes = on_codes;
    FusePadding(&b.graph);
    EXPECT_EQ(b.graph.nodes[1].inputs[0], padded);
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
    FusePadding(&b.graph);
    EXPECT_EQ(b.graph.nodes[1].inputs[0], padded);
  }
  GraphBuilder b;
  const TensorId padded = b.Pad(b.Input(kDims), kPadded, SpatialPad());
  b.graph.outputs = {b.Conv(padded), b.Relu(padded)};
  FusePadding(&b.graph);
  EXPECT_EQ(b.graph.nodes[1].inputs[0], padded);
}

TEST(FusePaddingTest, NotAnOutput) {
  GraphBuilder b;
  const TensorId padded = b.Pad(b.Input(kDims), kPadded, SpatialPad());
  b.graph.outputs = {padded, b.Conv(padded)};
  FusePadding(&b.graph);
  EXPECT_EQ(b.graph.nodes[1].inputs[0], padded);
}

// --- FuseChannelPadding ------------------------------------------------------

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
    FuseChannelPadding(&b.graph);
    EXPECT_EQ(b.graph.nodes[2].post_ops[0].operand, padded) << i;
    EXPECT_FALSE(b.graph.nodes[2].post_ops[0].operand_zero_extend) << i;
  }
}

// --- FuseElementwise ---------------------------------------------------------

TEST(FuseElementwiseTest, ChainIntoConvolution) {
  GraphBuilder b;
  const TensorId y = b.Conv(b.Input(kDims));
  const TensorId scale = b.Constant({4});
  const TensorId z = b.Relu(b.Add(b.Relu(y), scale));
  b.graph.outputs = {z};
  FuseElementwise(&b.graph);
  ASSERT_THAT(b.Ops(), ElementsAre("CONV_2D"));
  EXPECT_THAT(Functions(b.graph.nodes[0]),
              ElementsAre("clamp", "add", "clamp"));
  EXPECT_EQ(b.graph.nodes[0].post_ops[1].operand, scale);
  EXPECT_THAT(b.graph.nodes[0].outputs, ElementsAre(z));
}

// x -> conv -> + x: the sum goes to the convolution, whichever side it is on.
TEST(FuseElementwiseTest, ResidualOnEitherSide) {
  for (bool conv_first : {true, false}) {
    GraphBuilder b;
    const TensorId x = b.Relu(b.Input(kDims));
    const TensorId y = b.Conv(x);
    b.graph.outputs = {conv_first ? b.Add(y, x) : b.Add(x, y)};
    FuseElementwise(&b.graph);
    ASSERT_THAT(b.Ops(), ElementsAre("RELU", "CONV_2D"));
    const PostOp& add = b.graph.nodes[1].post_ops[0];
    EXPECT_EQ(add.operand, x);
    EXPECT_EQ(add.operand_first, !conv_first);
  }
}

// Two branches: the sum goes to the one that is computed last.
TEST(FuseElementwiseTest, TheLaterBranch) {
  GraphBuilder b;
  const TensorId x = b.Input(kDims);
  const TensorId early = b.Conv(x);
  const TensorId late = b.Conv(x);
  b.graph.outputs = {b.Add(early, late)};
  FuseElementwise(&b.graph);
  ASSERT_THAT(b.Ops(), ElementsAre("CONV_2D", "CONV_2D"));
  EXPECT_TRUE(b.graph.nodes[0].post_ops.empty());
  EXPECT_EQ(b.graph.nodes[1].post_ops[0].operand, early);
}

// The operand is computed after the only producer that can take the sum.
TEST(FuseElementwiseTest, TheProducerMovesBehindTheOperand) {
  GraphBuilder b;
  const TensorId x = b.Input(kDims);
  const TensorId early = b.Conv(x);
  const TensorId late = b.Node("MAX_POOL_2D", {x}, kDims);
  const TensorId sum = b.Add(early, late);
  b.graph.outputs = {sum, b.Conv(late)};
  FuseElementwise(&b.graph);
  ASSERT_THAT(b.Ops(), ElementsAre("MAX_POOL_2D", "CONV_2D", "CONV_2D"));
  EXPECT_EQ(b.graph.nodes[1].post_ops[0].operand, late);
  EXPECT_THAT(b.graph.nodes[1].outputs, ElementsAre(sum));
}

// A producer that moves would see its state at another time.
TEST(FuseElementwiseTest, NotAProducerWithState) {
  GraphBuilder b;
  const TensorId x = b.Input(kDims);
  b.graph.tensor(x).is_variable = true;
  b.graph.outputs = {b.Relu(b.Conv(x))};
  FuseElementwise(&b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D", "RELU"));
}

TEST(FuseElementwiseTest, NotTwoReaders) {
  GraphBuilder b;
  const TensorId y = b.Conv(b.Input(kDims));
  b.graph.outputs = {b.Relu(y), b.Conv(y)};
  FuseElementwise(&b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D", "RELU", "CONV_2D"));
}

TEST(FuseElementwiseTest, NotTheSameTensorTwice) {
  GraphBuilder b;
  const TensorId y = b.Conv(b.Input(kDims));
  b.graph.outputs = {b.Add(y, y)};
  FuseElementwise(&b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D", "ADD"));
}

TEST(FuseElementwiseTest, NotAGraphOutput) {
  GraphBuilder b;
  const TensorId y = b.Conv(b.Input(kDims));
  b.graph.outputs = {y, b.Relu(y)};
  FuseElementwise(&b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D", "RELU"));
}

TEST(FuseElementwiseTest, NotAGraphInput) {
  GraphBuilder b;
  b.graph.outputs = {b.Relu(b.Input(kDims))};
  FuseElementwise(&b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU"));
}

// The result is larger than what the producer writes.
TEST(FuseElementwiseTest, NotABroadcastSource) {
  GraphBuilder b;
  const TensorId y = b.Conv(b.Input({1, 1, 1, 4}));
  const TensorId wide = b.Input(kDims);
  PostOp add{"add"};
  add.operand = wide;
  b.graph.outputs = {b.Node("ADD", {y, wide}, kDims, b.Plain(y, 0), {add})};
  FuseElementwise(&b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D", "ADD"));
}

TEST(FuseElementwiseTest, NotPastTheBindings) {
  GraphBuilder b;
  const TensorId one = b.Input(kDims), two = b.Input(kDims);
  // Data, weights, result and one operand: the four of a minimal device.
  b.graph.outputs = {b.Add(b.Add(b.Conv(b.Input(kDims)), one), two)};
  FuseElementwise(&b.graph);
  ASSERT_THAT(b.Ops(), ElementsAre("CONV_2D", "ADD"));
  EXPECT_THAT(Functions(b.graph.nodes[0]), ElementsAre("add"));
}

TEST(FuseElementwiseTest, MoreBindingsWhereThereAreMore) {
  GraphBuilder b;
  const TensorId one = b.Input(kDims), two = b.Input(kDims);
  b.graph.outputs = {b.Add(b.Add(b.Conv(b.Input(kDims)), one), two)};
  FuseElementwise(&b.graph, /*max_tensors=*/5);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D"));
}

TEST(FuseElementwiseTest, NotSeveralOutputs) {
  GraphBuilder b;
  const TensorId y = b.Conv(b.Input(kDims));
  b.graph.nodes[0].outputs.push_back(b.Tensor(kDims));
  b.graph.outputs = {b.Relu(y)};
  FuseElementwise(&b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D", "RELU"));
}

TEST(RealignConstantsTest, BecomesAPostOp) {
  for (bool constant : {true, false}) {
    GraphBuilder b;
    const TensorId x = b.Conv(b.Input({3, 2, 2, 4}));
    const TensorId c = constant ? b.Constant({2, 4}) : b.Input({2, 4});
    ElementwiseAttributes a = b.Plain(x, 0);
    RealignedFunction f{PostOp{"mul"}, Shape{1, 1, 2, 4}};
    f.function.operand = 1;  // of the node's inputs
    a.functions = {f};
    b.graph.outputs = {b.Node("MUL", {x, c}, {3, 2, 2, 4}, a)};
    RealignConstants(&b.graph);
    FuseElementwise(&b.graph);
    if (!constant) {
      EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D", "MUL"));
      continue;
    }
    ASSERT_THAT(b.Ops(), ElementsAre("CONV_2D"));
    const PostOp& mul = b.graph.nodes[0].post_ops[0];
    EXPECT_EQ(b.graph.tensor(mul.operand).shape, (Shape{1, 1, 2, 4}));
    EXPECT_TRUE(b.graph.tensor(mul.operand).is_constant());
  }
}

// --- RemoveDeadNodes ---------------------------------------------------------

TEST(DeadNodesTest, RemovesWhatNobodyReads) {
  GraphBuilder b;
  const TensorId x = b.Input(kDims);
  b.Relu(b.Conv(x));
  b.graph.outputs = {b.Conv(x)};
  RemoveDeadNodes(&b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D"));
  EXPECT_EQ(b.graph.nodes[0].outputs[0], b.graph.outputs[0]);
}

TEST(DeadNodesTest, KeepsOperandsOfPostOps) {
  GraphBuilder b;
  const TensorId x = b.Input(kDims);
  const TensorId y = b.Relu(x);
  PostOp add{"add"};
  add.operand = y;
  b.graph.outputs = {b.Node("CONV_2D", {x, b.Constant({4, 1, 1, 4})}, kDims,
                            Conv2dAttributes(), {add})};
  RemoveDeadNodes(&b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "CONV_2D"));
}

TEST(DeadNodesTest, KeepsState) {
  GraphBuilder b;
  const TensorId x = b.Input(kDims);
  b.graph.tensor(x).is_variable = true;
  b.Relu(x);
  RemoveDeadNodes(&b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU"));
}

// --- All of them -------------------------------------------------------------

TEST(RunPassesTest, PadConvolutionBiasActivationReshape) {
  GraphBuilder b;
  const TensorId padded = b.Pad(b.Input(kDims), kPadded, SpatialPad());
  const TensorId y = b.Relu(b.Add(b.Conv(padded), b.Constant({4})));
  b.graph.outputs = {b.Node("RESHAPE", {y}, {5, 9, 4})};
  const TensorId out = b.graph.outputs[0];
  ASSERT_TRUE(RunPasses(&b.graph).ok());
  // [5,9,4] is 5x1x9x4 here: a real reshape, which stays.
  ASSERT_THAT(b.Ops(), ElementsAre("CONV_2D", "RESHAPE"));
  EXPECT_THAT(Functions(b.graph.nodes[0]), ElementsAre("clamp"));
  EXPECT_THAT(b.graph.nodes[1].outputs, ElementsAre(out));
}

// A pass that looked at all nodes for each node would take minutes here.
TEST(RunPassesTest, LongGraphs) {
  GraphBuilder b;
  TensorId x = b.Input(kDims);
  for (int i = 0; i < 20000; ++i) {
    x = b.Node("RESHAPE", {b.Relu(x)}, kDims);
  }
  b.graph.outputs = {x};
  ASSERT_TRUE(RunPasses(&b.graph).ok());
  EXPECT_EQ(b.graph.nodes.size(), 1u);
}

}  // namespace
}  // namespace gles_delegate
