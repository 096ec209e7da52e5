// labels: unit
#include "delegate/tflite/options.h"

#include <cstddef>
#include <fstream>
#include <string>

#include "gles_delegate/gles_delegate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/scratch_directory.h"

namespace gles_delegate {
namespace {

using ::testing::HasSubstr;

std::string& Reported() {
  static std::string& text = *new std::string;
  return text;
}
void Report(const char* text) { Reported() = text; }

TfLiteDelegate* Plugin(const char* key, const char* value) {
  Reported().clear();
  char* keys[] = {const_cast<char*>(key)};
  char* values[] = {const_cast<char*>(value)};
  return tflite_plugin_create_delegate(keys, values, 1, Report);
}

TEST(OptionsTest, DefaultsAreThoseOfTheHeader) {
  const TfLiteGlesDelegateOptions o = TfLiteGlesDelegateOptionsDefault();
  EXPECT_EQ(o.struct_size, sizeof(o));
  EXPECT_EQ(o.is_precision_loss_allowed, 0);
  EXPECT_EQ(o.max_delegated_partitions, -1);
  EXPECT_EQ(o.storage, kTfLiteGlesStorageAuto);
  EXPECT_EQ(o.quantized_compute, kTfLiteGlesQuantizedAuto);
  EXPECT_EQ(o.verbosity, 1);
  EXPECT_EQ(o.self_check, 1);
  EXPECT_EQ(o.wait_type, kTfLiteGlesWaitPassive);
  EXPECT_EQ(o.float16_overflow, kTfLiteGlesFloat16OverflowSaturate);
  EXPECT_EQ(o.zero_copy, kTfLiteGlesAuto);
  EXPECT_EQ(o.keep_context_current, kTfLiteGlesAuto);
  EXPECT_EQ(o.startup, kTfLiteGlesStartupDirect);
  EXPECT_EQ(o.tuning_file, nullptr);
  EXPECT_EQ(o.device, nullptr);
  EXPECT_EQ(o.float32_nodes, nullptr);
  EXPECT_EQ(o.thread_mode, kTfLiteGlesThreadCaller);
  EXPECT_EQ(o.report_file, nullptr);
  EXPECT_EQ(o.memory_limit_bytes, 0);
  EXPECT_EQ(o.share_key, nullptr);
  EXPECT_EQ(o.serialization_dir, nullptr);
  EXPECT_EQ(o.model_token, nullptr);
  EXPECT_EQ(o.serialization_max_bytes, 0);
}

TEST(OptionsTest, ACallerThatDoesNotKnowTheCacheHasNone) {
  TfLiteGlesDelegateOptions o = TfLiteGlesDelegateOptionsDefault();
  o.serialization_dir = "dir";
  o.model_token = "token";
  o.struct_size = offsetof(TfLiteGlesDelegateOptions, serialization_dir);
  const auto options = OptionsFrom(&o);
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->session.build.cache.directory, "");
}

TEST(OptionsTest, TheCacheNeedsItsDirectoryAndItsToken) {
  TfLiteGlesDelegateOptions o = TfLiteGlesDelegateOptionsDefault();
  o.serialization_dir = "dir";
  EXPECT_THAT(std::string(OptionsFrom(&o).status().message()),
              HasSubstr("model_token"));
  o.model_token = "token";
  o.serialization_max_bytes = int64_t{1} << 40;
  const auto options = OptionsFrom(&o);
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->session.build.cache.directory, "dir");
  EXPECT_EQ(options->session.build.cache.token, "token");
  EXPECT_EQ(options->session.build.cache.max_bytes, int64_t{1} << 40);
  o.serialization_max_bytes = -1;
  EXPECT_THAT(std::string(OptionsFrom(&o).status().message()),
              HasSubstr("serialization_max_bytes"));
}

// The app may change its directory before the report is written.
TEST(OptionsTest, AReportFileIsTakenWhereTheAppIs) {
  TfLiteGlesDelegateOptions o = TfLiteGlesDelegateOptionsDefault();
  o.report_file = "folder/report.json";
  const auto options = OptionsFrom(&o);
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->report_file[0], '/');
  EXPECT_THAT(options->report_file, ::testing::EndsWith("/folder/report.json"));
}

