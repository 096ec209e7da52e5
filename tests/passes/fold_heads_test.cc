// labels: unit
// The passes on the heads of attentions and the rows around them, fold_heads,
// sink_reshapes and view_slices: when they fire, and when they must not.
// attention_model_test.cc runs whole models.
#include <string>
#include <vector>

#include "delegate/passes/passes.h"
#include "tests/testing/attention_graph.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

// softmax(Q K^T) V, as litert-torch writes it: matrices of three axes.
void AddTorchAttention(int channels, Attention* b) {
  const Dims heads = {3, 16, channels};
  const TensorId x = b->Input({1, 16, 3 * channels});
  const TensorId rows = b->Rows(x, {1, 16, 3 * channels});
  const TensorId split = b->Reshape(rows, {1, 16, 3, channels});
  const TensorId q = b->Reshape(b->Transpose(split, {0, 2, 1, 3}), heads);
  const TensorId k =
      b->Reshape(b->Transpose(split, {0, 2, 3, 1}), {3, channels, 16});
  TensorId p = b->Product(q, k, {3, 16, 16});
  p = b->Softmax(b->Reshape(p, {1, 3, 16, 16}));
  p = b->Product(b->Reshape(p, {3, 16, 16}), q, heads);
  p = b->Transpose(b->Reshape(p, {1, 3, 16, channels}), {0, 2, 1, 3});
  b->graph.outputs = {b->Rows(b->Reshape(p, {16, 3 * channels}), {1, 16, 8})};
}

TEST(AttentionTest, OfThreeAxes) {
  Attention b;
  AddTorchAttention(8, &b);
  ASSERT_TRUE(RunPasses(&b.graph, RoomyH200Profile()).ok());
  ASSERT_THAT(b.Ops(), ElementsAre("FULLY_CONNECTED", "BATCH_MATMUL", "SOFTMAX",
                                   "BATCH_MATMUL", "FULLY_CONNECTED"));
  EXPECT_TRUE(b.Attributes(1).adj_y);
  EXPECT_FALSE(b.Attributes(3).adj_y);
  const Tensor& q = b.graph.tensor(b.graph.nodes[1].inputs[0]);
  EXPECT_EQ(q.view.kind, MemoryView::Kind::kSlices);
  EXPECT_EQ(q.view.of, b.graph.nodes[0].outputs[0]);
  EXPECT_EQ(q.shape, (gles_delegate::Shape{3, 1, 16, 8}));
}

// Heads that begin within texels are moved as before.
TEST(AttentionTest, NotOfHeadsThatBeginWithinTexels) {
  Attention b;
  AddTorchAttention(6, &b);
  const size_t before = b.graph.nodes.size();
  RunPass("fold_heads", &b.graph);
  EXPECT_EQ(b.graph.nodes.size(), before);
}

// As Keras writes it: matrices of four axes, and a mask.
TEST(AttentionTest, OfFourAxesWithAMask) {
  Attention b;
  const TensorId x = b.Input({1, 16, 24});
  const TensorId mask = b.Input({1, 1, 1, 16});
  const TensorId q = b.Heads(b.Rows(x, {1, 16, 24}), 3);
  const TensorId k = b.Heads(b.Rows(x, {1, 16, 24}), 3);
  const TensorId v = b.Heads(b.Rows(x, {1, 16, 24}), 3);
  TensorId p = b.Product(q, k, {1, 3, 16, 16}, /*adj_y=*/true);
  p = b.Softmax(b.Add(p, mask));
  p = b.Transpose(b.Product(p, v, {1, 3, 16, 8}), {0, 2, 1, 3});
  b.graph.outputs = {b.Rows(b.Reshape(p, {1, 16, 24}), {1, 16, 4})};
  ASSERT_TRUE(RunPasses(&b.graph, RoomyH200Profile()).ok());
  ASSERT_THAT(b.Ops(), ElementsAre("FULLY_CONNECTED", "BATCH_MATMUL", "SOFTMAX",
                                   "BATCH_MATMUL", "FULLY_CONNECTED"));
  // Queries, keys and values are one product.
  EXPECT_EQ(b.graph.tensor(b.graph.nodes[0].outputs[0]).dims,
            (Dims{1, 16, 72}));
  EXPECT_EQ(b.graph.tensor(b.graph.nodes[3].inputs[1]).view.at[kChannelAxis],
            48);
  EXPECT_EQ(Functions(b.graph.nodes[1]), std::vector<std::string>{"add"});
}

