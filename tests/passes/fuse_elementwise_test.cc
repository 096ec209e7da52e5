// labels: unit sanitize
// Which functions become post-ops of their producer, and where the pass must
// not fire.
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/passes/passes.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

TEST(FuseElementwiseTest, ChainIntoConvolution) {
  GraphBuilder b;
  const TensorId y = b.Conv(b.Input(kDims));
  const TensorId scale = b.Constant({4});
  const TensorId z = b.Relu(b.Add(b.Relu(y), scale));
  b.graph.outputs = {z};
  RunPass("fuse_elementwise", &b.graph);
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
    RunPass("fuse_elementwise", &b.graph);
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
  RunPass("fuse_elementwise", &b.graph);
  ASSERT_THAT(b.Ops(), ElementsAre("CONV_2D", "CONV_2D"));
  EXPECT_TRUE(b.graph.nodes[0].post_ops.empty());
  EXPECT_EQ(b.graph.nodes[1].post_ops[0].operand, early);
}

// SiLU: either order of the factors, and a function after it.
TEST(FuseElementwiseTest, SiluIntoConvolution) {
  for (bool logistic_first : {true, false}) {
    GraphBuilder b;
    const TensorId x = b.Conv(b.Input(kDims));
    const TensorId gate = b.Logistic(x);
    const TensorId y = logistic_first ? b.Mul(gate, x) : b.Mul(x, gate);
    const TensorId z = b.Relu(y);
    b.graph.outputs = {z};
    RunPass("fuse_elementwise", &b.graph);
    ASSERT_THAT(b.Ops(), ElementsAre("CONV_2D"));
    EXPECT_THAT(Functions(b.graph.nodes[0]), ElementsAre("silu", "clamp"));
    EXPECT_THAT(b.graph.nodes[0].outputs, ElementsAre(z));
  }
}