TEST(OptionsTest, NullOptionsAreTheDefaults) {
  TfLiteDelegate* delegate = TfLiteGlesDelegateCreate(nullptr);
  ASSERT_NE(delegate, nullptr);
  TfLiteGlesDelegateDelete(delegate);
  TfLiteGlesDelegateDelete(nullptr);
}

TEST(OptionsTest, AStructWithoutItsSizeIsRefused) {
  TfLiteGlesDelegateOptions o = {};
  EXPECT_EQ(TfLiteGlesDelegateCreate(&o), nullptr);
  EXPECT_THAT(TfLiteGlesDelegateLastError(), HasSubstr("struct_size"));
}

TEST(OptionsTest, BadValuesNameTheField) {
  TfLiteGlesDelegateOptions o = TfLiteGlesDelegateOptionsDefault();
  o.storage = 9;
  EXPECT_EQ(TfLiteGlesDelegateCreate(&o), nullptr);
  EXPECT_THAT(TfLiteGlesDelegateLastError(), HasSubstr("storage"));
}

TEST(OptionsTest, ThreadModeIsReadFromTheStruct) {
  TfLiteGlesDelegateOptions o = TfLiteGlesDelegateOptionsDefault();
  ASSERT_TRUE(OptionsFrom(&o).ok());
  EXPECT_FALSE(OptionsFrom(&o)->gpu.has_worker);
  o.thread_mode = kTfLiteGlesThreadWorker;
  ASSERT_TRUE(OptionsFrom(&o).ok());
  EXPECT_TRUE(OptionsFrom(&o)->gpu.has_worker);
  EXPECT_FALSE(OptionsFrom(&o)->gpu.worker_shares);
  o.thread_mode = kTfLiteGlesThreadWorkerSharing;
  ASSERT_TRUE(OptionsFrom(&o).ok());
  EXPECT_TRUE(OptionsFrom(&o)->gpu.has_worker);
  EXPECT_TRUE(OptionsFrom(&o)->gpu.worker_shares);
  o.keep_context_current = kTfLiteGlesOn;
  EXPECT_FALSE(OptionsFrom(&o)->pins_context) << "the worker's is never here";
  o.thread_mode = kTfLiteGlesThreadCallerOwnContext;
  ASSERT_TRUE(OptionsFrom(&o).ok());
  EXPECT_FALSE(OptionsFrom(&o)->gpu.has_worker);
  EXPECT_TRUE(OptionsFrom(&o)->gpu.force_own_context);
  EXPECT_TRUE(OptionsFrom(&o)->pins_context);
  o.keep_context_current = kTfLiteGlesOff;
  EXPECT_FALSE(OptionsFrom(&o)->pins_context);
  o.keep_context_current = kTfLiteGlesAuto;
  o.thread_mode = 4;
  EXPECT_THAT(std::string(OptionsFrom(&o).status().message()),
              HasSubstr("thread_mode"));
}

TEST(PluginTest, EveryFieldIsAKey) {
  for (const auto& [key, value] :
       std::vector<std::pair<const char*, const char*>>{
           {"is_precision_loss_allowed", "1"},
           {"max_delegated_partitions", "3"},
           {"storage", "texture_2d"},
           {"quantized_compute", "float_unsimulated"},
           {"quantized_compute", "integer"},
           {"quantized_compute", "cpu"},
           {"device", "hardware"},
           {"self_check", "false"},
           {"thread_mode", "caller_own_context"},
           {"keep_context_current", "off"},
           {"startup", "tiered"},
           {"verbosity", "2"},
           {"device", "llvmpipe"},
           {"exclude_nodes", "1,3-5"},
           {"float32_nodes", "0,7-9"},
           {"wait_type", "active"},
           {"wait_type", "aggressive"},
           {"float16_overflow", "infinity"},
           {"thread_mode", "worker"},
           {"thread_mode", "worker_sharing"},
           {"memory_limit_bytes", "1000000000000"},
           {"enable_op_profiling", "1"},
           {"serialization_max_bytes", "5000000000"}}) {
    TfLiteDelegate* delegate = Plugin(key, value);
    EXPECT_NE(delegate, nullptr) << key << ": " << Reported();
    tflite_plugin_destroy_delegate(delegate);
  }
}

