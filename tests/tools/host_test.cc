// labels: unit sanitize oldest_tflite
// Hosting TFLite: loading, errors, custom ops, delegates.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/scratch_directory.h"
#include "tests/testing/two_negations.h"
#include "tools/cases/model.h"
#include "tools/common/model_builder.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate {
namespace {

using ::gles_delegate::testing::LoadOrEnd;
using ::gles_delegate::testing::ScratchDirectory;
using ::gles_delegate::testing::TwoNegations;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ModelTest, NoSuchFile) {
  const auto model = Model::FromFile("no/such/model.tflite");
  EXPECT_EQ(model.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(model.status().message()),
              HasSubstr("no/such/model.tflite"));
}

TEST(ModelTest, NoModel) {
  const std::string text = "This is no model, but a sentence.";
  for (size_t size : {size_t{0}, size_t{4}, text.size()}) {
    const auto model = Model::FromBuffer({text.begin(), text.begin() + size});
    EXPECT_EQ(model.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(model.status().message()), HasSubstr("TFL3"));
  }
}

TEST(ModelTest, TruncatedAnywhere) {
  const std::vector<uint8_t> whole = TwoNegations();
  for (size_t size = 8; size < whole.size(); size += 4) {
    const auto model =
        Model::FromBuffer({whole.begin(), whole.begin() + size}, "cut.tflite");
    // Bytes at the end may be padding alone.
    if (model.ok()) {
      EXPECT_GT(size + 16, whole.size());
      continue;
    }
    EXPECT_EQ(model.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(model.status().message()), HasSubstr("truncated"));
  }
}

TEST(ModelTest, FromFile) {
  const ScratchDirectory folder;
  const std::string path = folder.path() + "/model.tflite";
  const std::vector<uint8_t> bytes = TwoNegations();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto model = Model::FromFile(path);
  EXPECT_TRUE(model.ok()) << model.status();
}

TEST(InterpreterTest, UnknownCustomOp) {
  ModelBuilder builder;
  const int x = builder.AddInput("x", {1});
  const int y = builder.AddTensor("y", {1});
  builder.AddCustomOp("NobodyKnowsThis", {}, {x}, {y});
  builder.SetOutputs({y});
  auto model = LoadOrEnd(builder.Finish());
  const auto interpreter = Interpreter::Create(*model);
  ASSERT_FALSE(interpreter.ok());
  EXPECT_THAT(std::string(interpreter.status().message()),
              HasSubstr("NobodyKnowsThis"));
}

TEST(InterpreterTest, InconsistentShapesAreTflitesError) {
  const auto model =
      LoadOrEnd(cases::BuilderOf("ADD a=[1,2] b=[1,3] -> [1,2]").Finish());
  const auto interpreter = Interpreter::Create(*model);
  ASSERT_FALSE(interpreter.ok());
  EXPECT_THAT(std::string(interpreter.status().message()),
              HasSubstr("broadcast"));
}

TEST(InterpreterTest, WrongSizesAreRefused) {
  auto model = LoadOrEnd(TwoNegations());
  auto interpreter = Interpreter::Create(*model);
  ASSERT_TRUE(interpreter.ok());
  const TensorView input = (*interpreter)->input(0);
  EXPECT_FALSE(input.Write(std::vector<float>{1}).ok());
  EXPECT_FALSE(input.WriteFloats(std::vector<float>{1, 2, 3}).ok());
}

// The op by its definition, one input pixel at a time, on numbers that a person
// can follow: a 2x2 kernel of 1 2 / 3 4, stride 2, no overlap.
TEST(CustomOpsTest, TransposeConvolutionWithoutOverlap) {
  ModelBuilder builder;
  const int x = builder.AddInput("x", {1, 1, 2, 1});
  const int w = builder.AddConstant<float>("w", {1, 2, 2, 1},
                                           std::vector<float>{1, 2, 3, 4});
  const int b = builder.AddConstant<float>("b", {1}, std::vector<float>{100});
  const int y = builder.AddTensor("y", {});
  const int32_t params[3] = {/*VALID*/ 2, /*stride_width=*/2, 2};
  uint8_t bytes[sizeof(params)];
  std::memcpy(bytes, params, sizeof(params));
  builder.AddCustomOp("Convolution2DTransposeBias", bytes, {x, w, b}, {y});
  builder.SetOutputs({y});
  auto model = LoadOrEnd(builder.Finish());
  auto interpreter = Interpreter::Create(*model);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  ASSERT_TRUE((*interpreter)->input(0).Write(std::vector<float>{1, 10}).ok());
  ASSERT_TRUE((*interpreter)->Invoke().ok());
  EXPECT_THAT((*interpreter)->output(0).dims(), ElementsAre(1, 2, 4, 1));
  EXPECT_THAT((*interpreter)->output(0).AsFloats(),
              ElementsAre(101, 102, 110, 120, 103, 104, 130, 140));
}

