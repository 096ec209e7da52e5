// labels: op llvmpipe softpipe
// Concatenations written in place: the pass on graphs, and whole models against
// TFLite's CPU in every storage.
#include <algorithm>
#include <utility>
#include <vector>

#include "delegate/ops/movement/concatenation.h"
#include "delegate/passes/passes.h"
#include "tests/testing/device_test.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// --- The pass ----------------------------------------------------------------

TensorId Concat(GraphBuilder* b, std::vector<TensorId> inputs,
                const std::vector<int>& dims, int axis,
                std::vector<PostOp> post_ops = {}) {
  return b->Node("CONCATENATION", std::move(inputs), dims,
                 ConcatenationAttributes{axis}, std::move(post_ops));
}

// Two functions of one input, joined by their channels.
struct TwoParts {
  GraphBuilder b;
  TensorId first, second, all;
  explicit TwoParts(int channels, std::vector<PostOp> post_ops = {}) {
    const TensorId x = b.Input({1, 2, 2, channels});
    first = b.Relu(x);
    second = b.Relu(x);
    all = Concat(&b, {first, second}, {1, 2, 2, 2 * channels}, kChannelAxis,
                 std::move(post_ops));
  }
};

TEST(ConcatInPlaceTest, ProducersWriteWhereTheirPartBelongs) {
  auto [b, first, second, all] = TwoParts(8);
  b.graph.outputs = {all};
  RunPass("concat_in_place", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "RELU"));
  EXPECT_EQ(b.graph.tensor(first).view.of, all);
  EXPECT_THAT(b.graph.tensor(first).view.at, ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(b.graph.tensor(second).view.of, all);
  EXPECT_THAT(b.graph.tensor(second).view.at, ElementsAre(0, 0, 0, 8));
}

TEST(ConcatInPlaceTest, WhatCannotBeWrittenInPlaceIsCopied) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 3, 2, 4});
  const TensorId own = b.Relu(x);
  const TensorId twice = b.Relu(x);
  const TensorId kept = b.Relu(x);
  const TensorId constant = b.Constant({1, 3, 2, 4});
  const TensorId all = Concat(&b, {x, own, twice, constant, twice, kept},
                              {1, 18, 2, 4}, kHeightAxis);
  b.graph.outputs = {all, kept};
  RunPass("concat_in_place", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "RELU", "RELU", "RESHAPE", "RESHAPE",
                                   "RESHAPE", "RESHAPE", "RESHAPE"));
  EXPECT_THAT(b.graph.tensor(own).view.at, ElementsAre(0, 3, 0, 0));
  for (TensorId id : {x, twice, constant, kept}) {
    EXPECT_EQ(b.graph.tensor(id).view.of, kNoTensor);
  }
  std::vector<int> rows;
  for (size_t n = 3; n < b.graph.nodes.size(); ++n) {
    rows.push_back(b.graph.tensor(b.graph.nodes[n].outputs[0]).view.at[1]);
  }
  EXPECT_THAT(rows, ElementsAre(0, 6, 9, 12, 15));
}

TEST(ConcatInPlaceTest, OneTensorInTwoConcatenations) {
  auto [b, a, c, first] = TwoParts(4);
  const TensorId d = b.Relu(first);
  const TensorId second =
      Concat(&b, {first, a, d}, {1, 2, 2, 20}, kChannelAxis);
  b.graph.outputs = {second};
  RunPass("concat_in_place", &b.graph);
  EXPECT_EQ(b.graph.tensor(a).view.of, first);
  EXPECT_EQ(b.graph.tensor(first).view.of, kNoTensor);
  EXPECT_EQ(b.graph.tensor(d).view.of, second);
  EXPECT_THAT(b.Ops(),
              ElementsAre("RELU", "RELU", "RELU", "RESHAPE", "RESHAPE"));
}

void ExpectUntouched(GraphBuilder b, TensorId all) {
  b.graph.outputs = {all};
  const size_t nodes = b.graph.nodes.size();
  RunPass("concat_in_place", &b.graph);
  EXPECT_EQ(b.graph.nodes.size(), nodes);
  EXPECT_EQ(b.graph.nodes.back().op->name, "CONCATENATION");
}

TEST(ConcatInPlaceTest, NotWithinTexels) {
  const TwoParts parts(6);
  ExpectUntouched(parts.b, parts.all);
}

TEST(ConcatInPlaceTest, NotWithAFunction) {
  const TwoParts parts(4, {{"clamp", {0, 6, 0, 0}}});
  ExpectUntouched(parts.b, parts.all);
}