// It is written when the delegate is deleted: into the test's folder.
TEST(PluginTest, TheReportFileIsAKey) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/report.json";
  TfLiteDelegate* delegate = Plugin("report_file", path.c_str());
  EXPECT_NE(delegate, nullptr) << Reported();
  tflite_plugin_destroy_delegate(delegate);
  EXPECT_THAT(scratch.Files(), ::testing::ElementsAre("report.json"));
}

TEST(PluginTest, TheCacheTakesTwoKeys) {
  char dir[] = "serialization_dir", token[] = "model_token", value[] = "x";
  char* keys[] = {dir, token};
  char* values[] = {value, value};
  TfLiteDelegate* delegate =
      tflite_plugin_create_delegate(keys, values, 2, Report);
  EXPECT_NE(delegate, nullptr) << Reported();
  tflite_plugin_destroy_delegate(delegate);
  EXPECT_EQ(Plugin("model_token", "x"), nullptr);
  EXPECT_THAT(Reported(), HasSubstr("serialization_dir"));
}

TEST(PluginTest, AnUnknownKeyIsRefusedWithTheKnownOnes) {
  EXPECT_EQ(Plugin("precision", "1"), nullptr);
  EXPECT_THAT(Reported(),
              HasSubstr("unknown option 'precision' (did you mean "));
  EXPECT_THAT(Reported(), HasSubstr("is_precision_loss_allowed"));
  EXPECT_THAT(Reported(), HasSubstr("exclude_nodes"));
}

TEST(PluginTest, ABadValueIsRefused) {
  EXPECT_EQ(Plugin("verbosity", "loud"), nullptr);
  EXPECT_THAT(Reported(), HasSubstr("'loud' is not an integer"));
  EXPECT_EQ(Plugin("storage", "tape"), nullptr);
  EXPECT_THAT(Reported(), HasSubstr("texture_array"));
  EXPECT_EQ(Plugin("quantized_compute", "int"), nullptr);
  EXPECT_THAT(Reported(), HasSubstr("is not auto, float"));
  EXPECT_EQ(Plugin("wait_type", "4"), nullptr);
  EXPECT_THAT(Reported(),
              HasSubstr("is not passive, active, do_not_wait or aggressive"));
  EXPECT_EQ(Plugin("float16_overflow", "wrap"), nullptr);
  EXPECT_THAT(Reported(), HasSubstr("is not infinity or saturate"));
  EXPECT_EQ(Plugin("zero_copy", "fast"), nullptr);
  EXPECT_THAT(Reported(), HasSubstr("is not auto, on or off"));
  EXPECT_EQ(Plugin("self_check", "2"), nullptr);
  EXPECT_THAT(Reported(), HasSubstr("is not 0, 1, true or false"));
  EXPECT_EQ(Plugin("thread_mode", "5"), nullptr);
  EXPECT_THAT(Reported(), HasSubstr("is not caller, caller_own_context, worker "
                                    "or worker_sharing (0 to 3)"));
  EXPECT_EQ(Plugin("memory_limit_bytes", "-1"), nullptr);
  EXPECT_THAT(Reported(), HasSubstr("is negative"));
  EXPECT_EQ(Plugin("float32_nodes", "5-3"), nullptr);
  EXPECT_THAT(Reported(), HasSubstr("option float32_nodes"));
  EXPECT_EQ(Plugin("exclude_nodes", "5-3"), nullptr);
  EXPECT_THAT(Reported(), HasSubstr("5-3"));
}

// TFLite's own loader passes no reporter and calls what it gets: loader_test
// has what comes of that.
TEST(PluginTest, WithoutAReporterABadOptionIsToldWhenItIsApplied) {
  char key[] = "nonsense";
  char value[] = "";
  char* keys[] = {key};
  char* values[] = {value};
  TfLiteDelegate* delegate =
      tflite_plugin_create_delegate(keys, values, 1, nullptr);
  ASSERT_NE(delegate, nullptr);
  EXPECT_THAT(TfLiteGlesDelegateLastError(), HasSubstr("'nonsense'"));
  EXPECT_THAT(TfLiteGlesDelegateReport(delegate), HasSubstr("'nonsense'"));
  tflite_plugin_destroy_delegate(delegate);
}