// Where both ops have the same geometry, TFLite's own TRANSPOSE_CONV is the
// reference: SAME padding, an even input, output twice the input.
TEST(CustomOpsTest, TransposeConvolutionMatchesTfliteAtSame) {
  const std::vector<int32_t> input_shape = {1, 2, 4, 2};
  const std::vector<int32_t> weight_shape = {3, 3, 3, 2};
  std::vector<float> weights(54), data(16);
  for (int i = 0; i < 54; ++i) weights[i] = (i * 7) % 11 - 5;
  for (int i = 0; i < 16; ++i) data[i] = (i * 5) % 13 - 6;
  std::vector<std::vector<float>> results;
  for (bool custom : {false, true}) {
    ModelBuilder builder;
    const int x = builder.AddInput("x", input_shape);
    const int w = builder.AddConstant<float>("w", weight_shape, weights);
    const int b =
        builder.AddConstant<float>("b", {3}, std::vector<float>{1, 2, 3});
    const int y = builder.AddTensor("y", {1, 4, 8, 3});
    if (custom) {
      const int32_t params[3] = {/*SAME*/ 1, 2, 2};
      uint8_t bytes[sizeof(params)];
      std::memcpy(bytes, params, sizeof(params));
      builder.AddCustomOp("Convolution2DTransposeBias", bytes, {x, w, b}, {y});
    } else {
      const int size = builder.AddConstant<int32_t>(
          "size", {4}, std::vector<int32_t>{1, 4, 8, 3});
      schema::TransposeConvOptionsT options;
      options.stride_w = options.stride_h = 2;
      builder.AddOp(schema::BuiltinOperator::TRANSPOSE_CONV, 3, {size, w, x, b},
                    {y}, options);
    }
    builder.SetOutputs({y});
    auto model = LoadOrEnd(builder.Finish());
    auto interpreter = Interpreter::Create(*model);
    ASSERT_TRUE(interpreter.ok()) << interpreter.status();
    ASSERT_TRUE((*interpreter)->input(0).Write(data).ok());
    ASSERT_TRUE((*interpreter)->Invoke().ok());
    EXPECT_THAT((*interpreter)->output(0).dims(), ElementsAre(1, 4, 8, 3));
    results.push_back((*interpreter)->output(0).AsFloats());
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(CustomOpsTest, WrongParametersAreRefused) {
  for (const std::vector<int32_t>& params :
       {std::vector<int32_t>{}, {0, 2, 2}, {1, 0, 2}, {1, 2, -1}}) {
    ModelBuilder builder;
    const int x = builder.AddInput("x", {1, 1, 2, 1});
    const int w =
        builder.AddConstant<float>("w", {1, 1, 1, 1}, std::vector<float>{1});
    const int b = builder.AddConstant<float>("b", {1}, std::vector<float>{1});
    const int y = builder.AddTensor("y", {});
    std::vector<uint8_t> bytes(params.size() * sizeof(int32_t));
    if (!bytes.empty()) std::memcpy(bytes.data(), params.data(), bytes.size());
    builder.AddCustomOp("Convolution2DTransposeBias", bytes, {x, w, b}, {y});
    builder.SetOutputs({y});
    auto model = LoadOrEnd(builder.Finish());
    const auto interpreter = Interpreter::Create(*model);
    ASSERT_FALSE(interpreter.ok());
    EXPECT_THAT(std::string(interpreter.status().message()),
                HasSubstr("Convolution2DTransposeBias: "));
  }
}

// TFLite lets a node name no tensor (-1) for any input.
TEST(CustomOpsTest, AnInputThatIsAbsentIsRefused) {
  for (int absent : {0, 1, 2}) {
    ModelBuilder builder;
    std::vector<int> inputs = {builder.AddInput("x", {1, 1, 2, 1}),
                               builder.AddInput("w", {1, 1, 1, 1}),
                               builder.AddInput("b", {1})};
    inputs[absent] = -1;
    const int y = builder.AddTensor("y", {});
    builder.AddCustomOp("Convolution2DTransposeBias", {}, inputs, {y});
    builder.SetOutputs({y});
    auto model = LoadOrEnd(builder.Finish());
    const auto interpreter = Interpreter::Create(*model);
    ASSERT_FALSE(interpreter.ok());
    EXPECT_THAT(std::string(interpreter.status().message()),
                HasSubstr("Convolution2DTransposeBias: needs 3 inputs and 1 "
                          "outputs, float32"));
  }
}

TEST(DelegateTest, XnnpackRuns) {
  auto model = LoadOrEnd(TwoNegations());
  auto delegate = CreateXnnpackDelegate(1);
  ASSERT_TRUE(delegate.ok()) << delegate.status();
  InterpreterOptions options;
  options.delegate = delegate->get();
  auto interpreter = Interpreter::Create(*model, options);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  ASSERT_TRUE((*interpreter)->input(0).Write(std::vector<float>{1, -2}).ok());
  ASSERT_TRUE((*interpreter)->Invoke().ok());
  EXPECT_THAT((*interpreter)->output(0).AsFloats(), ElementsAre(1, -2));
}

TEST(DelegateTest, OneThatFailsSaysWhy) {
  const auto model = LoadOrEnd(TwoNegations());
  TfLiteDelegate delegate = {};
  delegate.Prepare = [](TfLiteContext* context, TfLiteDelegate*) {
    context->ReportError(context, "its reason");
    return kTfLiteError;
  };
  InterpreterOptions options;
  options.delegate = &delegate;
  EXPECT_THAT(
      std::string(Interpreter::Create(*model, options).status().message()),
      HasSubstr("its reason"));
}

TEST(DelegateTest, NoSuchLibrary) {
  const auto delegate = LoadExternalDelegate("no/such/library.so", {});
  EXPECT_EQ(delegate.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(delegate.status().message()),
              HasSubstr("no/such/library.so"));
}

TEST(DelegateTest, LibraryThatIsNoDelegate) {
  const auto delegate = LoadExternalDelegate("libc.so.6", {});
  EXPECT_EQ(delegate.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(delegate.status().message()),
              HasSubstr("tflite_plugin_create_delegate"));
}

#ifdef GLES_DELEGATE_LIBRARY
// Our own library. Creating it makes no GL call.
TEST(DelegateTest, LoadsOurLibrary) {
  const auto delegate =
      LoadExternalDelegate(GLES_DELEGATE_LIBRARY, {{"verbosity", "0"}});
  EXPECT_TRUE(delegate.ok()) << delegate.status();
  const auto refused =
      LoadExternalDelegate(GLES_DELEGATE_LIBRARY, {{"no_such_key", "1"}});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("no_such_key"));
}
#endif

// Every real model at hand loads, and the one with a custom op runs.
TEST(SharedModelsTest, LoadAndRun) {
  const char* shared = std::getenv("GLES_DELEGATE_SHARED_DIR");
  if (shared == nullptr || *shared == '\0') {
    GTEST_SKIP() << "NO REAL MODELS: set GLES_DELEGATE_SHARED_DIR to a folder "
                    "that holds models/";
  }
  const std::filesystem::path models = std::filesystem::path(shared) / "models";
  int loaded = 0;
  for (const auto& entry : std::filesystem::directory_iterator(models)) {
    if (entry.path().extension() != ".tflite") continue;
    EXPECT_TRUE(Model::FromFile(entry.path().string()).ok()) << entry.path();
    ++loaded;
  }
  EXPECT_GT(loaded, 0);
  const auto model =
      Model::FromFile((models / "selfie_segmentation.tflite").string());
  ASSERT_TRUE(model.ok()) << model.status();
  auto interpreter = Interpreter::Create(**model);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  const TensorView input = (*interpreter)->input(0);
  ASSERT_TRUE(
      input.WriteFloats(std::vector<float>(input.elements(), 0.5f)).ok());
  ASSERT_TRUE((*interpreter)->Invoke().ok());
  EXPECT_THAT((*interpreter)->output(0).dims(), ElementsAre(1, 256, 256, 1));
  for (float value : (*interpreter)->output(0).AsFloats()) {
    ASSERT_TRUE(value >= 0 && value <= 1) << value;  // a mask, by LOGISTIC
  }
}

}  // namespace
}  // namespace gles_delegate