// A batch keeps its masks: they do not follow the heads.
TEST(AttentionTest, NotWithAMaskForEachOfABatch) {
  Attention b;
  const TensorId x = b.Input({2, 16, 24});
  const TensorId mask = b.Input({2, 1, 1, 16});
  const TensorId q = b.Heads(b.Rows(x, {2, 16, 24}), 3);
  TensorId p = b.Product(q, q, {2, 3, 16, 16}, /*adj_y=*/true);
  b.graph.outputs = {b.Add(p, mask)};
  ASSERT_TRUE(RunPasses(&b.graph, RoomyH200Profile()).ok());
  EXPECT_EQ(b.Attributes(static_cast<int>(b.graph.nodes.size()) - 1).x.size(),
            4u);
}

// Parts of one product of rows: Q, K and V are slices of it, and a factor goes
// to the product.
TEST(AttentionTest, OfPartsOfRows) {
  Attention b;
  const TensorId x = b.Input({1, 16, 24});
  const TensorId rows = b.Reshape(b.Rows(x, {1, 16, 72}), {1, 16, 3, 24});
  const TensorId parts = b.Transpose(rows, {2, 0, 1, 3});
  const auto part = [&](int i) {
    return b.Slice(parts, {i, 0, 0, 0}, {1, 1, 16, 24});
  };
  const auto heads = [&](TensorId t) {
    return b.Transpose(b.Reshape(t, {16, 3, 8}), {1, 0, 2});
  };
  const TensorId q = part(0);
  const TensorId scaled =
      b.Node("MUL", {q}, {1, 1, 16, 24}, b.Plain(q, 0), {{"mul", {0.5f}}});
  const TensorId k = heads(part(1)), v = heads(part(2));
  TensorId p = b.Product(heads(scaled), k, {3, 16, 16}, /*adj_y=*/true);
  b.graph.outputs = {b.Product(b.Softmax(p), v, {3, 16, 8})};
  ASSERT_TRUE(RunPasses(&b.graph, RoomyH200Profile()).ok());
  ASSERT_THAT(b.Ops(), ElementsAre("FULLY_CONNECTED", "BATCH_MATMUL", "SOFTMAX",
                                   "BATCH_MATMUL"));
  EXPECT_EQ(Functions(b.graph.nodes[1]), std::vector<std::string>{"mul"});
  const auto first = [&](int node, int input) {
    return b.graph.tensor(b.graph.nodes[node].inputs[input])
        .view.at[kChannelAxis];
  };
  EXPECT_EQ(first(1, 0), 0);
  EXPECT_EQ(first(1, 1), 24);
  EXPECT_EQ(first(3, 1), 48);
}

// A view must not outlive its source, and outputs have their own memory.
TEST(AttentionTest, OutputsAreNoViews) {
  Attention b;
  const TensorId x = b.Input({1, 16, 24});
  const TensorId y = b.Heads(b.Rows(x, {1, 16, 24}), 3);
  const TensorId q = b.Reshape(y, {3, 16, 8});
  const TensorId p = b.Product(q, q, {3, 16, 16}, /*adj_y=*/true);
  const TensorId merged =
      b.Reshape(b.Transpose(b.Product(p, q, {3, 16, 8}), {1, 0, 2}), {16, 24});
  b.graph.outputs = {merged, q};
  ASSERT_TRUE(RunPasses(&b.graph, RoomyH200Profile()).ok());
  for (TensorId id : b.graph.outputs) {
    EXPECT_EQ(b.graph.tensor(id).view.of, kNoTensor);
  }
}

