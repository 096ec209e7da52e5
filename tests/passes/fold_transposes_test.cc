// labels: op llvmpipe softpipe
// Transposes that undo or follow one another: the pass on graphs, when it must
// not fire, and whole models against TFLite's CPU.
#include "absl/strings/str_cat.h"
#include "delegate/graph/constant_values.h"
#include "delegate/ops/all_ops.h"
#include "delegate/passes/passes.h"
#include "tests/testing/device_test.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

TensorId Transposed(GraphBuilder* b, TensorId x, const std::vector<int>& by,
                    std::vector<PostOp> post_ops = {}) {
  std::vector<int> dims;
  for (int axis : by) dims.push_back(b->graph.tensor(x).dims[axis]);
  const TensorId permutation = b->Ints(by);
  const TensorId out =
      b->Node("TRANSPOSE", {x, permutation}, dims, {}, std::move(post_ops));
  NodeView view;
  view.inputs = {&b->graph.tensor(x), &b->graph.tensor(permutation)};
  view.outputs = {&b->graph.tensor(out)};
  b->graph.nodes.back().attributes = ParseTranspose(view)->attributes;
  return out;
}

const PostOp kRelu = {"clamp", {0, 6}};

TEST(FoldTransposesTest, ThereAndBackIsNothing) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 2, 3, 4});
  const TensorId nchw = Transposed(&b, b.Relu(x), {0, 3, 1, 2});
  b.graph.outputs = {b.Relu(Transposed(&b, nchw, {0, 2, 3, 1}))};
  ASSERT_TRUE(RunPasses(&b.graph).ok());
  // RELU, and the RELU after the two is in it.
  ASSERT_EQ(b.graph.nodes.size(), 1u);
  EXPECT_EQ(b.graph.nodes[0].post_ops.size(), 2u);
  EXPECT_EQ(b.graph.nodes[0].outputs, b.graph.outputs);
}

TEST(FoldTransposesTest, ThereAndBackAroundAFunction) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 2, 3, 4});
  const TensorId conv = b.Conv(x);
  const TensorId nchw = Transposed(&b, conv, {0, 3, 1, 2});
  b.graph.outputs = {Transposed(&b, b.Relu(nchw), {0, 2, 3, 1})};
  ASSERT_TRUE(RunPasses(&b.graph).ok());
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D"));
  EXPECT_EQ(b.graph.nodes[0].post_ops.size(), 1u);
}

TEST(FoldTransposesTest, TwoBecomeOne) {
  GraphBuilder b;
  const TensorId x = b.Input({2, 3, 4, 5});
  const TensorId once = Transposed(&b, x, {1, 0, 3, 2}, {kRelu});
  b.graph.outputs = {Transposed(&b, once, {2, 0, 1, 3})};
  RunPass("fold_transposes", &b.graph);
  ASSERT_THAT(b.Ops(), ElementsAre("TRANSPOSE"));
  EXPECT_EQ(b.graph.nodes[0].inputs[0], x);
  EXPECT_EQ(b.graph.nodes[0].post_ops.size(), 1u);
  EXPECT_THAT(ConstantInts(b.graph.tensor(b.graph.nodes[0].inputs[1])).value(),
              ElementsAre(3, 1, 0, 2));
}

TEST(FoldTransposesTest, OfAxesOfOneElementIsAReshape) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 1, 3, 4});
  b.graph.outputs = {Transposed(&b, x, {2, 0, 3, 1})};
  RunPass("fold_transposes", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RESHAPE"));
}

TEST(FoldTransposesTest, ReshapesInARow) {
  GraphBuilder b;
  const TensorId x = b.Input({2, 3, 4, 5});
  TensorId y = b.Node("RESHAPE", {x}, {6, 20});
  y = b.Node("SQUEEZE", {y}, {1, 6, 20}, {}, {kRelu});
  b.graph.outputs = {b.Node("RESHAPE", {y}, {120})};
  RunPass("fold_transposes", &b.graph);
  ASSERT_THAT(b.Ops(), ElementsAre("RESHAPE"));
  EXPECT_EQ(b.graph.nodes[0].inputs[0], x);
  EXPECT_EQ(b.graph.nodes[0].post_ops.size(), 1u);
}

// From an image of another layout to its rows.
TEST(FoldTransposesTest, AroundAReshapeIsAReshape) {
  GraphBuilder b;
  const TensorId x = b.Input({2, 2, 3, 4});
  const TensorId nchw = Transposed(&b, x, {0, 3, 1, 2});
  const TensorId flat = b.Node("RESHAPE", {nchw}, {2, 4, 6}, {}, {kRelu});
  b.graph.outputs = {Transposed(&b, flat, {0, 2, 1})};
  RunPass("fold_transposes", &b.graph);
  ASSERT_THAT(b.Ops(), ElementsAre("RESHAPE"));
  EXPECT_EQ(b.graph.nodes[0].inputs[0], x);
  EXPECT_EQ(b.graph.nodes[0].post_ops.size(), 1u);
}

TEST(FoldTransposesTest, NotAroundAReshapeThatMixesAxes) {
  GraphBuilder b;
  const TensorId x = b.Input({2, 2, 3, 4});
  const TensorId nchw = Transposed(&b, x, {0, 3, 1, 2});
  const TensorId flat = b.Node("RESHAPE", {nchw}, {2, 6, 4});
  b.graph.outputs = {Transposed(&b, flat, {0, 2, 1})};
  RunPass("fold_transposes", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("TRANSPOSE", "RESHAPE", "TRANSPOSE"));
}