TEST(RefusalTest, SaysItsReason) {
  for (const char* reason : {"there is no OpenCL here", ""}) {
    TfLiteDelegate* delegate = TfLiteGlesDelegateCreateRefusal(reason);
    ASSERT_NE(delegate, nullptr);
    EXPECT_THAT(TfLiteGlesDelegateReport(delegate), HasSubstr(reason));
    TfLiteGlesDelegateDelete(delegate);
  }
  TfLiteDelegate* delegate = TfLiteGlesDelegateCreateRefusal(nullptr);
  EXPECT_NE(delegate, nullptr);
  TfLiteGlesDelegateDelete(delegate);
}

TEST(PluginTest, NoOptionsAreTheDefaults) {
  TfLiteDelegate* delegate =
      tflite_plugin_create_delegate(nullptr, nullptr, 0, Report);
  EXPECT_NE(delegate, nullptr);
  tflite_plugin_destroy_delegate(delegate);
}

// Options as texts: tuning files, shapes, ranges of nodes, and
// GLES_DELEGATE_DEBUG.

absl::StatusOr<Options> FromNoKeys() {
  return OptionsFrom(
      absl::Span<const std::pair<absl::string_view, absl::string_view>>());
}

TEST(InputShapesTest, AreNamesWithShapes) {
  const auto shapes = ParseInputShapes("ids=1x128, a=b:0=3");
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  ASSERT_EQ(shapes->size(), 2u);
  EXPECT_EQ((*shapes)[0].second, (std::vector<int>{1, 128}));
  EXPECT_TRUE(ParseInputShapes("")->empty());
  for (const char* bad : {"ids", "=3", "ids=", "ids=1x", "ids=0", "ids=-1x3",
                          "ids=1x99999999999", "ids=ax3"}) {
    EXPECT_THAT(std::string(ParseInputShapes(bad).status().message()),
                HasSubstr("is not an input with its shape"))
        << bad;
  }
}

TEST(OptionsTest, ATuningFileIsReadAndChecked) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/a.tuning";
  const auto from = [&path](const char* text) {
    std::ofstream(path) << text;
    return OptionsFrom({{"tuning_file", path}});
  };
  const auto options =
      from("# gles_tune\nconv_tile_pixels=2 # fast\n\n split_k_target = 7\n");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->planning.tuning, "conv_tile_pixels=2,split_k_target = 7");
  EXPECT_EQ(from("")->planning.tuning, "");
  EXPECT_THAT(std::string(from("conv_tile_pixel=2").status().message()),
              HasSubstr("did you mean 'conv_tile_pixels'"));
  EXPECT_THAT(
      std::string(
          OptionsFrom({{"tuning_file", "/no/such"}}).status().message()),
      HasSubstr("cannot read '/no/such'"));
}

TEST(OptionsTest, AnUnknownDebugItemIsRefused) {
  const testing::ScopedEnvironment debug("GLES_DELEGATE_DEBUG",
                                         "validate,validat");
  EXPECT_THAT(std::string(FromNoKeys().status().message()),
              HasSubstr("'validat' is not one of its items (did you mean "
                        "'validate'?)"));
}

TEST(OptionsTest, DebugItemsWithAndWithoutAValue) {
  for (const char* wrong : {"plan", "plan=", "validate=1", "=", "validate;x"}) {
    const testing::ScopedEnvironment debug("GLES_DELEGATE_DEBUG", wrong);
    EXPECT_FALSE(FromNoKeys().ok()) << wrong;
  }
  const testing::ScopedEnvironment right("GLES_DELEGATE_DEBUG",
                                         " plan=/tmp/x , rounding=xnnpack");
  const auto options = FromNoKeys();
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->integer_rounding, quant::CpuKernels::kXnnpack);
}

TEST(NodeRangesTest, ParsesSinglesAndRanges) {
  const auto ranges = ParseNodeRanges("exclude_nodes", "3, 17-20");
  ASSERT_TRUE(ranges.ok());
  EXPECT_THAT(*ranges,
              ::testing::ElementsAre(std::pair(3, 3), std::pair(17, 20)));
  EXPECT_TRUE(ParseNodeRanges("exclude_nodes", "")->empty());
  EXPECT_FALSE(ParseNodeRanges("exclude_nodes", "a").ok());
  EXPECT_FALSE(ParseNodeRanges("exclude_nodes", "1-").ok());
  EXPECT_THAT(
      std::string(ParseNodeRanges("float32_nodes", "x").status().message()),
      HasSubstr("option float32_nodes: 'x'"));
}

}  // namespace

}  // namespace gles_delegate
