// labels: unit sanitize
// Which dispatches compute a model's nodes, after each way in which passes make
// a node leave.
#include <utility>
#include <vector>

#include "delegate/partition/partition_report.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

// The builder's nodes get indices 10, 11, ...
Graph Numbered(GraphBuilder builder) {
  int index = 10;
  for (Node& node : builder.graph.nodes) node.tflite_index = index++;
  return std::move(builder.graph);
}

std::vector<std::pair<int, int>> Fates(const Graph& before,
                                       const Graph& after) {
  std::vector<std::pair<int, int>> fates;
  std::vector<int> nodes = {9};  // folded when it was read
  for (const Node& node : before.nodes) nodes.push_back(node.tflite_index);
  for (const NodeFate& fate : FatesOfNodes(nodes, before, after)) {
    fates.emplace_back(fate.node, fate.computed_by);
  }
  return fates;
}

TEST(NodeFatesTest, WithoutPassesEachNodeComputesItself) {
  GraphBuilder b;
  b.graph.outputs = {b.Relu(b.Conv(b.Input(kDims)))};
  const Graph graph = Numbered(std::move(b));
  EXPECT_THAT(Fates(graph, graph),
              ElementsAre(Pair(9, kNoNode), Pair(10, 10), Pair(11, 11)));
}

TEST(NodeFatesTest, APostOpIsComputedByTheNodeBeforeIt) {
  GraphBuilder b;
  b.graph.outputs = {b.Relu(b.Conv(b.Input(kDims)))};
  const Graph before = Numbered(std::move(b));
  Graph after = before;
  RunPass("fuse_elementwise", &after);
  ASSERT_EQ(after.nodes.size(), 1u);
  EXPECT_THAT(Fates(before, after),
              ElementsAre(Pair(9, kNoNode), Pair(10, 10), Pair(11, 10)));
}

TEST(NodeFatesTest, WhatLeftForItsReaderIsComputedByTheReader) {
  GraphBuilder b;
  const TensorId in = b.Input(kDims);
  b.graph.outputs = {b.Relu(b.Conv(b.Relu(in)))};
  const Graph before = Numbered(std::move(b));
  Graph after = before;
  // As fuse_padding and fuse_inputs do: the convolution reads what node
  // 10 read.
  after.nodes[1].inputs[0] = in;
  after.nodes.erase(after.nodes.begin());
  EXPECT_THAT(Fates(before, after), ElementsAre(Pair(9, kNoNode), Pair(10, 11),
                                                Pair(11, 11), Pair(12, 12)));
}

TEST(NodeFatesTest, AConcatenationInPlaceIsComputedByWhoWritesThere) {
  GraphBuilder b;
  const TensorId part = b.Relu(b.Input(kDims));
  const TensorId whole =
      b.Node("CONCATENATION", {part, b.Input(kDims)}, {1, 2, 2, 8});
  b.graph.outputs = {b.Conv(whole)};
  const Graph before = Numbered(std::move(b));
  Graph after = before;
  after.tensor(part).view.of = whole;
  after.nodes.erase(after.nodes.begin() + 1);
  EXPECT_THAT(Fates(before, after), ElementsAre(Pair(9, kNoNode), Pair(10, 10),
                                                Pair(11, 10), Pair(12, 12)));
}

TEST(NodeFatesTest, AnOutputReadElsewhereIsComputedByWhoWritesThere) {
  GraphBuilder b;
  const TensorId x = b.Conv(b.Input(kDims));
  b.graph.outputs = {b.Node("DEPTH_TO_SPACE", {x}, {1, 4, 4, 1})};
  const Graph before = Numbered(std::move(b));
  Graph after = before;
  after.tensor(after.outputs[0]).view.of = x;
  after.tensor(after.outputs[0]).view.kind = MemoryView::Kind::kDepthToSpace;
  after.nodes.pop_back();
  EXPECT_THAT(Fates(before, after),
              ElementsAre(Pair(9, kNoNode), Pair(10, 10), Pair(11, 10)));
}

TEST(NodeFatesTest, AMaximumIsComputedByTheConvolutionThatAddsIt) {
  GraphBuilder b;
  const TensorId x = b.Input(kDims);
  const TensorId maximum = b.Node("MAX_POOL_2D", {x}, kDims);
  b.graph.outputs = {b.Conv(x)};
  b.graph.nodes[1].post_ops = {{"add"}};
  b.graph.nodes[1].post_ops[0].operand = maximum;
  const Graph before = Numbered(std::move(b));
  Graph after = before;
  after.tensor(maximum).view.of = x;
  after.tensor(maximum).view.kind = MemoryView::Kind::kMaxPool;
  after.nodes.erase(after.nodes.begin());
  EXPECT_THAT(Fates(before, after),
              ElementsAre(Pair(9, kNoNode), Pair(10, 11), Pair(11, 11)));
}

TEST(NodeFatesTest, WhatNobodyReadsIsComputedByNoNode) {
  GraphBuilder b;
  const TensorId in = b.Input(kDims);
  b.Relu(b.Relu(in));
  b.graph.outputs = {b.Conv(in)};
  const Graph before = Numbered(std::move(b));
  Graph after = before;
  RunPass("remove_dead_nodes", &after);
  ASSERT_EQ(after.nodes.size(), 1u);
  EXPECT_THAT(Fates(before, after),
              ElementsAre(Pair(9, kNoNode), Pair(10, kNoNode),
                          Pair(11, kNoNode), Pair(12, 12)));
}

TEST(DispatchReportTest, DefinesAreReadAsTheCompilerGetsThem) {
  Dispatch dispatch("conv_2d");
  dispatch.Define("TILE_ROWS", 3).Define("TILE_SLICES", 2);
  dispatch.node = 7;
  dispatch.label = "CONV_2D 7";
  const std::vector<DispatchReport> reports = ReportsOf({dispatch});
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].node, 7);
  EXPECT_EQ(reports[0].label, "CONV_2D 7");
  EXPECT_EQ(reports[0].shader, "conv_2d");
  EXPECT_EQ(reports[0].defines, "TILE_ROWS=3 TILE_SLICES=2");
}

}  // namespace
}  // namespace gles_delegate::testing