// Another reader needs x, or the gate, by itself.
TEST(FuseElementwiseTest, SiluWithOtherReaders) {
  GraphBuilder b;
  const TensorId x = b.Conv(b.Input(kDims));
  b.graph.outputs = {b.Mul(b.Logistic(x), x), x};
  RunPass("fuse_elementwise", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D", "LOGISTIC"));
  EXPECT_THAT(Functions(b.graph.nodes[1]), ElementsAre("silu"));
  GraphBuilder shared;
  const TensorId y = shared.Conv(shared.Input(kDims));
  const TensorId gate = shared.Logistic(y);
  shared.graph.outputs = {shared.Mul(gate, y), gate};
  RunPass("fuse_elementwise", &shared.graph);
  EXPECT_THAT(shared.Ops(), ElementsAre("CONV_2D", "LOGISTIC", "MUL"));
}

// The operand is computed after the only producer that can take the sum.
TEST(FuseElementwiseTest, TheProducerMovesBehindTheOperand) {
  GraphBuilder b;
  const TensorId x = b.Input(kDims);
  const TensorId early = b.Conv(x);
  const TensorId late = b.Node("MAX_POOL_2D", {x}, kDims);
  const TensorId sum = b.Add(early, late);
  b.graph.outputs = {sum, b.Conv(late)};
  RunPass("fuse_elementwise", &b.graph);
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
  RunPass("fuse_elementwise", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D", "RELU"));
}

TEST(FuseElementwiseTest, NotTwoReaders) {
  GraphBuilder b;
  const TensorId y = b.Conv(b.Input(kDims));
  b.graph.outputs = {b.Relu(y), b.Conv(y)};
  RunPass("fuse_elementwise", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D", "RELU", "CONV_2D"));
}

TEST(FuseElementwiseTest, NotTheSameTensorTwice) {
  GraphBuilder b;
  const TensorId y = b.Conv(b.Input(kDims));
  b.graph.outputs = {b.Add(y, y)};
  RunPass("fuse_elementwise", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D", "ADD"));
}

TEST(FuseElementwiseTest, NotAGraphOutput) {
  GraphBuilder b;
  const TensorId y = b.Conv(b.Input(kDims));
  b.graph.outputs = {y, b.Relu(y)};
  RunPass("fuse_elementwise", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D", "RELU"));
}

TEST(FuseElementwiseTest, NotAGraphInput) {
  GraphBuilder b;
  b.graph.outputs = {b.Relu(b.Input(kDims))};
  RunPass("fuse_elementwise", &b.graph);
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
  RunPass("fuse_elementwise", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D", "ADD"));
}

TEST(FuseElementwiseTest, NotPastTheBindings) {
  GraphBuilder b;
  const TensorId one = b.Input(kDims), two = b.Input(kDims);
  // Data, weights, result and one operand: the four of a minimal device.
  b.graph.outputs = {b.Add(b.Add(b.Conv(b.Input(kDims)), one), two)};
  RunPass("fuse_elementwise", &b.graph);
  ASSERT_THAT(b.Ops(), ElementsAre("CONV_2D", "ADD"));
  EXPECT_THAT(Functions(b.graph.nodes[0]), ElementsAre("add"));
}

TEST(FuseElementwiseTest, MoreBindingsWhereThereAreMore) {
  GraphBuilder b;
  const TensorId one = b.Input(kDims), two = b.Input(kDims);
  b.graph.outputs = {b.Add(b.Add(b.Conv(b.Input(kDims)), one), two)};
  DeviceProfile profile;
  profile.limits.max_images = profile.limits.max_buffers = 5;
  profile.limits.max_outputs = 5;
  RunPass("fuse_elementwise", &b.graph, profile);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D"));
}

TEST(FuseElementwiseTest, NotSeveralOutputs) {
  GraphBuilder b;
  const TensorId y = b.Conv(b.Input(kDims));
  b.graph.nodes[0].outputs.push_back(b.Tensor(kDims));
  b.graph.outputs = {b.Relu(y)};
  RunPass("fuse_elementwise", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D", "RELU"));
}

TEST(RealignOperandsTest, BecomesAPostOp) {
  for (bool constant : {true, false}) {
    GraphBuilder b;
    const TensorId x = b.Conv(b.Input({3, 2, 2, 4}));
    const TensorId c = constant ? b.Constant({2, 4}) : b.Input({2, 4});
    ElementwiseAttributes a = b.Plain(x, 0);
    RealignedFunction f{PostOp{"mul"}, Shape{1, 1, 2, 4}};
    f.function.operand = 1;  // of the node's inputs
    a.functions = {f};
    b.graph.outputs = {b.Node("MUL", {x, c}, {3, 2, 2, 4}, a)};
    RunPass("realign_operands", &b.graph);
    RunPass("fuse_elementwise", &b.graph);
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

// Scores of heads and a mask of four axes.
TEST(RealignOperandsTest, ReshapesTheSource) {
  for (const bool repeats : {false, true}) {
    GraphBuilder b;
    const TensorId scores = b.Conv(b.Input({6, 16, 16}));
    const TensorId mask = b.Input({1, 1, 16, 16});
    ElementwiseAttributes a = b.Plain(scores, 0);
    a.source_shape = {1, 6, 16, 16};
    RealignedFunction f{PostOp{"add"}, Shape{1, 1, 16, 16}};
    f.function.operand = 1;  // of the node's inputs
    a.functions = {f};
    const int batch = repeats ? 2 : 1;
    b.graph.outputs = {b.Node("ADD", {scores, mask}, {batch, 6, 16, 16}, a)};
    RunPass("realign_operands", &b.graph);
    const auto& node = b.graph.nodes[1];
    EXPECT_EQ(node.op->name, repeats ? "ADD" : "RESHAPE");
    if (repeats) continue;
    EXPECT_THAT(node.inputs, ElementsAre(scores));
    ASSERT_EQ(node.post_ops.size(), 1u);
    EXPECT_EQ(node.post_ops[0].operand, mask);
  }
}

}  // namespace
}  // namespace gles_delegate::testing
