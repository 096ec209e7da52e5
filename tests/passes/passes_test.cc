// labels: unit sanitize
// All passes together.
#include "delegate/passes/passes.h"

#include "delegate/ops/movement/pad.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

TEST(RunPassesTest, PadConvolutionBiasActivationReshape) {
  PadAttributes pad;
  pad.before = {0, 1, 3, 0};
  pad.after = {0, 2, 4, 0};
  GraphBuilder b;
  const TensorId padded = b.Pad(b.Input(kDims), {1, 5, 9, 4}, pad);
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
}  // namespace gles_delegate::testing
