// labels: op llvmpipe softpipe
// Constants folded into weights: the pass on graphs, when it must not fire,
// and whole models against TFLite's CPU.
#include <cstring>

#include "absl/strings/str_cat.h"
#include "delegate/graph/constant_values.h"
#include "delegate/ops/conv/depthwise_conv_2d.h"
#include "delegate/passes/passes.h"
#include "tests/testing/device_test.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// --- The pass ----------------------------------------------------------------

TensorId Floats(GraphBuilder* b, const std::vector<int>& dims,
                const std::vector<float>& values) {
  const TensorId id = b->Tensor(dims);
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  b->graph.tensor(id).constant = ConstantData::Own(std::move(bytes));
  return id;
}

std::vector<float> ValuesOf(const GraphBuilder& b, TensorId id) {
  return ConstantFloats(b.graph.tensor(id)).value();
}

PostOp With(const char* function, TensorId operand, bool first = false) {
  PostOp op{function};
  op.operand = operand;
  op.operand_first = first;
  return op;
}

PostOp Scalar(const char* function, float value, bool first = false) {
  return {function, {value, first ? 1.0f : 0.0f}};
}

// A 1x1 convolution of two channels, [[1, 2], [3, 4]] by [outputs][inputs].
TensorId Conv(GraphBuilder* b, TensorId x, std::vector<PostOp> post_ops,
              Conv2dAttributes a = {}) {
  const TensorId weights = Floats(b, {2, 1, 1, 2}, {1, 2, 3, 4});
  return b->Node("CONV_2D", {x, weights}, {1, 2, 2, 2}, a, std::move(post_ops));
}

TEST(FoldScalesTest, AfterAConvolution) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 2, 2, 2});
  const TensorId scale = Floats(&b, {2}, {10, 100});
  Conv(&b, x,
       {With("mul", scale),
        Scalar("add", 5),
        Scalar("sub", 1),
        With("sub", Floats(&b, {2}, {7, 8}), /*first=*/true),
        {"clamp", {0, 6}},
        Scalar("add", 9)});
  RunPass("fold_scales", &b.graph);
  const Node& node = b.graph.nodes[0];
  ASSERT_EQ(node.inputs.size(), 3u);
  EXPECT_THAT(ValuesOf(b, node.inputs[1]), ElementsAre(-10, -20, -300, -400));
  EXPECT_THAT(ValuesOf(b, node.inputs[2]), ElementsAre(3, 4));
  ASSERT_EQ(node.post_ops.size(), 2u);
  EXPECT_EQ(node.post_ops[0].function, "clamp");
}

TEST(FoldScalesTest, AfterADepthwiseConvolution) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 2, 2, 1});
  DepthwiseConv2dAttributes a;
  a.multiplier = 2;
  b.Node("DEPTHWISE_CONV_2D",
         {x, Floats(&b, {1, 2, 1, 2}, {1, 2, 3, 4}), Floats(&b, {2}, {5, 6})},
         {1, 1, 2, 2}, a, {With("mul", Floats(&b, {2}, {10, 100}))});
  RunPass("fold_scales", &b.graph);
  const Node& node = b.graph.nodes[0];
  EXPECT_THAT(ValuesOf(b, node.inputs[1]), ElementsAre(10, 200, 30, 400));
  EXPECT_THAT(ValuesOf(b, node.inputs[2]), ElementsAre(50, 600));
  EXPECT_TRUE(node.post_ops.empty());
}

// x * (10, 100) + (1, 2), read by a convolution.
GraphBuilder Before(const Conv2dAttributes& a) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 2, 2, 2});
  const TensorId scaled =
      b.Node("MUL", {x, kNoTensor}, {1, 2, 2, 2}, b.Plain(x, 0),
             {With("mul", Floats(&b, {2}, {10, 100})),
              With("add", Floats(&b, {2}, {1, 2}))});
  b.graph.outputs = {Conv(&b, scaled, {}, a)};
  return b;
}

TEST(FoldScalesTest, BeforeAConvolution) {
  GraphBuilder b = Before({});
  RunPass("fold_scales", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("CONV_2D"));
  const Node& node = b.graph.nodes[0];
  EXPECT_EQ(node.inputs[0], b.graph.inputs[0]);
  EXPECT_THAT(ValuesOf(b, node.inputs[1]), ElementsAre(10, 200, 30, 400));
  EXPECT_THAT(ValuesOf(b, node.inputs[2]), ElementsAre(5, 11));
}

// Outputs 0 and 1 see inputs 0 and 1, outputs 2 and 3 the others.
TEST(FoldScalesTest, BeforeAGroupedConvolution) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 1, 1, 4});
  const TensorId scaled =
      b.Node("MUL", {x, kNoTensor}, {1, 1, 1, 4}, b.Plain(x, 0),
             {With("mul", Floats(&b, {4}, {2, 3, 5, 7}))});
  Conv2dAttributes a;
  a.groups = 2;
  const TensorId weights = Floats(&b, {4, 1, 1, 2}, {1, 1, 1, 1, 1, 1, 1, 1});
  b.graph.outputs = {b.Node("CONV_2D", {scaled, weights}, {1, 1, 1, 4}, a)};
  RunPass("fold_scales", &b.graph);
  ASSERT_THAT(b.Ops(), ElementsAre("CONV_2D"));
  EXPECT_THAT(ValuesOf(b, b.graph.nodes[0].inputs[1]),
              ElementsAre(2, 3, 2, 3, 5, 7, 5, 7));
}

