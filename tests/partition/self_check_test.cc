// labels: op delegate egl llvmpipe
// Drivers that answer wrongly, played by the real one: shaders are altered on
// their way to it.
#include "delegate/partition/self_check.h"

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "egl/testing.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/scratch_directory.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::GlApi;

// Shaders whose name begins so are altered; empty: none is.
std::string& Broken() {
  static std::string& name = *new std::string;
  return name;
}
int g_altered = 0;

// Text of a right shader, and of a broken one in its place, which writes
// half as much again. (Functions that write alone take a value.)
using Fault = std::pair<std::string, std::string>;
Fault WritesTooMuch() {
  return {"int batch, vec4 v) {", "int batch, vec4 v) { v *= 1.5;"};
}
Fault& TheFault() {
  static Fault& fault = *new Fault(WritesTooMuch());
  return fault;
}

// A driver whose `Broken()` shaders have TheFault().
void AlteredShaderSource(GLuint shader, GLsizei count,
                         const GLchar* const* texts, const GLint* lengths) {
  std::string text(texts[0], lengths == nullptr
                                 ? std::strlen(texts[0])
                                 : static_cast<size_t>(lengths[0]));
  if (count != 1 || Broken().empty() ||
      text.find(absl::StrCat("// ", Broken())) == std::string::npos) {
    egl::driver_gl().ShaderSource(shader, count, texts, lengths);
    return;
  }
  const std::string altered = absl::StrReplaceAll(text, {TheFault()});
  if (altered != text) ++g_altered;
  const GLchar* pointer = altered.c_str();
  egl::driver_gl().ShaderSource(shader, 1, &pointer, nullptr);
}

class SelfCheckTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    g_altered = 0;
    Broken().clear();
    TheFault() = WritesTooMuch();
    ForgetSelfChecks();
    source_.emplace(&GlApi::ShaderSource, AlteredShaderSource);
    model_ = LoadOrDie(ChainModel("can", {1, 64, 64, 4}));
    expected_ = CpuResult(*model_);
  }
  void TearDown() override {
    Broken().clear();
    ForgetSelfChecks();
  }

  struct Start {
    absl::Status applied;
    absl::StatusOr<std::vector<float>> outputs;
    nlohmann::json report;
    std::vector<std::string> log;
    nlohmann::json check() const {
      return report["partition"][0]["self_check"];
    }
    std::string verdict() const { return check()["verdict"]; }
  };
  // In its own context, so that no program is there before.
  Start Run(
      const std::function<void(TfLiteGlesDelegateOptions&)>& configure = {}) {
    const DelegatePtr delegate = MakeDelegate([&](auto& options) {
      options.thread_mode = kTfLiteGlesThreadCallerOwnContext;
      if (configure) configure(options);
    });
    const auto interpreter = InterpreterOrDie(*model_);
    Start start{interpreter->ApplyDelegate(delegate.get()),
                absl::UnknownError("not run"),
                {},
                {}};
    EXPECT_TRUE(interpreter->AllocateTensors().ok());
    start.outputs = RunOnce(interpreter.get());
    start.report = ReportOf(delegate);
    start.log = interpreter->log();
    return start;
  }
  std::string ConvolutionsShader() {
    const Start start =
        Run([](auto& options) { options.enable_op_profiling = 1; });
    for (const auto& entry : start.report["profile"]) {
      std::string shader = entry["shader"];
      if (shader.rfind("conv", 0) == 0) return shader;
    }
    return "";
  }

  std::optional<egl::ScopedGlOverride<
      GlApi, decltype(static_cast<GlApi*>(nullptr)->ShaderSource)>>
      source_;
  std::unique_ptr<Model> model_;
  std::vector<float> expected_;
};

TEST_F(SelfCheckTest, ARightDriverIsFoundRight) {
  const Start start = Run();
  ASSERT_TRUE(start.applied.ok()) << start.applied;
  ExpectClose(start.outputs, expected_);
  EXPECT_EQ(start.verdict(), "right") << start.check();
  EXPECT_GT(start.check()["programs"], 0);
  EXPECT_EQ(start.check()["checked"], start.check()["programs"]);
  EXPECT_THAT(start.log, Each(Not(HasSubstr("answers wrongly"))));
}

