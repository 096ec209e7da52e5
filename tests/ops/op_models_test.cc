// labels: unit sanitize
// The builders of single-op models state the output's shape, and MatchesCpu
// accepts what it should and nothing else.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/testing/matchers.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"
#include "tools/common/model_builder.h"

namespace gles_delegate::testing {
namespace {

SingleOpModel Window() {
  return cases::ModelOf("CONV_2D x=[1,8,8,3] w=const:[4,3,3,3] b=const:[4]");
}

TEST(OpModelsTest, FileHoldsTheOutputShape) {
  const SingleOpModel model = Window();
  const schema::Model* file = schema::GetModel(model.bytes.data());
  const schema::SubGraph* graph = file->subgraphs()->Get(0);
  const schema::Tensor* output =
      graph->tensors()->Get(graph->outputs()->Get(0));
  ASSERT_NE(output->shape(), nullptr);
  EXPECT_THAT(Shape(output->shape()->begin(), output->shape()->end()),
              ::testing::ElementsAre(1, 8, 8, 4));
}

TEST(OpModelsTest, SeedsGiveTheSameModelTwice) {
  EXPECT_EQ(Window().bytes, Window().bytes);
  EXPECT_EQ(Window().inputs, Window().inputs);
}

TEST(MatchesCpuTest, RefusesAWrongElement) {
  const SingleOpModel model = Window();
  RunResult result = RunOnCpu(model);
  result.outputs[0].values[17] += 1e-4f;
  EXPECT_THAT(result, Not(MatchesCpu(model)));
}

TEST(MatchesCpuTest, RefusesOneUnitWhereValuesAreMoved) {
  const SingleOpModel model = cases::ModelOf("RESHAPE x=[1,2,3,4] shape=(4,6)");
  RunResult result = RunOnCpu(model);
  float& value = result.outputs[0].values[3];
  value = std::nextafter(value, 1e9f);
  EXPECT_THAT(result, Not(MatchesCpu(model)));
}

TEST(MatchesCpuTest, RefusesHalfWhereFloatWasAsked) {
  const SingleOpModel model =
      cases::ModelOf("CONV_2D x=[1,8,8,3] w=const:[4,1,1,3] b=const:[4]");
  RunResult result = RunOnCpu(model);
  for (float& value : result.outputs[0].values) value = RoundToHalf(value);
  EXPECT_THAT(result, Not(MatchesCpu(model)));
}

TEST(MatchesCpuTest, AcceptsHalfOutputsAtHalfPrecision) {
  const SingleOpModel model = Window();
  RunResult result = RunOnCpu(model, Precision::kFloat16);
  for (float& value : result.outputs[0].values) value = RoundToHalf(value);
  EXPECT_THAT(result, MatchesCpu(model, Precision::kFloat16));
  // A second rounding of each weight is one too many for this model.
  result.outputs[0].values[5] *= 1.003f;
  EXPECT_THAT(result, Not(MatchesCpu(model, Precision::kFloat16)));
}

TEST(MatchesCpuTest, NanAndInfinityEqualOnlyThemselves) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  SingleOpModel model = cases::ModelOf("ABS x=[1,1,1,4]");
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
  const SingleOpModel model = cases::ModelOf("SOFTMAX x=[1,1,1,4] beta=1");
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
  const SingleOpModel model = cases::ModelOf("SOFTMAX x=[1,1,1,4] beta=1");
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
