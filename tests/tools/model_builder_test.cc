// labels: unit sanitize
// ModelBuilder writes what TFLite reads.
#include "tools/common/model_builder.h"

#include <chrono>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate {
namespace {

using ::testing::ElementsAre;

std::unique_ptr<Interpreter> Load(const ModelBuilder& builder,
                                  std::unique_ptr<Model>* model) {
  auto loaded = Model::FromBuffer(builder.Finish());
  if (!loaded.ok()) {
    ADD_FAILURE() << loaded.status();
    return nullptr;
  }
  *model = *std::move(loaded);
  auto interpreter = Interpreter::Create(**model);
  if (!interpreter.ok()) {
    ADD_FAILURE() << interpreter.status();
    return nullptr;
  }
  return *std::move(interpreter);
}

TEST(ModelBuilderTest, AddsAConstant) {
  ModelBuilder builder;
  const int x = builder.AddInput("x", {1, 2, 2, 1});
  const int c = builder.AddConstant<float>("c", {1, 2, 2, 1},
                                           std::vector<float>{1, 2, 3, 4});
  const int y = builder.AddTensor("y", {1, 2, 2, 1});
  builder.AddOp(schema::BuiltinOperator::ADD, 1, {x, c}, {y},
                schema::AddOptionsT());
  builder.SetOutputs({y});
  std::unique_ptr<Model> model;
  auto interpreter = Load(builder, &model);
  ASSERT_NE(interpreter, nullptr);
  ASSERT_TRUE(
      interpreter->input(0).Write(std::vector<float>{10, 20, 30, 40}).ok());
  ASSERT_TRUE(interpreter->Invoke().ok());
  EXPECT_THAT(interpreter->output(0).AsFloats(), ElementsAre(11, 22, 33, 44));
  EXPECT_EQ(interpreter->input(0).name(), "x");
  EXPECT_EQ(interpreter->output(0).name(), "y");
  EXPECT_THAT(interpreter->output(0).dims(), ElementsAre(1, 2, 2, 1));
}

// An operator code above 127 lives in the newer field alone.
TEST(ModelBuilderTest, NewOperatorCodes) {
  ModelBuilder builder;
  const int x = builder.AddInput("x", {4});
  const int axis =
      builder.AddConstant<int32_t>("axis", {1}, std::vector<int32_t>{0});
  const int y = builder.AddTensor("y", {4});
  builder.AddOp(schema::BuiltinOperator::CUMSUM, 1, {x, axis}, {y},
                schema::CumsumOptionsT());
  builder.SetOutputs({y});
  const schema::OperatorCodeT& code = *builder.model().operator_codes[0];
  EXPECT_EQ(code.deprecated_builtin_code, 127);
  EXPECT_EQ(code.builtin_code, schema::BuiltinOperator::CUMSUM);
  std::unique_ptr<Model> model;
  auto interpreter = Load(builder, &model);
  ASSERT_NE(interpreter, nullptr);
  ASSERT_TRUE(interpreter->input(0).Write(std::vector<float>{1, 2, 3, 4}).ok());
  ASSERT_TRUE(interpreter->Invoke().ok());
  EXPECT_THAT(interpreter->output(0).AsFloats(), ElementsAre(1, 3, 6, 10));
}

TEST(ModelBuilderTest, QuantizedPerTensor) {
  ModelBuilder builder;
  const ModelQuantization in = ModelQuantization::PerTensor(0.5f, 10);
  const ModelQuantization out = ModelQuantization::PerTensor(0.25f, -3);
  const int x = builder.AddInput("x", {4}, schema::TensorType::UINT8, in);
  const int y = builder.AddTensor("y", {4}, schema::TensorType::FLOAT32);
  const int z = builder.AddTensor("z", {4}, schema::TensorType::INT8, out);
  builder.AddOp(schema::BuiltinOperator::DEQUANTIZE, 1, {x}, {y});
  builder.AddOp(schema::BuiltinOperator::QUANTIZE, 1, {y}, {z});
  builder.SetOutputs({y, z});
  std::unique_ptr<Model> model;
  auto interpreter = Load(builder, &model);
  ASSERT_NE(interpreter, nullptr);
  EXPECT_EQ(interpreter->input(0).quantization().scale, 0.5f);
  EXPECT_EQ(interpreter->input(0).quantization().zero_point, 10);
  ASSERT_TRUE(interpreter->input(0)
                  .WriteFloats(std::vector<float>{-5, 0, 1.5f, 1000})
                  .ok());
  EXPECT_THAT(interpreter->input(0).data<uint8_t>(),
              ElementsAre(0, 10, 13, 255));
  ASSERT_TRUE(interpreter->Invoke().ok());
  EXPECT_THAT(interpreter->output(0).AsFloats(),
              ElementsAre(-5, 0, 1.5f, 122.5f));
  EXPECT_THAT(interpreter->output(1).data<int8_t>(),
              ElementsAre(-23, -3, 3, 127));
  EXPECT_THAT(interpreter->output(1).AsFloats(),
              ElementsAre(-5, 0, 1.5f, 32.5f));
}

// CONV_2D in int8 with a scale for each output channel: 1x1, two channels.
TEST(ModelBuilderTest, QuantizedPerChannel) {
  ModelBuilder builder;
  const ModelQuantization in = ModelQuantization::PerTensor(1.0f, 0);
  const int x =
      builder.AddInput("x", {1, 1, 1, 1}, schema::TensorType::INT8, in);
  const int w = builder.AddConstant<int8_t>(
      "w", {2, 1, 1, 1}, std::vector<int8_t>{2, 2}, {{1.0f, 4.0f}, {0, 0}, 0});
  const int b = builder.AddConstant<int32_t>(
      "b", {2}, std::vector<int32_t>{0, 0}, {{1.0f, 4.0f}, {0, 0}, 0});
  const int y =
      builder.AddTensor("y", {1, 1, 1, 2}, schema::TensorType::INT8, in);
  schema::Conv2DOptionsT options;
  options.stride_h = options.stride_w = 1;
  builder.AddOp(schema::BuiltinOperator::CONV_2D, 3, {x, w, b}, {y}, options);
  builder.SetOutputs({y});
  std::unique_ptr<Model> model;
  auto interpreter = Load(builder, &model);
  ASSERT_NE(interpreter, nullptr);
  ASSERT_TRUE(interpreter->input(0).WriteFloats(std::vector<float>{5}).ok());
  ASSERT_TRUE(interpreter->Invoke().ok());
  EXPECT_THAT(interpreter->output(0).AsFloats(), ElementsAre(10, 40));
}

TEST(ModelBuilderTest, ShapeSignatureAndResize) {
  ModelBuilder builder;
  const int x = builder.AddInput("x", {1, 2});
  builder.SetShapeSignature(x, {-1, 2});
  const int y = builder.AddTensor("y", {1, 2});
  builder.AddOp(schema::BuiltinOperator::NEG, 1, {x}, {y},
                schema::NegOptionsT());
  builder.SetOutputs({y});
  std::unique_ptr<Model> model;
  auto interpreter = Load(builder, &model);
  ASSERT_NE(interpreter, nullptr);
  const TfLiteIntArray* signature = interpreter->input(0).get()->dims_signature;
  ASSERT_NE(signature, nullptr);
  EXPECT_EQ(signature->data[0], -1);
  ASSERT_TRUE(interpreter->ResizeInput(0, {3, 2}).ok());
  ASSERT_TRUE(interpreter->AllocateTensors().ok());
  EXPECT_THAT(interpreter->output(0).dims(), ElementsAre(3, 2));
}

TEST(ModelBuilderTest, VariablesKeepTheirValues) {
  ModelBuilder builder;
  const int x = builder.AddInput("x", {1, 3});
  const int state = builder.AddVariable("state", {1, 2});
  const int w = builder.AddConstant<float>(
      "w", {2, 3}, std::vector<float>{1, 0, 0, 0, 1, 0});
  const int r =
      builder.AddConstant<float>("r", {2, 2}, std::vector<float>{1, 0, 0, 1});
  const int b = builder.AddConstant<float>("b", {2}, std::vector<float>{0, 0});
  const int y = builder.AddTensor("y", {1, 2});
  builder.AddOp(schema::BuiltinOperator::RNN, 1, {x, w, r, b, state}, {y},
                schema::RNNOptionsT());
  builder.SetOutputs({y});
  std::unique_ptr<Model> model;
  auto interpreter = Load(builder, &model);
  ASSERT_NE(interpreter, nullptr);
  for (int run = 1; run <= 3; ++run) {
    ASSERT_TRUE(interpreter->input(0).Write(std::vector<float>{1, 2, 9}).ok());
    ASSERT_TRUE(interpreter->Invoke().ok());
    EXPECT_THAT(interpreter->output(0).AsFloats(), ElementsAre(run, 2 * run));
  }
  ASSERT_TRUE(interpreter->ResetVariables().ok());
  ASSERT_TRUE(interpreter->Invoke().ok());
  EXPECT_THAT(interpreter->output(0).AsFloats(), ElementsAre(1, 2));
}

// Time grows with the number of ops, not with its square.
TEST(ModelBuilderTest, ThousandsOfOps) {
  constexpr int kOps = 4000;
  const auto start = std::chrono::steady_clock::now();
  ModelBuilder builder;
  int x = builder.AddInput("x", {1, 4});
  for (int i = 0; i < kOps; ++i) {
    const int c = builder.AddConstant<float>(absl::StrCat("c", i), {1, 4},
                                             std::vector<float>{1, 1, 1, 1});
    const int y = builder.AddTensor(absl::StrCat("y", i), {1, 4});
    builder.AddOp(schema::BuiltinOperator::ADD, 1, {x, c}, {y},
                  schema::AddOptionsT());
    x = y;
  }
  builder.SetOutputs({x});
  const std::vector<uint8_t> bytes = builder.Finish();
  const auto elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(builder.model().operator_codes.size(), 1);
  EXPECT_LT(elapsed, std::chrono::seconds(5));
  std::unique_ptr<Model> model;
  auto interpreter = Load(builder, &model);
  ASSERT_NE(interpreter, nullptr);
  ASSERT_TRUE(interpreter->input(0).Write(std::vector<float>{0, 1, 2, 3}).ok());
  ASSERT_TRUE(interpreter->Invoke().ok());
  EXPECT_THAT(interpreter->output(0).AsFloats(),
              ElementsAre(kOps, kOps + 1, kOps + 2, kOps + 3));
}

TEST(ModelBuilderTest, VersionAndDescription) {
  ModelBuilder builder;
  builder.SetDescription("a model");
  const std::vector<uint8_t> bytes = builder.Finish();
  const schema::Model* model = schema::GetModel(bytes.data());
  EXPECT_EQ(model->version(), 3);
  EXPECT_EQ(model->description()->str(), "a model");
}

TEST(HalfTest, EveryHalfSurvivesTheRoundTrip) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const float value = HalfToFloat(static_cast<uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(RoundToHalf(value)));
      continue;
    }
    EXPECT_EQ(FloatToHalf(value), bits);
  }
}

TEST(HalfTest, RoundsToNearestTiesToEven) {
  EXPECT_EQ(RoundToHalf(1.0f + 0x1p-11f), 1.0f);            // a tie, down
  EXPECT_EQ(RoundToHalf(1.0f + 0x3p-11f), 1.0f + 0x1p-9f);  // a tie, up
  EXPECT_EQ(RoundToHalf(1.0f + 0x1.1p-11f), 1.0f + 0x1p-10f);
  EXPECT_EQ(RoundToHalf(0x1p-25f), 0.0f);  // a tie, down
  EXPECT_EQ(RoundToHalf(0x1.1p-25f), 0x1p-24f);
  EXPECT_EQ(RoundToHalf(65519.0f), 65504.0f);
  EXPECT_EQ(RoundToHalf(-65520.0f), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(RoundToHalf(0x1.ffffp-15f), 0x1p-14f);  // into the normal numbers
}

}  // namespace
}  // namespace gles_delegate