// QUANTIZE from int16 to int32 has no reference.
TEST_F(SelfCheckTest, RightIsSaidOfWhatWasCheckedAlone) {
  const auto quantize = [](bool behind_a_function) {
    ModelBuilder b;
    const std::vector<int> dims = {1, 1, 1, 9};
    const auto scaled = [](float scale) {
      return ModelQuantization::PerTensor(scale, 0);
    };
    int x = b.AddInput("x", dims, TensorType::INT16, scaled(2e-4f));
    if (behind_a_function) {
      const int t =
          b.AddTensor("t", dims, TensorType::INT16, scaled(1.0f / 32768));
      b.AddOp(Op::LOGISTIC, 3, {x}, {t});
      x = t;
    }
    const int y = b.AddTensor("y", dims, TensorType::INT32, scaled(1e-4f));
    b.AddOp(Op::QUANTIZE, 2, {x}, {y});
    b.SetOutputs({y});
    return b.Finish();
  };
  model_ = LoadOrDie(quantize(false));
  const Start none = Run();
  EXPECT_EQ(none.verdict(), "not checked") << none.check();
  EXPECT_EQ(none.check()["checked"], 0);
  model_ = LoadOrDie(quantize(true));
  const Start partly = Run();
  EXPECT_EQ(partly.verdict(), "partly checked") << partly.check();
  EXPECT_GT(partly.check()["checked"], 0);
  EXPECT_EQ(partly.check()["checked"].get<int>() +
                partly.check()["skipped"].get<int>(),
            partly.check()["programs"].get<int>());
}

TEST_F(SelfCheckTest, AWrongShaderIsReplacedByAPlainerOne) {
  // llvmpipe's row spells small convolutions out.
  const std::string shader = ConvolutionsShader();
  if (shader != "conv_unrolled") GTEST_SKIP() << "this device has " << shader;
  ForgetSelfChecks();
  Broken() = "conv_unrolled.comp";
  const Start start = Run();
  EXPECT_GT(g_altered, 0);
  ASSERT_TRUE(start.applied.ok()) << start.applied;
  ExpectClose(start.outputs, expected_);
  EXPECT_EQ(start.verdict(), "fallback") << start.check();
  EXPECT_THAT(start.log,
              Contains(AllOf(HasSubstr("answers wrongly"),
                             HasSubstr(TestContext()->device().renderer),
                             HasSubstr(TestContext()->device().version),
                             HasSubstr("CONV_2D 0 (conv_unrolled.comp)"),
                             HasSubstr("plainer shaders"))));
}

// Of two convolutions with one program the first one skips its post-op.
TEST_F(SelfCheckTest, APostOpThatSomeDispatchesSkipIsChecked) {
  const ScopedEnvironment shared(
      "GLES_DELEGATE_TUNING",
      "share_programs=1,unrolled_terms=0,winograd_min_channels=0");
  model_ = LoadOrDie(ChainModel("ccn", {1, 64, 64, 4}));
  expected_ = CpuResult(*model_);
  Broken() = "conv";
  TheFault() = {"if ((post_skipped.x & 1) == 0) {",
                "if ((post_skipped.x & 1) == 0) { v *= 1.5;"};
  const Start start = Run();
  EXPECT_GT(g_altered, 0);
  ASSERT_TRUE(start.applied.ok()) << start.applied;
  ExpectClose(start.outputs, expected_);
  EXPECT_EQ(start.verdict(), "fallback") << start.check();
}

TEST_F(SelfCheckTest, WhereNoShaderIsRightTheModelStaysOnTheCpu) {
  Broken() = "co";  // conv_*, copy
  const Start start = Run();
  EXPECT_GT(g_altered, 0);
  EXPECT_FALSE(start.applied.ok());
  EXPECT_THAT(std::string(start.applied.message()),
              AllOf(HasSubstr("answers wrongly with the plainest shaders"),
                    HasSubstr(".comp)"), HasSubstr("self_check=0"),
                    HasSubstr(TestContext()->device().renderer)));
  ASSERT_TRUE(start.outputs.ok()) << start.outputs.status();
  EXPECT_EQ(*start.outputs, expected_);
}

// virgl by llvmpipe's row, as it was run before wrappers had rows of their own:
// Mesa 22.3's computes literal weights wrongly. CTest's self_check.virgl.
TEST_F(SelfCheckTest, LiteralWeightsOnVirglAreReplaced) {
  if (!absl::StrContains(TestContext()->device().renderer, "virgl")) {
    GTEST_SKIP() << "not virgl";
  }
  const ScopedEnvironment literals("GLES_DELEGATE_TUNING",
                                   "unrolled_terms=160");
  const Start believed = Run([](auto& options) { options.self_check = 0; });
  ASSERT_TRUE(believed.outputs.ok()) << believed.outputs.status();
  if (::testing::Matches(::testing::Pointwise(::testing::FloatNear(1e-3f),
                                              expected_))(*believed.outputs)) {
    GTEST_SKIP() << "this virgl computes literal weights rightly";
  }
  const Start checked = Run();
  EXPECT_EQ(checked.verdict(), "fallback") << checked.check();
  EXPECT_THAT(checked.log, Contains(HasSubstr("(conv_unrolled.comp)")));
  ExpectClose(checked.outputs, expected_);
}