TEST(ConcatInPlaceTest, NotWhereAllWouldBeCopied) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 2, 2, 4});
  const TensorId y = b.Input({1, 2, 2, 4});
  ExpectUntouched(b, Concat(&b, {x, y}, {1, 2, 2, 8}, kChannelAxis));
}

TEST(ConcatInPlaceTest, NotOnAFifthAxis) {
  GraphBuilder b;
  const TensorId x = b.Input({2, 2, 2, 2, 4});
  const TensorId parts[] = {b.Relu(x), b.Relu(x)};
  ExpectUntouched(
      b, Concat(&b, {parts[0], parts[1]}, {2, 4, 2, 2, 4}, kBatchAxis));
}

// The heads of a detector: convolutions laid as rows, joined, and a function of
// all.
struct Heads {
  GraphBuilder b;
  std::vector<TensorId> sources, rows;
  Heads() {
    for (int size : {3, 2}) {
      sources.push_back(b.Conv(b.Input({1, size, size, 4})));
      rows.push_back(b.Node("RESHAPE", {sources.back()}, {1, size * size, 4}));
    }
  }
};

TEST(ConcatInPlaceTest, WhatMakesThePartsTakesTheFunctions) {
  Heads h;
  const TensorId all =
      Concat(&h.b, h.rows, {1, 13, 4}, kWidthAxis, {{"clamp", {0, 6, 0, 0}}});
  h.b.graph.outputs = {all};
  RunPass("concat_in_place", &h.b.graph);
  EXPECT_THAT(h.b.Ops(),
              ElementsAre("CONV_2D", "RESHAPE", "CONV_2D", "RESHAPE"));
  int begin = 0;
  for (int n : {1, 3}) {
    const Node& maker = h.b.graph.nodes[n];
    EXPECT_THAT(Functions(maker), ElementsAre("clamp"));
    // A separate tensor, with other values than the model's.
    EXPECT_NE(maker.outputs[0], h.rows[n / 2]);
    const gles_delegate::Tensor& part = h.b.graph.tensor(maker.outputs[0]);
    EXPECT_EQ(part.view.of, all);
    EXPECT_THAT(part.view.at, ElementsAre(0, 0, begin, 0));
    begin += 9;
  }
}

TEST(ConcatInPlaceTest, APartThatIsReadElsewhereIsCopied) {
  Heads h;
  const TensorId all =
      Concat(&h.b, h.rows, {1, 13, 4}, kWidthAxis, {{"clamp", {0, 6, 0, 0}}});
  h.b.graph.outputs = {all, h.b.Relu(h.rows[0])};
  RunPass("concat_in_place", &h.b.graph);
  EXPECT_THAT(h.b.Ops(), ElementsAre("CONV_2D", "RESHAPE", "CONV_2D", "RESHAPE",
                                     "RESHAPE", "RELU"));
  EXPECT_THAT(Functions(h.b.graph.nodes[1]), ElementsAre());
  EXPECT_THAT(Functions(h.b.graph.nodes[3]), ElementsAre("clamp"));
  EXPECT_THAT(Functions(h.b.graph.nodes[4]), ElementsAre("clamp"));
}

TEST(ConcatInPlaceTest, NotWithAFunctionOfThePlace) {
  Heads h;
  PostOp add{"add"};
  add.operand = h.b.Input({1, 13, 4});
  ExpectUntouched(h.b, Concat(&h.b, h.rows, {1, 13, 4}, kWidthAxis, {add}));
}

