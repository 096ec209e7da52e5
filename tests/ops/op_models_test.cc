// labels: unit sanitize
// The builders of single-op models give models that TFLite runs, and MatchesCpu
// accepts what it should and nothing else.
#include "tests/testing/op_models.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tools/common/model_builder.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate::testing {
namespace {

// The CPU runs it, and agrees with itself; the file states the output's shape.
void ExpectRuns(const SingleOpModel& model) {
  SCOPED_TRACE(model.description);
  for (Precision precision : kPrecisions) {
    const RunResult result = RunOnCpu(model, precision);
    ASSERT_TRUE(result.status.ok()) << result.status;
    EXPECT_THAT(result, MatchesCpu(model, precision));
    ASSERT_EQ(result.outputs.size(), 1);
    EXPECT_EQ(result.outputs[0].values.size(),
              ElementCount(result.outputs[0].shape));
  }
}

TEST(OpModelsTest, Convolutions) {
  for (const Shape& shape : FewShapes()) {
    for (Weights weights : {Weights::kFloat, Weights::kHalf, Weights::kSparse,
                            Weights::kSparseHalf, Weights::kRuntime}) {
      ConvParams conv;
      conv.input = shape;
      conv.weights = weights;
      ExpectRuns(Conv2d(conv));
      DepthwiseParams depthwise;
      depthwise.input = shape;
      depthwise.multiplier = 2;
      depthwise.weights = weights;
      ExpectRuns(DepthwiseConv2d(depthwise));
      TransposeConvParams transpose;
      transpose.input = shape;
      transpose.weights = weights;
      ExpectRuns(TransposeConv(transpose));
      ExpectRuns(Convolution2dTransposeBias(transpose));
      FullyConnectedParams dense;
      dense.input = shape;
      dense.weights = weights;
      ExpectRuns(FullyConnected(dense));
    }
  }
}

TEST(OpModelsTest, ConvolutionAttributes) {
  for (Activation activation : kActivations) {
    ConvParams conv;
    conv.activation = activation;
    conv.dilation_h = 2;
    conv.dilation_w = 3;
    conv.padding = Padding::kValid;
    ExpectRuns(Conv2d(conv));
    DepthwiseParams depthwise;
    depthwise.activation = activation;
    depthwise.dilation_h = 2;
    ExpectRuns(DepthwiseConv2d(depthwise));
    FullyConnectedParams dense;
    dense.activation = activation;
    dense.input = {2, 3, 4};
    dense.in_features = 12;
    dense.bias = false;
    ExpectRuns(FullyConnected(dense));
  }
  FullyConnectedParams keep;
  keep.input = {2, 3, 4};
  keep.keep_num_dims = true;
  ExpectRuns(FullyConnected(keep));
  for (int extra = 0; extra < 2; ++extra) {
    for (Padding padding : {Padding::kSame, Padding::kValid}) {
      TransposeConvParams transpose;
      transpose.padding = padding;
      transpose.bias = true;
      transpose.extra_h = transpose.extra_w = extra;
      ExpectRuns(TransposeConv(transpose));
    }
  }
}

TEST(OpModelsTest, Elementwise) {
  for (BinaryOp op :
       {BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kDiv,
        BinaryOp::kMaximum, BinaryOp::kMinimum, BinaryOp::kPow,
        BinaryOp::kSquaredDifference, BinaryOp::kFloorDiv}) {
    for (Constant constant :
         {Constant::kNone, Constant::kFirst, Constant::kSecond}) {
      BinaryParams params;
      params.op = op;
      params.b = {1, 1, 1, 5};
      params.constant = constant;
      ExpectRuns(Binary(params));
    }
  }
  for (UnaryOp op : kUnaryOps) ExpectRuns(Unary(op, {1, 5, 4, 17}));
  ExpectRuns(Prelu({1, 4, 4, 5}, {1, 1, 5}));
  ExpectRuns(DequantizeHalfThenAdd({1, 4, 4, 5}));
  ExpectRuns(DensifyThenAdd({1, 4, 4, 5}));
  ExpectRuns(DensifyThenAdd({1, 4, 4, 5}, /*half=*/true));
}

TEST(OpModelsTest, ShapesPoolsAndSampling) {
  ExpectRuns(Concatenation({}));
  for (bool max : {false, true}) {
    PoolParams pool;
    pool.max = max;
    pool.activation = Activation::kRelu;
    ExpectRuns(Pool2d(pool));
  }
  for (bool nearest : {false, true}) {
    ResizeParams resize;
    resize.nearest = nearest;
    ExpectRuns(Resize(resize));
    resize.half_pixel_centers = true;
    ExpectRuns(Resize(resize));
  }
  for (PadParams::Kind kind :
       {PadParams::Kind::kPad, PadParams::Kind::kPadV2,
        PadParams::Kind::kMirrorReflect, PadParams::Kind::kMirrorSymmetric}) {
    PadParams pad;
    pad.kind = kind;
    ExpectRuns(Pad(pad));
  }
  ExpectRuns(Reshape({1, 2, 3, 4}, {4, 6}));
  ExpectRuns(Reshape({1, 2, 3, 4}, {4, 6}, /*shape_as_tensor=*/false));
  ExpectRuns(Squeeze({1, 3, 1, 4}, {0, 2}));
  ExpectRuns(Squeeze({1, 3, 1, 4}, {}));
  ExpectRuns(Softmax({1, 3, 1, 17}, 2.0f));
  ExpectRuns(DepthToSpace({1, 3, 2, 8}, 2));
  ExpectRuns(DepthToSpace({1, 4, 6, 3}, 2, /*inverse=*/true));
}

TEST(OpModelsTest, FileHoldsTheOutputShape) {
  const SingleOpModel model = Conv2d({});
  const schema::Model* file = schema::GetModel(model.bytes.data());
  const schema::SubGraph* graph = file->subgraphs()->Get(0);
  const schema::Tensor* output =
      graph->tensors()->Get(graph->outputs()->Get(0));
  ASSERT_NE(output->shape(), nullptr);
  EXPECT_THAT(Shape(output->shape()->begin(), output->shape()->end()),
              ::testing::ElementsAre(1, 8, 8, 4));
}

TEST(OpModelsTest, SeedsGiveTheSameModelTwice) {
  EXPECT_EQ(Conv2d({}).bytes, Conv2d({}).bytes);
  EXPECT_EQ(Conv2d({}).inputs, Conv2d({}).inputs);
}

TEST(MatchesCpuTest, RefusesAWrongElement) {
  const SingleOpModel model = Conv2d({});
  RunResult result = RunOnCpu(model);
  result.outputs[0].values[17] += 1e-4f;
  EXPECT_THAT(result, Not(MatchesCpu(model)));
}

TEST(MatchesCpuTest, RefusesOneUnitWhereValuesAreMoved) {
  const SingleOpModel model = Reshape({1, 2, 3, 4}, {4, 6});
  RunResult result = RunOnCpu(model);
  float& value = result.outputs[0].values[3];
  value = std::nextafter(value, 1e9f);
  EXPECT_THAT(result, Not(MatchesCpu(model)));
}

TEST(MatchesCpuTest, RefusesHalfWhereFloatWasAsked) {
  ConvParams params;
  params.kernel_h = params.kernel_w = 1;
  const SingleOpModel model = Conv2d(params);
  RunResult result = RunOnCpu(model);
  for (float& value : result.outputs[0].values) value = RoundToHalf(value);
  EXPECT_THAT(result, Not(MatchesCpu(model)));
}

TEST(MatchesCpuTest, AcceptsHalfOutputsAtHalfPrecision) {
  const SingleOpModel model = Conv2d({});
  RunResult result = RunOnCpu(model, Precision::kFloat16);
  for (float& value : result.outputs[0].values) value = RoundToHalf(value);
  EXPECT_THAT(result, MatchesCpu(model, Precision::kFloat16));
  // A second rounding of each weight is one too many for this model.
  result.outputs[0].values[5] *= 1.003f;
  EXPECT_THAT(result, Not(MatchesCpu(model, Precision::kFloat16)));
}

TEST(MatchesCpuTest, NanAndInfinityEqualOnlyThemselves) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  SingleOpModel model = Unary(UnaryOp::kAbs, {1, 1, 1, 4});
  model.inputs[0] = {NAN, -kInfinity, kInfinity, 1};
  RunResult result = RunOnCpu(model);
  EXPECT_THAT(result, MatchesCpu(model));
  std::vector<float>& values = result.outputs[0].values;
  values[0] = 0;
  EXPECT_THAT(result, Not(MatchesCpu(model)));
  values = {NAN, -kInfinity, kInfinity, 1};
  EXPECT_THAT(result, Not(MatchesCpu(model)));
  values = {NAN, kInfinity, kInfinity, NAN};
  EXPECT_THAT(result, Not(MatchesCpu(model)));
}