TEST_F(SelfCheckTest, TheOptionTurnsItOff) {
  Broken() = "co";
  const Start start = Run([](auto& options) { options.self_check = 0; });
  ASSERT_TRUE(start.applied.ok()) << start.applied;
  EXPECT_EQ(start.verdict(), "off");
  ASSERT_TRUE(start.outputs.ok());
  EXPECT_NE(*start.outputs, expected_);  // the driver is believed
}

TEST_F(SelfCheckTest, WhatWasFoundRightIsNotCheckedAgainInTheProcess) {
  EXPECT_EQ(Run().verdict(), "right");
  Broken() = "co";
  // The same texts: they are trusted, though this driver has changed its mind.
  const Start again = Run();
  EXPECT_TRUE(again.applied.ok()) << again.applied;
  EXPECT_EQ(again.check()["checked"], again.check()["programs"]);
  ForgetSelfChecks();
  EXPECT_FALSE(Run().applied.ok());
}

TEST_F(SelfCheckTest, VerdictsAreKeptInTheStartUpCache) {
  const ScratchDirectory scratch;
  const auto cached = [&](TfLiteGlesDelegateOptions& options) {
    options.serialization_dir = scratch.path().c_str();
    options.model_token = "token";
  };
  if (ConvolutionsShader() != "conv_unrolled") GTEST_SKIP() << "another plan";
  ForgetSelfChecks();
  Broken() = "conv_unrolled.comp";
  EXPECT_EQ(Run(cached).verdict(), "fallback");
  // Nothing is broken any more, and nothing is tried again.
  ForgetSelfChecks();
  Broken().clear();
  const Start second = Run(cached);
  EXPECT_EQ(second.verdict(), "fallback");
  EXPECT_THAT(second.log, Contains(AllOf(HasSubstr("found by an earlier start"),
                                         HasSubstr("conv_unrolled.comp"))));
  ExpectClose(second.outputs, expected_);
  EXPECT_EQ(second.check()["programs"], 0);  // read, not run
}

TEST_F(SelfCheckTest, ARightVerdictIsKeptInTheStartUpCache) {
  const ScratchDirectory scratch;
  const auto cached = [&](TfLiteGlesDelegateOptions& options) {
    options.serialization_dir = scratch.path().c_str();
    options.model_token = "token";
  };
  EXPECT_EQ(Run(cached).verdict(), "right");
  EXPECT_EQ(scratch.Files().size(), 1u);
  ForgetSelfChecks();
  const Start second = Run(cached);
  EXPECT_EQ(second.verdict(), "cached");
  EXPECT_EQ(second.check()["programs"], 0);
  ExpectClose(second.outputs, expected_);
}

// Keras's Normalization before a padded convolution: the product goes into the
// weights, the difference cannot, so that the tensor between holds another
// value than the model's.
TEST_F(SelfCheckTest, ANormalizationThatIsFoldedInPartIsFoundRight) {
  for (const Op op : {Op::CONV_2D, Op::DEPTHWISE_CONV_2D}) {
    ModelBuilder b;
    const std::vector<int> dims = {1, 6, 6, 3};
    const int x = b.AddInput("x", dims);
    const int mean =
        b.AddConstant<float>("mean", {3}, std::vector{0.5f, 0.4f, 0.3f});
    const int part =
        b.AddConstant<float>("part", {3}, std::vector{4.4f, 4.3f, 4.2f});
    const int w = b.AddConstant<float>(
        "w", {op == Op::CONV_2D ? 3 : 1, 3, 3, 3},
        std::vector<float>(op == Op::CONV_2D ? 81 : 27, 0.1f));
    const int bias =
        b.AddConstant<float>("b", {3}, std::vector{0.1f, 0.2f, 0.3f});
    const int t1 = b.AddTensor("t1", dims), t2 = b.AddTensor("t2", dims);
    const int y = b.AddTensor("y", dims);
    b.AddOp(Op::SUB, 1, {x, mean}, {t1}, schema::SubOptionsT());
    b.AddOp(Op::MUL, 1, {t1, part}, {t2}, schema::MulOptionsT());
    if (op == Op::CONV_2D) {
      schema::Conv2DOptionsT options;
      options.stride_w = options.stride_h = 1;
      b.AddOp(op, 1, {t2, w, bias}, {y}, options);
    } else {
      schema::DepthwiseConv2DOptionsT options;
      options.stride_w = options.stride_h = options.depth_multiplier = 1;
      b.AddOp(op, 1, {t2, w, bias}, {y}, options);
    }
    b.SetOutputs({y});
    model_ = LoadOrDie(b.Finish());
    const Start start = Run();
    ASSERT_TRUE(start.applied.ok()) << start.applied;
    EXPECT_EQ(start.verdict(), "right") << start.check();
    ExpectClose(start.outputs, CpuResult(*model_));
  }
}

