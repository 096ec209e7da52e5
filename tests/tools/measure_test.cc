// labels: unit tools sanitize
// The tools' measurements: differences, percentiles, inputs.
#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/common/model_builder.h"
#include "tools/common/tflite_host.h"
#include "tools/runner/inputs.h"
#include "tools/runner/latency.h"
#include "tools/runner/output_diff.h"

namespace gles_delegate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The Python package's program has the same cases.
TEST(ChoiceTest, IsThatOfTheTable) {
  std::ifstream file(std::string(GLES_DELEGATE_SOURCE_DIR) +
                     "/tests/tools/checkups.json");
  const auto cases = nlohmann::json::parse(file)["cases"];
  EXPECT_GT(cases.size(), 10u);
  for (const auto& c : cases) {
    const Choice choice =
        Choose(c["speedups"], c.value("software", false),
               c.value("nodes_delegated", 1) > 0, c.value("right", true));
    EXPECT_EQ(choice.use, c["use"]) << c;
    EXPECT_EQ(choice.text, c["verdict"]) << c;
  }
}

TEST(OutputDiffTest, EqualOutputsHaveNoError) {
  OutputDiff diff;
  diff.Add({1, -2, 3}, {1, -2, 3}, 3);
  EXPECT_EQ(diff.max_abs(), 0);
  EXPECT_EQ(diff.relative_l2(), 0);
  EXPECT_NEAR(diff.cosine(), 1, 1e-15);
  EXPECT_EQ(diff.argmax_agreement(), 1);
  EXPECT_TRUE(diff.Within(0));
}

TEST(OutputDiffTest, ErrorsAreRelativeToTheLargestMagnitude) {
  OutputDiff diff;
  diff.Add({-4, 1}, {-4, 1.5f}, 2);
  EXPECT_EQ(diff.max_abs(), 0.5);
  EXPECT_EQ(diff.mean_abs(), 0.25);
  EXPECT_EQ(diff.magnitude(), 4);
  EXPECT_EQ(diff.max_relative(), 0.125);
  EXPECT_NEAR(diff.relative_l2(), 0.5 / std::sqrt(17.0), 1e-12);
  EXPECT_TRUE(diff.Within(0.125));
  EXPECT_FALSE(diff.Within(0.124));
}

TEST(OutputDiffTest, GathersOverRuns) {
  OutputDiff diff;
  diff.Add({1, 0}, {1, 0}, 2);
  diff.Add({0, 1}, {2, 1}, 2);
  EXPECT_EQ(diff.elements(), 4);
  EXPECT_EQ(diff.max_abs(), 2);
  EXPECT_EQ(diff.argmax_agreement(), 0.5);
}

TEST(OutputDiffTest, ArgmaxLooksAlongTheInnermostDimension) {
  OutputDiff rows;
  rows.Add({1, 2, 4, 3}, {1, 2, 3, 4}, 2);
  EXPECT_EQ(rows.argmax_agreement(), 0.5);
  OutputDiff whole;  // one channel: the position of the maximum
  whole.Add({1, 2, 4, 3}, {1, 2, 4, 3}, 1);
  EXPECT_EQ(whole.argmax_agreement(), 1);
}

TEST(OutputDiffTest, NanOnOneSideFails) {
  OutputDiff diff;
  diff.Add({1, kNan, kNan}, {1, kNan, 2}, 3);
  EXPECT_EQ(diff.mismatches(), 1);
  EXPECT_FALSE(diff.Within(1e9));
}

TEST(OutputDiffTest, InfinityMustBeMatched) {
  OutputDiff same;
  same.Add({1, kInfinity}, {1, kInfinity}, 2);
  EXPECT_TRUE(same.Within(0));
  OutputDiff other;
  other.Add({1, kInfinity}, {1, 3}, 2);
  EXPECT_FALSE(other.Within(1e9));
}

TEST(OutputDiffTest, SizesThatDifferFail) {
  OutputDiff diff;
  diff.Add({1, 2}, {1}, 1);
  EXPECT_FALSE(diff.Within(1e9));
}