TEST(MatchesCpuTest, RefusesAnotherShapeNameOrCount) {
  const SingleOpModel model = Softmax({1, 1, 1, 4});
  RunResult result = RunOnCpu(model);
  result.outputs[0].shape = {4};
  EXPECT_THAT(result, Not(MatchesCpu(model)));
  result = RunOnCpu(model);
  result.outputs[0].name = "other";
  EXPECT_THAT(result, Not(MatchesCpu(model)));
  result.outputs.clear();
  EXPECT_THAT(result, Not(MatchesCpu(model)));
}

TEST(MatchesCpuTest, RefusesAFailedRun) {
  const SingleOpModel model = Softmax({1, 1, 1, 4});
  RunResult result = RunOnCpu(model);
  result.status = absl::InternalError("no device");
  EXPECT_THAT(result, Not(MatchesCpu(model)));
}

TEST(RoundConstantsToHalfTest, RoundsFloatsAndLeavesIntegers) {
  ModelBuilder builder;
  builder.AddConstant<float>("f", {2}, std::vector<float>{0.1f, 65520.0f});
  builder.AddConstant<int32_t>("i", {1}, std::vector<int32_t>{1234567});
  std::vector<uint8_t> bytes = builder.Finish();
  RoundConstantsToHalf(&bytes);
  const schema::Model* model = schema::GetModel(bytes.data());
  float floats[2];
  std::memcpy(floats, model->buffers()->Get(1)->data()->data(), sizeof(floats));
  EXPECT_EQ(floats[0], RoundToHalf(0.1f));
  EXPECT_EQ(floats[1], std::numeric_limits<float>::infinity());
  int32_t integer;
  std::memcpy(&integer, model->buffers()->Get(2)->data()->data(),
              sizeof(integer));
  EXPECT_EQ(integer, 1234567);
}

}  // namespace
}  // namespace gles_delegate::testing
