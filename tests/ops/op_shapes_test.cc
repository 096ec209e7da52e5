// labels: unit tools sanitize
// Lists of a model's ops, the files of benches/shapes, and models of one op.
#include "tools/runner/op_shapes.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/real_model.h"
#include "tools/cases/model.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace fs = std::filesystem;

// x (uint8) -> PAD -> p -> AVERAGE_POOL_2D twice -> y.
std::vector<uint8_t> PoolModel() {
  return cases::BuilderOf(
             "PAD x=u8@(0.5,10)[1,6,6,3] amounts=[4,2](0,0,1,1,1,1,0,0) -> "
             "p:u8@(0.5,10)[1,8,8,3] ; AVERAGE_POOL_2D p filter=3 -> "
             "q:u8@(0.5,10)[1,8,8,3] ; AVERAGE_POOL_2D q filter=3 -> "
             "y:u8@(0.5,10)[1,8,8,3]")
      .Finish();
}

std::string ReadText(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(OpShapesTest, OpsAlikeAreListedOnce) {
  const auto shapes = OpShapesOf(PoolModel());
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  ASSERT_EQ(shapes->size(), 2u);
  const OpShape& pad = (*shapes)[0];
  EXPECT_EQ(pad.op, "PAD");
  EXPECT_THAT(pad.inputs[1].values, ElementsAre(0, 0, 1, 1, 1, 1, 0, 0));
  EXPECT_TRUE(pad.inputs[1].constant);
  EXPECT_TRUE(pad.inputs[0].quantized);
  EXPECT_FALSE(pad.on_constants());
  const OpShape& pool = (*shapes)[1];
  EXPECT_EQ(pool.node, 1);
  EXPECT_EQ(pool.count, 2);
  EXPECT_EQ(pool.options["builtin_options"]["padding"], "SAME");
  EXPECT_EQ(pool.options["builtin_options"]["filter_width"], 3);
}

TEST(OpShapesTest, WhatIsMadeOfConstantsIsConstant) {
  const auto shapes = OpShapesOf(
      cases::BuilderOf("DEQUANTIZE w=const:f16[4](1,2,3,4) -> d:f32[4] ; "
                       "MUL x=[1,4] d -> y:f32[1,4]")
          .Finish());
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  EXPECT_TRUE((*shapes)[0].on_constants());
  EXPECT_TRUE((*shapes)[1].inputs[1].constant);
  EXPECT_FALSE((*shapes)[1].on_constants());
}

TEST(OpShapesTest, TextIsReadBackAsItWas) {
  const auto shapes = OpShapesOf(PoolModel());
  ASSERT_TRUE(shapes.ok());
  const std::string text = OpShapesToText("pool", *shapes);
  const auto read = OpShapesFromText(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(OpShapesToText("pool", *read), text);
}

TEST(OpShapesTest, WhatIsNoListOrModelIsRefused) {
  EXPECT_FALSE(OpShapesFromText("hello").ok());
  EXPECT_FALSE(OpShapesFromText(R"({"ops":[{"op":3}]})").ok());
  EXPECT_FALSE(OpShapesOf(std::vector<uint8_t>{'h', 'i'}).ok());
}

TEST(OneOpModelTest, IsTheOpInFloats) {
  const auto shapes = OpShapesOf(PoolModel());
  ASSERT_TRUE(shapes.ok());
  for (const OpShape& shape : *shapes) {
    auto bytes = OneOpModel(shape);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const auto model = testing::LoadOrDie(*std::move(bytes));
    const auto interpreter = testing::InterpreterOrDie(*model);
    EXPECT_EQ(interpreter->input(0).type(), kTfLiteFloat32);
    EXPECT_THAT(interpreter->output(0).dims(), ElementsAre(1, 8, 8, 3));
    EXPECT_TRUE(interpreter->Invoke().ok());
  }
}

// Else a compiler that is given weights as literals has products for nothing.
TEST(OneOpModelTest, NoWeightIsZeroOrThereTwice) {
  constexpr int kWeights = 20000;
  TensorShape source;
  source.type = "FLOAT32";
  source.dims = {kWeights};
  OpShape shape;
  shape.op = "MAXIMUM";
  shape.options = nlohmann::ordered_json::object();
  shape.inputs = {source, source};
  shape.inputs[1].constant = true;
  shape.outputs = {source};
  auto bytes = OneOpModel(shape);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto model = testing::LoadOrDie(*std::move(bytes));
  const auto interpreter = testing::InterpreterOrDie(*model);
  const std::vector<float> low(kWeights, -1.0f);
  ASSERT_TRUE(interpreter->input(0).WriteFloats(low).ok());
  ASSERT_TRUE(interpreter->Invoke().ok());
  const auto weights = interpreter->output(0).data<const float>();
  ASSERT_EQ(weights.size(), kWeights);
  EXPECT_EQ(std::set<float>(weights.begin(), weights.end()).size(), kWeights);
  EXPECT_EQ(std::count(weights.begin(), weights.end(), 0.0f), 0);
}

TEST(OneOpModelTest, WrongOptionsAreRefused) {
  OpShape shape;
  shape.op = "PAD";
  shape.options["builtin_options_type"] = "NoSuchOptions";
  EXPECT_FALSE(OneOpModel(shape).ok());
}

// If a model is at hand, benches/shapes has the list that it gives.
TEST(CommittedShapesTest, AreThoseOfTheModels) {
  const std::string models = testing::SharedFile("models");
  if (models.empty()) {
    GTEST_SKIP() << "no models to compare benches/shapes with: set "
                    "GLES_DELEGATE_SHARED_DIR";
  }
  const fs::path lists = fs::path(GLES_DELEGATE_SOURCE_DIR) / "benches/shapes";
  std::vector<std::string> wrong;
  for (const auto& file : fs::directory_iterator(models)) {
    if (file.path().extension() != ".tflite") continue;
    const std::string name = file.path().stem();
    auto model = Model::FromFile(file.path());
    ASSERT_TRUE(model.ok()) << model.status();
    const auto shapes = OpShapesOf((*model)->bytes());
    ASSERT_TRUE(shapes.ok()) << name << ": " << shapes.status();
    if (ReadText(lists / (name + ".json")) != OpShapesToText(name, *shapes)) {
      wrong.push_back(name);
    }
  }
  EXPECT_THAT(wrong, IsEmpty())
      << "write them again: build/bin/model_shapes MODEL.tflite...";
}

}  // namespace
}  // namespace gles_delegate