TEST(ConcatInPlaceTest, AColumnIsLaidAsARowByWhatMakesTheParts) {
  GraphBuilder b;
  std::vector<TensorId> columns;
  for (int size : {3, 2}) {
    columns.push_back(b.Node("RESHAPE", {b.Conv(b.Input({1, size, size, 4}))},
                             {1, size * size, 1, 4}));
  }
  const TensorId all = Concat(&b, columns, {1, 13, 1, 4}, kHeightAxis);
  const TensorId row =
      b.Node("SQUEEZE", {all}, {1, 13, 4}, {}, {{"clamp", {0, 6, 0, 0}}});
  b.graph.outputs = {row};
  RunPass("concat_in_place", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D", "RESHAPE", "CONV_2D", "RESHAPE"));
  const auto& part = b.graph.tensor(b.graph.nodes[3].outputs[0]);
  EXPECT_THAT(Functions(b.graph.nodes[3]), ElementsAre("clamp"));
  EXPECT_EQ(part.shape, (gles_delegate::Shape{1, 1, 4, 4}));
  EXPECT_EQ(part.view.of, row);
  EXPECT_THAT(part.view.at, ElementsAre(0, 0, 9, 0));
}

// Two readers, or parts that something else makes: the SQUEEZE stays.
TEST(ConcatInPlaceTest, AColumnThatIsReadAsOneStays) {
  for (bool read : {false, true}) {
    GraphBuilder b;
    TensorId x = b.Conv(b.Input({1, 3, 1, 4}));
    TensorId y = b.Conv(b.Input({1, 2, 1, 4}));
    if (read) {
      x = b.Node("RESHAPE", {x}, {1, 3, 1, 4});
      y = b.Node("RESHAPE", {y}, {1, 2, 1, 4});
    }
    const TensorId all = Concat(&b, {x, y}, {1, 5, 1, 4}, kHeightAxis);
    b.graph.outputs = {b.Node("SQUEEZE", {all}, {1, 5, 4})};
    if (read) b.graph.outputs.push_back(b.Relu(all));
    RunPass("concat_in_place", &b.graph);
    const auto ops = b.Ops();
    EXPECT_EQ(std::count(ops.begin(), ops.end(), "SQUEEZE"), 1);
    EXPECT_EQ(std::count(ops.begin(), ops.end(), "CONCATENATION"), 0);
  }
}

// --- Whole models ------------------------------------------------------------

class ConcatInPlaceModelTest : public DeviceTest {};

// Two poolings and an ABS of one input, joined on `axis` and negated.
SingleOpModel Joined(const Shape& shape, int axis, bool negated) {
  return MakeModel(
      absl::StrCat("joined on ", axis, " of ", ShapeString(shape)),
      Accuracy{/*terms=*/9}, [&](OpVariant& v) {
        const int x =
            v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        schema::Pool2DOptionsT pool;
        pool.padding = schema::Padding::SAME;
        pool.filter_width = pool.filter_height = 3;
        pool.stride_w = pool.stride_h = 1;
        const int a = v.Op(Op::AVERAGE_POOL_2D, 1, {x}, pool);
        const int b = v.Op(Op::MAX_POOL_2D, 1, {x}, pool);
        const int c = v.Op(Op::ABS, 1, {x});
        schema::ConcatenationOptionsT options;
        options.axis = axis;
        const int all = v.Op(Op::CONCATENATION, 1, {a, x, b, c}, options);
        // Each part is read on its own too.
        const int max =
            v.Op(Op::MAXIMUM, 1, {a, b}, schema::MaximumMinimumOptionsT());
        const int both = v.Op(Op::CONCATENATION, 1, {all, max}, options);
        return negated ? v.Op(Op::NEG, 1, {both}) : both;
      });
}

// Two maps of 3 x `channels` channels, laid as columns or rows of `channels`,
// joined, squeezed where they are columns, and LOGISTIC of all.
SingleOpModel JoinedHeads(int channels, bool columns) {
  return MakeModel(
      absl::StrCat("heads of ", channels, columns ? " as columns" : " as rows"),
      Accuracy{/*terms=*/1, /*ulps=*/8}, [&](OpVariant& v) {
        std::vector<int> parts;
        for (int size : {5, 3}) {
          const Shape shape = {1, size, size, 3 * channels};
          const int x =
              v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
          const int negated = v.Op(Op::NEG, 1, {x});
          const int n = size * size * 3;
          schema::ReshapeOptionsT to;
          to.new_shape =
              columns ? Shape{1, n, 1, channels} : Shape{1, n, channels};
          const int dims = v.IntConstant(
              "dims", {static_cast<int>(to.new_shape.size())}, to.new_shape);
          parts.push_back(v.Op(Op::RESHAPE, 1, {negated, dims}, to));
        }
        schema::ConcatenationOptionsT options;
        options.axis = 1;
        int all = v.Op(Op::CONCATENATION, 1, parts, options);
        if (columns) {
          schema::SqueezeOptionsT squeeze;
          squeeze.squeeze_dims = {2};
          all = v.Op(Op::SQUEEZE, 1, {all}, squeeze);
        }
        return v.Op(Op::LOGISTIC, 1, {all});
      });
}

TEST_F(ConcatInPlaceModelTest, TheHeadsOfADetector) {
  for (bool columns : {false, true}) {
    for (int channels : {4, 7}) {
      ExpectMatchesCpu(JoinedHeads(channels, columns));
    }
  }
}

TEST_F(ConcatInPlaceModelTest, EveryAxis) {
  for (int axis : {0, 1, 2, 3}) {
    for (bool negated : {false, true}) {
      ExpectMatchesCpu(Joined({2, 5, 6, 8}, axis, negated));
    }
  }
  ExpectMatchesCpu(Joined({1, 7, 9, 3}, 1, true));
  ExpectMatchesCpu(Joined({3, 4, 5, 17}, 2, true));
}

}  // namespace
}  // namespace gles_delegate::testing
