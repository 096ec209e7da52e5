// labels: op delegate egl llvmpipe
// Drivers that answer wrongly, played by the real one: shaders are altered on
// their way to it.
#include "delegate/partition/self_check.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/edited_shaders.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/scratch_directory.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

// Text of a right shader, and of a broken one in its place, which writes
// half as much again. (Functions that write alone take a value.)
using Fault = std::pair<std::string, std::string>;
Fault WritesTooMuch() {
  return {"int batch, vec4 v) {", "int batch, vec4 v) { v *= 1.5;"};
}

class SelfCheckTest : public ChainTest {
 protected:
  SelfCheckTest() : ChainTest("can", {1, 64, 64, 4}) {}
  void SetUp() override {
    ChainTest::SetUp();
    if (IsSkipped()) return;
    ForgetSelfChecks();
    // Once there is a context, and so a driver.
    shaders_.emplace([this](std::string* text) {
      if (broken_.empty() || !absl::StrContains(*text, "// " + broken_)) return;
      altered_ += absl::StrReplaceAll({fault_}, text) > 0;
    });
  }
  void TearDown() override { ForgetSelfChecks(); }

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

  // Shaders whose name begins so have the fault; empty: none has.
  std::string broken_;
  Fault fault_ = WritesTooMuch();
  int altered_ = 0;
  std::optional<EditedShaders> shaders_;
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
  const auto quantize = [](const char* x) {
    return cases::BuilderOf(
               absl::StrCat("QUANTIZE@2 ", x, " -> i32@(0.0001,0)[1,1,1,9]"))
        .Finish();
  };
  model_ = LoadOrDie(quantize("x=i16@(0.0002,0)[1,1,1,9]"));
  const Start none = Run();
  EXPECT_EQ(none.verdict(), "not checked") << none.check();
  EXPECT_EQ(none.check()["checked"], 0);
  model_ = LoadOrDie(
      cases::BuilderOf("LOGISTIC@3 x=i16@(0.0002,0)[1,1,1,9] -> "
                       "t:i16@(0.000030517578125,0)[1,1,1,9] ; QUANTIZE@2 t "
                       "-> i32@(0.0001,0)[1,1,1,9]")
          .Finish());
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
  broken_ = "conv_unrolled.comp";
  const Start start = Run();
  EXPECT_GT(altered_, 0);
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
  broken_ = "conv";
  fault_ = {"if ((post_skipped.x & 1) == 0) {",
            "if ((post_skipped.x & 1) == 0) { v *= 1.5;"};
  const Start start = Run();
  EXPECT_GT(altered_, 0);
  ASSERT_TRUE(start.applied.ok()) << start.applied;
  ExpectClose(start.outputs, expected_);
  EXPECT_EQ(start.verdict(), "fallback") << start.check();
}

TEST_F(SelfCheckTest, WhereNoShaderIsRightTheModelStaysOnTheCpu) {
  broken_ = "co";  // conv_*, copy
  const Start start = Run();
  EXPECT_GT(altered_, 0);
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
  broken_ = "co";
  const Start start = Run([](auto& options) { options.self_check = 0; });
  ASSERT_TRUE(start.applied.ok()) << start.applied;
  EXPECT_EQ(start.verdict(), "off");
  ASSERT_TRUE(start.outputs.ok());
  EXPECT_NE(*start.outputs, expected_);  // the driver is believed
}