// Nodes on int16 values must read values that quantized values represent,
// and a value between the nodes of one kernel is not a tensor of the
// model.
TEST_F(SelfCheckTest, ProductsAndSumsOfInt16QuantizedValuesAreFoundRight) {
  for (const Op op : {Op::MUL, Op::ADD}) {
    ModelBuilder b;
    const std::vector<int> dims = {1, 4, 4, 8};
    const auto wide = [](float scale) {
      return ModelQuantization::PerTensor(scale, 0);
    };
    const int x = b.AddInput("x", dims, TensorType::INT16, wide(2e-4f));
    const int t = b.AddTensor("t", dims, TensorType::INT16, wide(1.0f / 32768));
    const int y = b.AddTensor("y", dims, TensorType::INT16, wide(2.3e-4f));
    b.AddOp(Op::LOGISTIC, 3, {x}, {t});
    if (op == Op::MUL) {
      b.AddOp(op, 4, {x, t}, {y}, schema::MulOptionsT());
    } else {
      schema::AddOptionsT options;
      options.pot_scale_int16 = false;
      b.AddOp(op, 3, {x, t}, {y}, options);
    }
    b.SetOutputs({y});
    model_ = LoadOrDie(b.Finish());
    const Start start = Run();
    ASSERT_TRUE(start.applied.ok()) << start.applied;
    EXPECT_EQ(start.verdict(), "right") << start.check();
  }
}

// In the check's memory poison lies behind a tensor, as another tensor may in
// the plan's: a program that reads past its source is found.
TEST_F(SelfCheckTest, AReadPastTheEndOfATensorIsFound) {
  const ScopedEnvironment direct("GLES_DELEGATE_TUNING",
                                 "unrolled_terms=0,winograd_min_channels=0");
  model_ = LoadOrDie(ChainModel("c", {1, 16, 16, 8}));
  for (int storage = 1; storage <= 3; ++storage) {
    SCOPED_TRACE(storage);
    const auto stored = [&](auto& options) { options.storage = storage; };
    Broken() = "conv_2d.comp";
    TheFault() = {"while (++s < group.x)", "while (++s <= group.x)"};
    g_altered = 0;
    ForgetSelfChecks();
    const Start start = Run(stored);
    EXPECT_GT(g_altered, 0);
    EXPECT_THAT(start.log, Contains(HasSubstr("answers wrongly")));
    Broken().clear();
    const Start right = Run(stored);
    EXPECT_EQ(right.verdict(), "right") << right.check();
  }
}

// One value takes longer than the host may spend on a node.
TEST_F(SelfCheckTest, ASumOfManyTermsIsChecked) {
  ModelBuilder b;
  const int x = b.AddInput("x", {1, 300, 300, 4});
  const int y = b.AddTensor("y", {1, 1, 1, 4});
  const int axes = b.AddConstant<int32_t>("axes", {2}, std::vector{1, 2});
  schema::ReducerOptionsT options;
  options.keep_dims = true;
  b.AddOp(Op::MEAN, 1, {x, axes}, {y}, options);
  b.SetOutputs({y});
  model_ = LoadOrDie(b.Finish());
  const Start right = Run();
  ASSERT_TRUE(right.applied.ok()) << right.applied;
  EXPECT_EQ(right.verdict(), "right") << right.check();
  Broken() = "reduce";
  ForgetSelfChecks();
  EXPECT_THAT(Run().log, Contains(HasSubstr("answers wrongly")));
  EXPECT_GT(g_altered, 0);
}

// softmax(q k) v.
std::vector<uint8_t> AttentionModel(int rows, int keys, int channels) {
  ModelBuilder b;
  const int q = b.AddInput("q", {1, rows, channels});
  const int k = b.AddInput("k", {1, keys, channels});
  const int v = b.AddInput("v", {1, keys, channels});
  const int scores = b.AddTensor("scores", {1, rows, keys});
  const int shares = b.AddTensor("shares", {1, rows, keys});
  const int y = b.AddTensor("y", {1, rows, channels});
  schema::BatchMatMulOptionsT options;
  options.adj_y = true;
  b.AddOp(Op::BATCH_MATMUL, 1, {q, k}, {scores}, options);
  schema::SoftmaxOptionsT softmax;
  softmax.beta = 1;
  b.AddOp(Op::SOFTMAX, 1, {scores}, {shares}, softmax);
  options.adj_y = false;
  b.AddOp(Op::BATCH_MATMUL, 1, {shares, v}, {y}, options);
  b.SetOutputs({y});
  return b.Finish();
}