TEST(OutputDiffTest, ZeroReferenceCountsAbsolutely) {
  OutputDiff diff;
  diff.Add({0, 0}, {0, 0.25f}, 2);
  EXPECT_EQ(diff.max_relative(), 0.25);
  EXPECT_EQ(diff.cosine(), 0);
}

TEST(LatencyStatsTest, InterpolatesPercentiles) {
  std::vector<double> samples;
  for (int i = 100; i >= 0; --i) samples.push_back(i);
  const LatencyStats stats = Summarize(samples);
  EXPECT_EQ(stats.median, 50);
  EXPECT_EQ(stats.p5, 5);
  EXPECT_EQ(stats.p95, 95);
  EXPECT_EQ(stats.runs, 101);
  EXPECT_EQ(Summarize({1, 2}).median, 1.5);
  EXPECT_EQ(Summarize({}).runs, 0);
}

// y = -x, for a float x called "x:0" and an 8-bit one called "quantized
// values".
std::vector<uint8_t> TwoInputs() {
  ModelBuilder builder;
  const int x = builder.AddInput("x:0", {1, 4});
  builder.AddInput("quantized", {1, 1000}, schema::TensorType::UINT8,
                   ModelQuantization::PerTensor(1.0f / 255, 0));
  const int y = builder.AddTensor("y", {1, 4});
  builder.AddOp(schema::BuiltinOperator::NEG, 1, {x}, {y});
  builder.SetOutputs({y});
  return builder.Finish();
}

class InputsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto model = Model::FromBuffer(TwoInputs());
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
    auto interpreter = Interpreter::Create(*model_);
    ASSERT_TRUE(interpreter.ok()) << interpreter.status();
    interpreter_ = *std::move(interpreter);
  }

  std::unique_ptr<Model> model_;
  std::unique_ptr<Interpreter> interpreter_;
};

TEST_F(InputsTest, OneSeedGivesOneInput) {
  const auto draw = [this](int seed) {
    std::mt19937 random(seed);
    return *MakeInputs(*interpreter_, FloatInputs::kGaussian, random);
  };
  EXPECT_EQ(draw(7), draw(7));
  EXPECT_NE(draw(7), draw(8));
}

TEST_F(InputsTest, QuantizedValuesCoverTheirWholeRange) {
  std::mt19937 random(1);
  const auto inputs = MakeInputs(*interpreter_, FloatInputs::kUniform, random);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  const std::vector<uint8_t>& quantized = (*inputs)[1];
  ASSERT_EQ(quantized.size(), 1000u);
  EXPECT_LT(*std::min_element(quantized.begin(), quantized.end()), 8);
  EXPECT_GT(*std::max_element(quantized.begin(), quantized.end()), 247);
}

TEST_F(InputsTest, FilesMustNameAnInput) {
  std::mt19937 random(1);
  const auto inputs = MakeInputs(*interpreter_, FloatInputs::kUniform, random,
                                 {{"z", "nothing"}});
  EXPECT_THAT(inputs.status().message(), HasSubstr("x:0, quantized"));
}

TEST_F(InputsTest, ValueFilesSplitAtTheLastColon) {
  const auto files = ParseValueFiles("x:0:a.bin,quantized:b.bin");
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(files->at("x:0"), "a.bin");
  EXPECT_EQ(files->at("quantized"), "b.bin");
  EXPECT_FALSE(ParseValueFiles("a.bin").ok());
}

TEST_F(InputsTest, ShapesGoToTheInputsNamed) {
  const auto shapes = ParseInputShapes(*interpreter_, "quantized", "1,20");
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  EXPECT_THAT(*shapes, ElementsAre(IsEmpty(), ElementsAre(1, 20)));
  EXPECT_FALSE(ParseInputShapes(*interpreter_, "quantized", "1,20:1,30").ok());
  EXPECT_FALSE(ParseInputShapes(*interpreter_, "quantized", "1,0").ok());
  EXPECT_FALSE(ParseInputShapes(*interpreter_, "other", "1,20").ok());
}

}  // namespace
}  // namespace gles_delegate