// --- Rows --------------------------------------------------------------------

TEST(SinkReshapesTest, RowsLieAlongTheWidth) {
  Attention b;
  const TensorId x = b.Input({1, 16, 24});
  const TensorId residual = b.Input({1, 16, 24});
  const TensorId wide = b.Relu(b.Rows(x, {16, 48}));
  const TensorId back = b.Reshape(b.Rows(wide, {16, 24}), {1, 16, 24});
  b.graph.outputs = {b.Add(back, residual)};
  ASSERT_TRUE(RunPasses(&b.graph, RoomyH200Profile()).ok());
  ASSERT_THAT(b.Ops(), ElementsAre("FULLY_CONNECTED", "FULLY_CONNECTED"));
  EXPECT_EQ(b.graph.tensor(b.graph.nodes[1].inputs[0]).shape,
            (gles_delegate::Shape{1, 1, 16, 48}));
}

TEST(SinkReshapesTest, OutputsKeepTheirDims) {
  Attention b;
  const TensorId x = b.Input({1, 16, 24});
  b.graph.outputs = {b.Rows(x, {16, 48})};
  RunPass("sink_reshapes", &b.graph, RoomyH200Profile());
  EXPECT_EQ(b.graph.tensor(b.graph.outputs[0]).dims, (Dims{16, 48}));
}

// Fast shaders need the same pixels on both sides.
TEST(SinkReshapesTest, NotIfAProductWouldLoseItsPixels) {
  Attention b;
  const TensorId image = b.Input({1, 4, 4, 8});
  const TensorId batch = b.Input({16, 8});
  const TensorId x = b.Reshape(image, {1, 16, 8});
  b.graph.outputs = {b.Rows(x, {1, 16, 4}),
                     b.Rows(b.Rows(batch, {16, 12}), {16, 4})};
  RunPass("sink_reshapes", &b.graph, RoomyH200Profile());
  EXPECT_THAT(b.Ops(), ElementsAre("RESHAPE", "FULLY_CONNECTED",
                                   "FULLY_CONNECTED", "FULLY_CONNECTED"));
  EXPECT_EQ(b.graph.tensor(b.graph.nodes[2].outputs[0]).dims, (Dims{16, 12}));
}

// From an image to an image they stay the same.
TEST(SinkReshapesTest, OnBothSidesOfAProduct) {
  Attention b;
  const TensorId image = b.Input({1, 4, 4, 8});
  const TensorId rows = b.Rows(b.Reshape(image, {1, 16, 8}), {1, 16, 4});
  b.graph.outputs = {b.Reshape(rows, {1, 4, 4, 4})};
  RunPass("sink_reshapes", &b.graph, RoomyH200Profile());
  EXPECT_THAT(b.Ops(), ElementsAre("FULLY_CONNECTED"));
}

// Of rows along the width, but the last product writes an output of rank 2.
TEST(SinkReshapesTest, NotIfALaterProductWouldLoseItsPixels) {
  Attention b;
  const TensorId x = b.Input({1, 16, 8});
  const TensorId rows = b.Rows(b.Reshape(x, {16, 8}), {16, 12});
  b.graph.outputs = {b.Rows(rows, {16, 4})};
  RunPass("sink_reshapes", &b.graph, RoomyH200Profile());
  EXPECT_THAT(b.Ops(),
              ElementsAre("RESHAPE", "FULLY_CONNECTED", "FULLY_CONNECTED"));
  EXPECT_EQ(b.graph.tensor(rows).dims, (Dims{16, 12}));
}

TEST(SinkReshapesTest, NotIfTheLastDimensionChanges) {
  Attention b;
  const TensorId x = b.Input({1, 16, 24});
  b.graph.outputs = {b.Rows(b.Reshape(x, {8, 48}), {8, 4})};
  RunPass("sink_reshapes", &b.graph, RoomyH200Profile());
  EXPECT_THAT(b.Ops(), ElementsAre("RESHAPE", "FULLY_CONNECTED"));
}

}  // namespace
}  // namespace gles_delegate::testing