TEST_F(SelfCheckTest, WhatWasFoundRightIsNotCheckedAgainInTheProcess) {
  EXPECT_EQ(Run().verdict(), "right");
  broken_ = "co";
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
  broken_ = "conv_unrolled.comp";
  EXPECT_EQ(Run(cached).verdict(), "fallback");
  // Nothing is broken any more, and nothing is tried again.
  ForgetSelfChecks();
  broken_.clear();
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
  for (const char* convolution :
       {"CONV_2D t2 w=const:f32[3,3,3,3](0.1)",
        "DEPTHWISE_CONV_2D t2 w=const:f32[1,3,3,3](0.1) depth_multiplier=1"}) {
    model_ = LoadCase(
        absl::StrCat("SUB x=[1,6,6,3] m=const:f32[3](0.5,0.4,0.3) -> t1 "
                     "; MUL t1 part=const:f32[3](4.4,4.3,4.2) -> t2 ; ",
                     convolution, " b=const:f32[3](0.1,0.2,0.3)"));
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
  for (const char* op : {"MUL@4 x t", "ADD@3 x t pot_scale_int16=false"}) {
    model_ =
        LoadCase(absl::StrCat("LOGISTIC@3 x=i16@(0.0002,0)[1,4,4,8] -> "
                              "t:i16@(0.000030517578125,0) ; ",
                              op, " -> i16@(0.00023,0)"));
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
    broken_ = "conv_2d.comp";
    fault_ = {"while (++s < group.x)", "while (++s <= group.x)"};
    altered_ = 0;
    ForgetSelfChecks();
    const Start start = Run(stored);
    EXPECT_GT(altered_, 0);
    EXPECT_THAT(start.log, Contains(HasSubstr("answers wrongly")));
    broken_.clear();
    const Start right = Run(stored);
    EXPECT_EQ(right.verdict(), "right") << right.check();
  }
}

// One value takes longer than the host may spend on a node.
TEST_F(SelfCheckTest, ASumOfManyTermsIsChecked) {
  model_ = LoadCase("MEAN x=[1,300,300,4] axes=(1,2) keep_dims=true");
  const Start right = Run();
  ASSERT_TRUE(right.applied.ok()) << right.applied;
  EXPECT_EQ(right.verdict(), "right") << right.check();
  broken_ = "reduce";
  ForgetSelfChecks();
  EXPECT_THAT(Run().log, Contains(HasSubstr("answers wrongly")));
  EXPECT_GT(altered_, 0);
}

// softmax(q k) v.
std::vector<uint8_t> AttentionModel(int rows, int keys, int channels) {
  const std::string of_keys = absl::StrCat("[1,", keys, ",", channels, "]");
  return cases::ModelOf(
             absl::StrCat(
                 "BATCH_MATMUL q=[1,", rows, ",", channels, "] k=", of_keys,
                 " adj_y=true -> scores ; SOFTMAX ",
                 "scores beta=1 -> shares ; BATCH_MATMUL shares v=", of_keys))
      .bytes;
}

TEST_F(SelfCheckTest, AnAttentionOverManyKeysIsChecked) {
  model_ = LoadOrDie(AttentionModel(32, 1100, 8));
  const Start right = Run();
  ASSERT_TRUE(right.applied.ok()) << right.applied;
  EXPECT_EQ(right.verdict(), "right") << right.check();
  broken_ = "attention";
  ForgetSelfChecks();
  const Start wrong = Run();
  if (altered_ == 0) GTEST_SKIP() << "no attention in one dispatch here";
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
    broken_ = shader;
    ForgetSelfChecks();
    altered_ = 0;
    EXPECT_THAT(Run().log, Contains(HasSubstr("answers wrongly"))) << shader;
    EXPECT_GT(altered_, 0) << shader;
  }
}

TEST_F(SelfCheckTest, AFunctionThatOverflowsIsNotHeldAgainstTheDriver) {
  model_ = LoadCase(
      "EXP c=const:f32[1,1,1,4](89,100,3,88) -> t ; ADD "
      "x=[1,1,1,4] t -> f32");
  const Start start = Run();
  ASSERT_TRUE(start.applied.ok()) << start.applied;
  EXPECT_TRUE(start.check()["faults"].empty()) << start.check();
}