TEST(FoldTransposesTest, NotWhereTheTensorBetweenIsRead) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 2, 3, 4});
  const TensorId nchw = Transposed(&b, x, {0, 3, 1, 2});
  const TensorId back = Transposed(&b, nchw, {0, 2, 3, 1});
  b.graph.outputs = {nchw, back};
  RunPass("fold_transposes", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("TRANSPOSE", "TRANSPOSE"));
}

TEST(FoldTransposesTest, NotPastAFunctionOfTwoTensors) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 2, 3, 4});
  PostOp add{"add"};
  add.operand = b.Input({1, 4, 2, 3});
  const TensorId nchw = Transposed(&b, x, {0, 3, 1, 2}, {add});
  b.graph.outputs = {Transposed(&b, nchw, {0, 2, 3, 1})};
  RunPass("fold_transposes", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("TRANSPOSE", "TRANSPOSE"));
}

// --- Whole models ------------------------------------------------------------

class FoldTransposesModelTest : public DeviceTest {};

int By(OpVariant* v, int x, const std::vector<int>& permutation) {
  const int by =
      v->IntConstant(absl::StrCat("by", x),
                     {static_cast<int>(permutation.size())}, permutation);
  return v->Op(Op::TRANSPOSE, 1, {x, by}, schema::TransposeOptionsT());
}

TEST_F(FoldTransposesModelTest, BetweenLayouts) {
  ExpectMatchesCpu(
      MakeModel("NHWC to NCHW and back", Accuracy{0}, [](OpVariant& v) {
        const Shape shape = {2, 3, 4, 5};
        int x = v.Input("x", shape, v.random().Gaussian(120));
        x = By(&v, v.Op(Op::ABS, 1, {x}), {0, 3, 1, 2});
        x = v.Op(Op::NEG, 1, {x});
        return By(&v, x, {0, 2, 3, 1});
      }));
  ExpectMatchesCpu(MakeModel("three in a row", Accuracy{0}, [](OpVariant& v) {
    int x = v.Input("x", {2, 3, 4, 5}, v.random().Gaussian(120));
    x = By(&v, x, {0, 3, 1, 2});
    x = v.Op(Op::NEG, 1, {x});
    return By(&v, By(&v, x, {3, 1, 0, 2}), {1, 0, 2, 3});
  }));
}

// A RESHAPE that only changes the rank is removed before, so that a TRANSPOSE
// meets tensors of other ranks than its permutation's.
TEST_F(FoldTransposesModelTest, BesideReshapesThatOnlyChangeTheRank) {
  struct Case {
    Shape from, to;
    std::vector<int> by;
    Shape next;  // a RESHAPE of the result, and another TRANSPOSE; or empty
    std::vector<int> then;
  };
  for (const Case& c : std::vector<Case>{
           {{3, 4}, {3, 1, 4}, {1, 0, 2}, {}, {}},
           {{1, 4}, {1, 1, 4}, {2, 0, 1}, {}, {}},
           {{2, 1, 3, 4}, {2, 3, 4}, {0, 2, 1}, {}, {}},
           {{2, 3, 4}, {2, 1, 3, 4}, {0, 1, 3, 2}, {}, {}},
           {{2, 3, 4}, {2, 1, 3, 4}, {0, 2, 1, 3}, {2, 3, 4}, {0, 2, 1}},
           {{2, 3, 4}, {2, 3, 4}, {0, 2, 1}, {2, 1, 4, 3}, {0, 3, 1, 2}},
           {{2, 3, 4}, {2, 3, 4}, {2, 0, 1}, {4, 1, 2, 3}, {3, 1, 0, 2}}}) {
    const auto reshaped = [](OpVariant& v, int x, const Shape& shape) {
      const int to = v.IntConstant(absl::StrCat("to", x),
                                   {static_cast<int>(shape.size())}, shape);
      return v.Op(Op::RESHAPE, 1, {x, to}, schema::ReshapeOptionsT());
    };
    ExpectMatchesCpu(MakeModel(
        absl::StrCat("rank ", c.from.size(), ", ", c.to.size(), ", ",
                     c.next.size()),
        Accuracy{0}, [&](OpVariant& v) {
          int x =
              v.Input("x", c.from, v.random().Gaussian(ElementCount(c.from)));
          x = By(&v, reshaped(v, v.Op(Op::NEG, 1, {x}), c.to), c.by);
          if (!c.next.empty()) x = By(&v, reshaped(v, x, c.next), c.then);
          return v.Op(Op::NEG, 1, {x});
        }));
  }
}

// A constant that is transposed is a constant.
TEST_F(FoldTransposesModelTest, OfConstants) {
  ExpectMatchesCpu(
      MakeModel("transposed weights", Accuracy{12}, [](OpVariant& v) {
        const int x = v.Input("x", {3, 12}, v.random().Gaussian(36));
        const int w = v.Constant("w", {12, 5}, v.random().Gaussian(60));
        const int bias = v.Constant("b", {5}, v.random().Gaussian(5));
        return v.Op(Op::FULLY_CONNECTED, 1, {x, By(&v, w, {1, 0}), bias},
                    schema::FullyConnectedOptionsT());
      }));
}

}  // namespace
}  // namespace gles_delegate::testing
