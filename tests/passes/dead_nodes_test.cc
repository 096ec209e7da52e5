// labels: unit sanitize
// Which nodes no one reads, and which must stay although no one does.
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/passes/passes.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

TEST(DeadNodesTest, RemovesWhatNobodyReads) {
  GraphBuilder b;
  const TensorId x = b.Input(kDims);
  b.Relu(b.Conv(x));
  b.graph.outputs = {b.Conv(x)};
  RunPass("remove_dead_nodes", &b.graph);
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
  RunPass("remove_dead_nodes", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "CONV_2D"));
}

TEST(DeadNodesTest, KeepsState) {
  GraphBuilder b;
  const TensorId x = b.Input(kDims);
  b.graph.tensor(x).is_variable = true;
  b.Relu(x);
  RunPass("remove_dead_nodes", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU"));
}

}  // namespace
}  // namespace gles_delegate::testing