// Three products of large tensors, each with its own function, which are run
// one after the other.
TEST_F(SelfCheckTest, AFaultIsFoundInTheLastOfSeveralGroups) {
  model_ = LoadCase(
      "SOFTMAX x=[1,400,400,8] beta=1 -> a ; EXP a -> b ; "
      "SOFTMAX b beta=1 -> c ; SQRT c -> d ; SOFTMAX d beta=1 "
      "-> e ; ABS e");
  const Start right = Run();
  ASSERT_TRUE(right.applied.ok()) << right.applied;
  EXPECT_EQ(right.verdict(), "right") << right.check();
  for (const char* function : {"exp", "sqrt", "abs"}) {
    SCOPED_TRACE(function);
    broken_ = "softmax";
    const std::string call = absl::StrCat("v = op_", function, "(v");
    fault_ = {call, absl::StrCat("v *= 1.5; ", call)};
    std::vector<std::string> faults[2];
    for (auto& found : faults) {
      ForgetSelfChecks();
      altered_ = 0;
      const Start wrong = Run();
      EXPECT_GT(altered_, 0);
      EXPECT_THAT(wrong.log, Contains(HasSubstr("answers wrongly")));
      found = wrong.log;
    }
    // Whichever thread was first.
    EXPECT_EQ(faults[0], faults[1]);
  }
}

// Drivers that miscompute the programs that move inputs and outputs, played by
// the real one: these shaders are altered on their way to it.

struct TransferEdit {
  std::string shader;  // "upload"
  std::string from, to;
};

class SelfCheckTransfersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    ForgetSelfChecks();
    shaders_.emplace([this](std::string* text) {
      const std::string name = absl::StrCat("// ", edit_.shader, ".comp");
      if (edit_.shader.empty() || !absl::StrContains(*text, name)) return;
      edited_ += absl::StrReplaceAll({{edit_.from, edit_.to}}, text) > 0;
    });
  }
  void TearDown() override { ForgetSelfChecks(); }

  struct Start {
    bool applied = false;
    std::vector<float> outputs;
    nlohmann::json check;  // of the only partition
    std::vector<std::string> log;
    std::string verdict() const { return check["verdict"]; }
  };
  // In its own context, so that no program is there before.
  Start Run(const Model& model, const char* cache = nullptr) {
    const DelegatePtr delegate = MakeDelegate([&](auto& options) {
      options.thread_mode = kTfLiteGlesThreadCallerOwnContext;
      options.storage = storage_;
      options.serialization_dir = cache;
      options.model_token = cache == nullptr ? nullptr : "token";
    });
    const auto interpreter = InterpreterOrDie(model);
    Start start;
    start.applied = interpreter->ApplyDelegate(delegate.get()).ok();
    EXPECT_TRUE(interpreter->AllocateTensors().ok());
    const auto outputs = RunOnce(interpreter.get());
    EXPECT_TRUE(outputs.ok()) << outputs.status();
    if (outputs.ok()) start.outputs = *outputs;
    const auto report = ReportOf(delegate);
    if (start.applied) start.check = report["partition"][0]["self_check"];
    start.log = interpreter->log();
    return start;
  }

  // As a device across a bus has it: shaders pack and unpack.
  const ScopedEnvironment tuning_{"GLES_DELEGATE_TUNING",
                                  "host_transfers=0,across_bus=1"};
  int storage_ = 3;  // buffers
  TransferEdit edit_;
  int edited_ = 0;
  std::optional<EditedShaders> shaders_;
};

// Images of three channels, whole texels, and neither.
const std::vector<std::vector<int>>& InputDims() {
  static const auto& dims = *new std::vector<std::vector<int>>{
      {1, 24, 20, 3}, {1, 24, 20, 8}, {1, 24, 20, 6}};
  return dims;
}

TEST_F(SelfCheckTransfersTest, RightOnesAreCounted) {
  for (const auto& dims : InputDims()) {
    ForgetSelfChecks();
    const auto model = LoadOrDie(ChainModel("n", dims));
    const Start start = Run(*model);
    ASSERT_TRUE(start.applied);
    EXPECT_EQ(start.verdict(), "right") << start.check;
    // The node's, the upload and the readback.
    EXPECT_EQ(start.check["programs"], 3) << start.check;
    const Start again = Run(*model);
    EXPECT_EQ(again.check["checked"], 3) << again.check;
  }
}

