// labels: unit tools sanitize
// Looking inside a model: its layers as outputs, one layer alone, quantized
// values compared.
#include "tools/runner/model_layers.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/common/model_builder.h"
#include "tools/common/tflite_host.h"
#include "tools/runner/output_diff.h"

namespace gles_delegate {
namespace {

using ::testing::ElementsAre;

constexpr auto kUint8 = schema::TensorType::UINT8;

ModelQuantization Half() { return ModelQuantization::PerTensor(0.5f, 10); }

// x (uint8) -> DEQUANTIZE -> d -> NEG -> n -> MUL by a constant -> y.
std::vector<uint8_t> ChainModel() {
  ModelBuilder b;
  const int x = b.AddInput("x", {1, 4}, kUint8, Half());
  const int d = b.AddTensor("d", {1, 4});
  const int n = b.AddTensor("n", {1, 4});
  const int two = b.AddConstant<float>("two", {1}, std::vector<float>{2});
  const int y = b.AddTensor("y", {1, 4});
  b.AddOp(schema::BuiltinOperator::DEQUANTIZE, 1, {x}, {d});
  b.AddOp(schema::BuiltinOperator::NEG, 1, {d}, {n});
  b.AddOp(schema::BuiltinOperator::MUL, 1, {n, two}, {y},
          schema::MulOptionsT());
  b.SetOutputs({y});
  return b.Finish();
}

TEST(ModelLayersTest, ListsWhatOpsWriteAndWhatTheyNeed) {
  const auto layers = LayersOf(ChainModel());
  ASSERT_TRUE(layers.ok()) << layers.status();
  ASSERT_EQ(layers->size(), 3u);
  EXPECT_EQ((*layers)[0].op, "DEQUANTIZE");
  EXPECT_EQ((*layers)[2].op, "MUL");
  EXPECT_EQ((*layers)[2].node, 2);
  // The constant is no input of the layer.
  EXPECT_THAT((*layers)[2].inputs, ElementsAre((*layers)[1].tensor));
}

TEST(ModelLayersTest, EveryTensorCanBeAnOutput) {
  const auto layers = LayersOf(ChainModel());
  ASSERT_TRUE(layers.ok());
  auto bytes =
      WithOutputs(ChainModel(), {(*layers)[0].tensor, (*layers)[2].tensor});
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  auto model = Model::FromBuffer(*bytes);
  ASSERT_TRUE(model.ok()) << model.status();
  auto interpreter = Interpreter::Create(**model);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  ASSERT_TRUE((*interpreter)
                  ->input(0)
                  .Write<uint8_t>(std::vector<uint8_t>{10, 12, 8, 11})
                  .ok());
  ASSERT_TRUE((*interpreter)->Invoke().ok());
  EXPECT_THAT((*interpreter)->output(0).AsFloats(),
              ElementsAre(0, 1, -1, 0.5f));
  EXPECT_THAT((*interpreter)->output(1).AsFloats(), ElementsAre(0, -2, 2, -1));
}

TEST(ModelLayersTest, OneLayerRunsAlone) {
  const auto layers = LayersOf(ChainModel());
  ASSERT_TRUE(layers.ok());
  auto bytes = LayerAlone(ChainModel(), (*layers)[2]);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  auto model = Model::FromBuffer(*bytes);
  ASSERT_TRUE(model.ok()) << model.status();
  auto interpreter = Interpreter::Create(**model);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  ASSERT_EQ((*interpreter)->inputs(), 1);
  EXPECT_EQ((*interpreter)->input(0).name(), "n");
  ASSERT_TRUE((*interpreter)
                  ->input(0)
                  .Write<float>(std::vector<float>{1, 2, 3, 4})
                  .ok());
  ASSERT_TRUE((*interpreter)->Invoke().ok());
  EXPECT_THAT((*interpreter)->output(0).AsFloats(), ElementsAre(2, 4, 6, 8));
}

TEST(ModelLayersTest, BytesThatAreNoModelAreRefused) {
  const std::vector<uint8_t> text = {'h', 'e', 'l', 'l', 'o'};
  EXPECT_FALSE(LayersOf(text).ok());
  EXPECT_FALSE(WithOutputs(text, {0}).ok());
  Layer past_the_end;
  past_the_end.node = 7;
  EXPECT_FALSE(LayerAlone(ChainModel(), past_the_end).ok());
}

TEST(CodeDiffTest, CountsEqualCloseAndFar) {
  auto model = Model::FromBuffer(ChainModel());
  ASSERT_TRUE(model.ok());
  auto a = Interpreter::Create(**model);
  auto b = Interpreter::Create(**model);
  ASSERT_TRUE(a.ok() && b.ok());
  ASSERT_TRUE(
      (*a)->input(0).Write<uint8_t>(std::vector<uint8_t>{0, 255, 7, 9}).ok());
  ASSERT_TRUE(
      (*b)->input(0).Write<uint8_t>(std::vector<uint8_t>{0, 250, 8, 9}).ok());
  EXPECT_TRUE(HasQuantized((*a)->input(0)));
  EXPECT_FALSE(HasQuantized((*a)->output(0)));
  CodeDiff diff;
  EXPECT_EQ(diff.equal(), 1);
  diff.Add((*a)->input(0), (*b)->input(0));
  EXPECT_EQ(diff.elements(), 4);
  EXPECT_EQ(diff.equal(), 0.5);
  EXPECT_EQ(diff.within_1(), 0.75);
  EXPECT_EQ(diff.largest(), 5);
  EXPECT_EQ(diff.mismatches(), 0);
  diff.Add((*a)->input(0), (*b)->output(0));  // quantized values beside floats
  EXPECT_EQ(diff.mismatches(), 1);
}

}  // namespace
}  // namespace gles_delegate