TEST_F(SelfCheckTest, AnAttentionOverManyKeysIsChecked) {
  model_ = LoadOrDie(AttentionModel(32, 1100, 8));
  const Start right = Run();
  ASSERT_TRUE(right.applied.ok()) << right.applied;
  EXPECT_EQ(right.verdict(), "right") << right.check();
  Broken() = "attention";
  ForgetSelfChecks();
  const Start wrong = Run();
  if (g_altered == 0) GTEST_SKIP() << "no attention in one dispatch here";
  EXPECT_THAT(wrong.log, Contains(HasSubstr("answers wrongly")));
}

TEST_F(SelfCheckTest, AnAttentionInPartsIsChecked) {
  const ScopedEnvironment tuning(
      "GLES_DELEGATE_TUNING",
      "simd_lanes=1,work_group_size=64,split_k_target=49152");
  model_ = LoadOrDie(AttentionModel(1, 1100, 128));
  const Start right = Run();
  ASSERT_TRUE(right.applied.ok()) << right.applied;
  EXPECT_EQ(right.verdict(), "right") << right.check();
  for (const char* shader : {"attention", "attention_join"}) {
    Broken() = shader;
    ForgetSelfChecks();
    g_altered = 0;
    EXPECT_THAT(Run().log, Contains(HasSubstr("answers wrongly"))) << shader;
    EXPECT_GT(g_altered, 0) << shader;
  }
}

TEST_F(SelfCheckTest, AFunctionThatOverflowsIsNotHeldAgainstTheDriver) {
  ModelBuilder b;
  const int c = b.AddConstant<float>("c", {1, 1, 1, 4},
                                     std::vector{89.0f, 100.0f, 3.0f, 88.0f});
  const int x = b.AddInput("x", {1, 1, 1, 4});
  const int t = b.AddTensor("t", {1, 1, 1, 4});
  const int y = b.AddTensor("y", {1, 1, 1, 4});
  b.AddOp(Op::EXP, 1, {c}, {t});
  b.AddOp(Op::ADD, 1, {x, t}, {y}, schema::AddOptionsT());
  b.SetOutputs({y});
  model_ = LoadOrDie(b.Finish());
  const Start start = Run();
  ASSERT_TRUE(start.applied.ok()) << start.applied;
  EXPECT_TRUE(start.check()["faults"].empty()) << start.check();
}

// Three products of large tensors, each with its own function, which are run
// one after the other.
TEST_F(SelfCheckTest, AFaultIsFoundInTheLastOfSeveralGroups) {
  ModelBuilder b;
  const std::vector<int> dims = {1, 400, 400, 8};
  int x = b.AddInput("x", dims);
  for (const Op op : {Op::EXP, Op::SQRT, Op::ABS}) {
    const int softmax = b.AddTensor("s", dims), y = b.AddTensor("y", dims);
    schema::SoftmaxOptionsT options;
    options.beta = 1;
    b.AddOp(Op::SOFTMAX, 1, {x}, {softmax}, options);
    b.AddOp(op, 1, {softmax}, {y});
    x = y;
  }
  b.SetOutputs({x});
  model_ = LoadOrDie(b.Finish());
  const Start right = Run();
  ASSERT_TRUE(right.applied.ok()) << right.applied;
  EXPECT_EQ(right.verdict(), "right") << right.check();
  for (const char* function : {"exp", "sqrt", "abs"}) {
    SCOPED_TRACE(function);
    Broken() = "softmax";
    const std::string call = absl::StrCat("v = op_", function, "(v");
    TheFault() = {call, absl::StrCat("v *= 1.5; ", call)};
    std::vector<std::string> faults[2];
    for (auto& found : faults) {
      ForgetSelfChecks();
      g_altered = 0;
      const Start wrong = Run();
      EXPECT_GT(g_altered, 0);
      EXPECT_THAT(wrong.log, Contains(HasSubstr("answers wrongly")));
      found = wrong.log;
    }
    // Whichever thread was first.
    EXPECT_EQ(faults[0], faults[1]);
  }
}

}  // namespace
}  // namespace gles_delegate::testing