// An edit for each way in which a shader has it.
std::vector<TransferEdit> WrongTransfers() {
  return {{"upload", "vec_of(group, 1)", "vec_of(group, 2)"},
          {"upload", "batch, four_at(at));", "batch, four_at(at).yxzw);"},
          {"upload", "v.y = element_at(at + 1)", "v.y = element_at(at)"},
          {"readback", "put_four(at, read_src(gid.y, y, gid.x, batch));",
           "put_four(at, read_src(gid.y, y, 0, batch));"},
          {"readback", "put_four(at, v);", "put_four(at, v.wzyx);"}};
}

TEST_F(SelfCheckTransfersTest, TheHostReplacesAWrongOne) {
  for (const TransferEdit& edit : WrongTransfers()) {
    int found = 0;
    for (const auto& dims : InputDims()) {
      SCOPED_TRACE(absl::StrCat(edit.to, " of ", dims.back(), " channels"));
      ForgetSelfChecks();
      const auto model = LoadOrDie(ChainModel("n", dims));
      const std::vector<float> expected = CpuResult(*model);
      edited_ = 0;
      edit_ = edit;
      const Start start = Run(*model);
      ASSERT_TRUE(start.applied);
      ExpectClose(start.outputs, expected);
      if (start.verdict() == "right") continue;  // by another part of the text
      ++found;
      EXPECT_GT(edited_, 0);
      EXPECT_EQ(start.verdict(), "host packs") << start.check;
      EXPECT_THAT(
          start.log,
          Contains(AllOf(HasSubstr("answers wrongly"),
                         HasSubstr(absl::StrCat(" (", edit.shader, ".comp): ")),
                         HasSubstr("the host packs inputs and unpacks"))));
    }
    EXPECT_GT(found, 0) << edit.to;
  }
}

// No element of the input is wrong, but sums over channels would be.
TEST_F(SelfCheckTransfersTest, PaddingMustBeZero) {
  const auto model = LoadOrDie(ChainModel("c", {1, 24, 20, 6}));
  edit_ = {"upload", "vec4(0), greaterThanEqual", "vec4(1), greaterThanEqual"};
  const Start start = Run(*model);
  EXPECT_GT(edited_, 0);
  EXPECT_EQ(start.verdict(), "host packs") << start.check;
  EXPECT_THAT(start.log, Contains(HasSubstr("channels past the last of")));
  ExpectClose(start.outputs, CpuResult(*model));
}

// The host does not reach textures: no program is left.
TEST_F(SelfCheckTransfersTest, TexturesAreCheckedToo) {
  storage_ = 1;
  const auto model = LoadOrDie(ChainModel("n", {1, 24, 20, 3}));
  EXPECT_EQ(Run(*model).verdict(), "right");
  ForgetSelfChecks();
  edit_ = {"upload", "vec_of(group, 1)", "vec_of(group, 2)"};
  const Start start = Run(*model);
  EXPECT_GT(edited_, 0);
  EXPECT_FALSE(start.applied);
  EXPECT_THAT(start.log, Contains(HasSubstr("(upload.comp, readback.comp): ")));
  ExpectClose(start.outputs, CpuResult(*model));
}

TEST_F(SelfCheckTransfersTest, TheStartUpCacheKnowsTheVerdict) {
  const ScratchDirectory scratch;
  const auto model = LoadOrDie(ChainModel("n", {1, 24, 20, 8}));
  edit_ = WrongTransfers()[1];
  EXPECT_EQ(Run(*model, scratch.path().c_str()).verdict(), "host packs");
  // The driver is right now, but no one tries again.
  ForgetSelfChecks();
  edit_ = {};
  const Start second = Run(*model, scratch.path().c_str());
  EXPECT_EQ(second.verdict(), "host packs");
  EXPECT_THAT(second.log, Contains(HasSubstr("found by an earlier start")));
  ExpectClose(second.outputs, CpuResult(*model));
}

}  // namespace

}  // namespace gles_delegate::testing