TEST(FoldScalesTest, NoAdditionBeforePadding) {
  Conv2dAttributes padded;
  padded.pad_top = 1;
  GraphBuilder b = Before(padded);
  RunPass("fold_scales", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("MUL", "CONV_2D"));
  EXPECT_EQ(b.graph.nodes[0].post_ops.size(), 2u);
  EXPECT_EQ(b.graph.nodes[1].inputs.size(), 2u);
}

TEST(FoldScalesTest, NotWhereSomethingElseReadsTheInput) {
  GraphBuilder b = Before({});
  b.graph.outputs.push_back(b.graph.nodes[0].outputs[0]);
  RunPass("fold_scales", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("MUL", "CONV_2D"));
}

TEST(FoldScalesTest, NotOfComputedOperandsOrWeights) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 2, 2, 2});
  const TensorId channel_scale = b.Input({1, 1, 1, 2});
  Conv(&b, x, {With("mul", channel_scale)});
  b.Node("CONV_2D", {x, b.Input({2, 1, 1, 2})}, {1, 2, 2, 2},
         Conv2dAttributes(), {Scalar("mul", 2)});
  RunPass("fold_scales", &b.graph);
  for (const Node& node : b.graph.nodes) {
    EXPECT_EQ(node.post_ops.size(), 1u);
    EXPECT_EQ(node.inputs.size(), 2u);
  }
}

TEST(FoldScalesTest, NotOfConstantsThatDifferByPlace) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 2, 2, 2});
  Conv(&b, x, {With("add", b.Constant({1, 2, 2, 2}))});
  RunPass("fold_scales", &b.graph);
  EXPECT_EQ(b.graph.nodes[0].post_ops.size(), 1u);
}

TEST(FoldScalesTest, NotInIntegers) {
  GraphBuilder b;
  Conv(&b, b.Input({1, 2, 2, 2}), {Scalar("mul", 2)});
  b.graph.nodes[0].integer_path = true;
  RunPass("fold_scales", &b.graph);
  EXPECT_EQ(b.graph.nodes[0].post_ops.size(), 1u);
}

TEST(FoldScalesTest, SmallScalesStayOutOfHalves) {
  GraphBuilder b;
  Conv(&b, b.Input({1, 2, 2, 2}), {Scalar("mul", 1 / 255.0f)});
  DeviceProfile profile;
  profile.options.half = true;
  RunPass("fold_scales", &b.graph, profile);
  EXPECT_EQ(b.graph.nodes[0].post_ops.size(), 1u);
  RunPass("fold_scales", &b.graph);
  EXPECT_TRUE(b.graph.nodes[0].post_ops.empty());
}

// --- Whole models ------------------------------------------------------------

class FoldScalesModelTest : public DeviceTest {};

// MUL and ADD of constants before and after a convolution.
SingleOpModel Scaled(int in, int out, schema::Padding padding) {
  return MakeModel(
      absl::StrCat("scaled convolution ", in, " to ", out,
                   padding == schema::Padding::SAME ? " padded" : ""),
      Accuracy{/*terms=*/9 * in + 4}, /*with_magnitude=*/true,
      [&](OpVariant& v) {
        const Shape shape = {2, 5, 6, in};
        const auto constant = [&](const char* name, int channels) {
          return v.Constant(name, {channels}, v.random().Gaussian(channels));
        };
        int x = v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        x = v.Op(Op::ADD, 1, {x, constant("add before", in)},
                 schema::AddOptionsT());
        x = v.Op(Op::MUL, 1, {x, constant("mul before", in)},
                 schema::MulOptionsT());
        schema::Conv2DOptionsT conv;
        conv.padding = padding;
        conv.stride_w = conv.stride_h = 1;
        const int filter = 9 * in * out;
        const int w =
            v.Constant("w", {out, 3, 3, in}, v.random().Gaussian(filter));
        x = v.Op(Op::CONV_2D, 1, {x, w, constant("bias", out)}, conv);
        x = v.Op(Op::MUL, 1, {x, constant("mul after", out)},
                 schema::MulOptionsT());
        return v.Op(Op::ADD, 1, {constant("add after", out), x},
                    schema::AddOptionsT());
      });
}

TEST_F(FoldScalesModelTest, AroundAConvolution) {
  for (const auto padding : {schema::Padding::VALID, schema::Padding::SAME}) {
    for (const SingleOpModel& model :
         {Scaled(3, 5, padding), Scaled(8, 4, padding)}) {
      EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model)) << model.description;
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing
