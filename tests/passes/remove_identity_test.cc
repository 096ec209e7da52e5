// labels: unit sanitize
// Which nodes that change nothing are removed, and which must stay.
#include "delegate/ops/image/resize.h"
#include "delegate/ops/op_list.h"
#include "delegate/passes/passes.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

TEST(RemoveIdentityTest, ChainInside) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 1, 1, 8});
  const TensorId y = b.Relu(x);
  const TensorId z = b.Node("SQUEEZE", {y}, {8});
  const TensorId w = b.Node("RESHAPE", {z}, {1, 8});
  b.graph.outputs = {b.Relu(w)};
  RunPass("remove_identity", &b.graph);
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
  RunPass("remove_identity", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "RELU"));
  EXPECT_THAT(b.graph.outputs, ElementsAre(w, other));
  EXPECT_THAT(b.graph.nodes[0].outputs, ElementsAre(w));
  EXPECT_THAT(b.graph.nodes[1].inputs, ElementsAre(w));
}

TEST(RemoveIdentityTest, BetweenInputAndOutputStays) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 8});
  b.graph.outputs = {b.Node("RESHAPE", {x}, {8})};
  RunPass("remove_identity", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RESHAPE"));
}

TEST(RemoveIdentityTest, BetweenTwoOutputsStays) {
  GraphBuilder b;
  const TensorId y = b.Relu(b.Input({1, 8}));
  const TensorId z = b.Node("RESHAPE", {y}, {8});
  b.graph.outputs = {y, z};
  RunPass("remove_identity", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "RESHAPE"));
}

TEST(RemoveIdentityTest, ResizesToTheSameSize) {
  for (const bool align_corners : {false, true}) {
    for (const char* op : {"RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"}) {
      GraphBuilder b;
      const TensorId y = b.Relu(b.Input({1, 2, 3, 8}));
      const TensorId same = b.Node(op, {y, b.Ints({2, 3})}, {1, 2, 3, 8},
                                   ResizeAttributes{align_corners, false});
      const TensorId larger = b.Node(op, {same, b.Ints({4, 3})}, {1, 4, 3, 8},
                                     ResizeAttributes{align_corners, false});
      b.graph.outputs = {b.Relu(larger)};
      RunPass("remove_identity", &b.graph);
      EXPECT_THAT(b.Ops(), ElementsAre("RELU", op, "RELU"));
      EXPECT_EQ(b.graph.nodes[1].inputs[0], y);
    }
  }
}

TEST(RemoveIdentityTest, ResizesOfQuantizedValuesStay) {
  GraphBuilder b;
  const TensorId y = b.Relu(b.Input({1, 2, 3, 8}));
  b.graph.outputs = {b.Relu(b.Node("RESIZE_BILINEAR", {y, b.Ints({2, 3})},
                                   {1, 2, 3, 8}, ResizeAttributes()))};
  for (auto& tensor : b.graph.tensors) {
    if (tensor.type == DataType::kFloat32) tensor.quantized = DataType::kInt8;
  }
  RunPass("remove_identity", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "RESIZE_BILINEAR", "RELU"));
}

TEST(RemoveIdentityTest, RealReshapesStay) {
  GraphBuilder b;
  const TensorId y = b.Relu(b.Input({1, 2, 2, 8}));
  b.graph.outputs = {b.Relu(b.Node("RESHAPE", {y}, {1, 4, 8}))};
  RunPass("remove_identity", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "RESHAPE", "RELU"));
}

TEST(RemoveIdentityTest, ConcatenationOfOneAndPadByNothing) {
  GraphBuilder b;
  const TensorId y = b.Relu(b.Input(kDims));
  const TensorId z = b.Node("CONCATENATION", {y}, kDims);
  const TensorId w =
      b.Node("PAD", {z, b.Ints({0, 0, 0, 0, 0, 0, 0, 0})}, kDims);
  b.graph.outputs = {b.Relu(w)};
  RunPass("remove_identity", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "RELU"));
}

TEST(RemoveIdentityTest, ActivationOfAConcatenationStays) {
  GraphBuilder b;
  const TensorId y = b.Relu(b.Input(kDims));
  const TensorId z =
      b.Node("CONCATENATION", {y}, kDims, {}, {{"clamp", {0, 1, 0, 0}}});
  b.graph.outputs = {b.Relu(z)};
  RunPass("remove_identity", &b.graph);
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
    RunPass("remove_identity", &b.graph);
    EXPECT_EQ(b.graph.nodes.size(), stride == 1 ? 2u : 3u);
  }
}

}  // namespace
}  // namespace gles_delegate::testing
