// labels: op llvmpipe softpipe
// Concatenations written in place: the pass on graphs, and whole models against
// TFLite's CPU in every storage.
#include "delegate/passes/concat_in_place.h"

#include "delegate/ops/movement/concatenation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/device_test.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/op_model_maker.h"

namespace gles_delegate::testing {
namespace {

using ::testing::ElementsAre;
using Builtin = schema::BuiltinOperator;

// --- The pass ----------------------------------------------------------------

TensorId Concat(GraphBuilder* b, std::vector<TensorId> inputs,
                const std::vector<int>& dims, int axis,
                std::vector<PostOp> post_ops = {}) {
  return b->Node("CONCATENATION", std::move(inputs), dims,
                 ConcatenationAttributes{axis}, std::move(post_ops));
}

TEST(ConcatInPlaceTest, ProducersWriteWhereTheirPartBelongs) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 2, 2, 8});
  const TensorId first = b.Relu(x);
  const TensorId second = b.Relu(x);
  const TensorId all = Concat(&b, {first, second}, {1, 2, 2, 16}, kChannelAxis);
  b.graph.outputs = {all};
  ConcatInPlace(&b.graph);
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
  ConcatInPlace(&b.graph);
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
  GraphBuilder b;
  const TensorId x = b.Input({1, 2, 2, 4});
  const TensorId a = b.Relu(x);
  const TensorId c = b.Relu(x);
  const TensorId first = Concat(&b, {a, c}, {1, 2, 2, 8}, kChannelAxis);
  const TensorId d = b.Relu(first);
  const TensorId second =
      Concat(&b, {first, a, d}, {1, 2, 2, 20}, kChannelAxis);
  b.graph.outputs = {second};
  ConcatInPlace(&b.graph);
  EXPECT_EQ(b.graph.tensor(a).view.of, first);
  EXPECT_EQ(b.graph.tensor(first).view.of, kNoTensor);
  EXPECT_EQ(b.graph.tensor(d).view.of, second);
  EXPECT_THAT(b.Ops(),
              ElementsAre("RELU", "RELU", "RELU", "RESHAPE", "RESHAPE"));
}

void ExpectUntouched(GraphBuilder b, TensorId all) {
  b.graph.outputs = {all};
  const size_t nodes = b.graph.nodes.size();
  ConcatInPlace(&b.graph);
  EXPECT_EQ(b.graph.nodes.size(), nodes);
  EXPECT_EQ(b.graph.nodes.back().op->name, "CONCATENATION");
}

TEST(ConcatInPlaceTest, NotWithinTexels) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 2, 2, 6});
  const TensorId parts[] = {b.Relu(x), b.Relu(x)};
  ExpectUntouched(
      b, Concat(&b, {parts[0], parts[1]}, {1, 2, 2, 12}, kChannelAxis));
}

TEST(ConcatInPlaceTest, NotWithAFunction) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 2, 2, 4});
  const TensorId parts[] = {b.Relu(x), b.Relu(x)};
  ExpectUntouched(b, Concat(&b, {parts[0], parts[1]}, {1, 2, 2, 8},
                            kChannelAxis, {{"clamp", {0, 6, 0, 0}}}));
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
        const int a = v.Op(Builtin::AVERAGE_POOL_2D, 1, {x}, pool);
        const int b = v.Op(Builtin::MAX_POOL_2D, 1, {x}, pool);
        const int c = v.Op(Builtin::ABS, 1, {x});
        schema::ConcatenationOptionsT options;
        options.axis = axis;
        const int all = v.Op(Builtin::CONCATENATION, 1, {a, x, b, c}, options);
        // Each part is read on its own too.
        const int most =
            v.Op(Builtin::MAXIMUM, 1, {a, b}, schema::MaximumMinimumOptionsT());
        const int both = v.Op(Builtin::CONCATENATION, 1, {all, most}, options);
        return negated ? v.Op(Builtin::NEG, 1, {both}) : both;
      });
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
