// labels: loader llvmpipe softpipe
// libtensorflowlite_gpu_delegate.so as apps of the stock GPU delegate see it.
#include <dlfcn.h>

#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tensorflow/lite/delegates/gpu/delegate.h"
#include "tests/testing/app_context.h"
#include "tests/testing/command.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/gl.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/scratch_directory.h"
#include "tests/testing/stock_loader.h"

namespace gles_delegate::testing {
namespace {

// --- Symbols ----------------------------------------------------------------

TEST(DropInSymbolsTest, ExportsTheStockNamesAndNothingElse) {
  const std::set<std::string> exported =
      SymbolsOf(DROP_IN_LIBRARY, "--defined-only");
  if (exported.empty()) GTEST_SKIP() << "NO nm ON THIS MACHINE, NOTHING TESTED";
  EXPECT_EQ(
      exported,
      (std::set<std::string>{
          "TfLiteGpuDelegateOptionsV2Default", "TfLiteGpuDelegateV2Create",
          "TfLiteGpuDelegateV2CreateAsync", "TfLiteGpuDelegateV2Delete",
          "TfLiteGpuDelegateBindBufferToTensor", "TFLGpuDelegateOptionsDefault",
          "TFLGpuDelegateCreate", "TFLGpuDelegateDelete",
          "tflite_plugin_create_delegate", "tflite_plugin_destroy_delegate"}));
}

TEST(DropInSymbolsTest, TakesTheDelegateFromTheOtherLibrary) {
  const std::set<std::string> undefined =
      SymbolsOf(DROP_IN_LIBRARY, "--undefined-only");
  if (undefined.empty()) {
    GTEST_SKIP() << "NO nm ON THIS MACHINE, NOTHING TESTED";
  }
  EXPECT_THAT(undefined, Contains("TfLiteGlesDelegateCreate"));
  EXPECT_THAT(undefined, Contains("TfLiteGlesDelegateDelete"));
}

// --- An app of the stock delegate --------------------------------------------

class StockAppTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    const std::vector<uint8_t> model = ChainModel("can");
    std::ofstream(model_, std::ios::binary)
        .write(reinterpret_cast<const char*>(model.data()), model.size());
  }

  CommandResult RunApp(const std::string& how) {
    const ScopedEnvironment set("GLES_DELEGATE_OPTIONS",
                                "report_file:" + report_);
    return RunCommand("'" STOCK_APP "' '" + model_ + "' " + how);
  }

  nlohmann::json Report() const {
    std::ifstream file(report_);
    return nlohmann::json::parse(file, nullptr, false);
  }

  const ScratchDirectory scratch_;
  const std::string model_ = scratch_.path() + "/model.tflite";
  const std::string report_ = scratch_.path() + "/report.json";
};

// "largest L difference D": the app's answers with the delegate are the CPU's.
void ExpectSameAnswers(const CommandResult& app, float tolerance) {
  ASSERT_EQ(app.exit_status, 0) << app.output;
  std::smatch found;
  ASSERT_TRUE(std::regex_search(app.output, found,
                                std::regex("largest (\\S+) difference (\\S+)")))
      << app.output;
  EXPECT_GT(std::stof(found[1]), 0.1f);
  EXPECT_LE(std::stof(found[2]), tolerance * std::max(1.f, std::stof(found[1])))
      << app.output;
}

TEST_F(StockAppTest, RunsWithTheDelegate) {
  for (const std::string how : {"default", "null", "older"}) {
    const CommandResult app = RunApp(how);
    ExpectSameAnswers(app, 1e-5f);
    const nlohmann::json report = Report();
    EXPECT_EQ(report["nodes_delegated"], 3) << how;
    EXPECT_EQ(report["precision"], "float32") << how;
  }
}

TEST_F(StockAppTest, LatencyFirstIsHalfPrecision) {
  for (const std::string how : {"latency", "older_precision_loss"}) {
    ExpectSameAnswers(RunApp(how), 1e-2f);
    EXPECT_EQ(Report()["nodes_delegated"], 3) << how;
    EXPECT_EQ(Report()["precision"], "float16") << how;
  }
}

TEST_F(StockAppTest, AnAsynchronousDelegateIsASynchronousOne) {
  const CommandResult app = RunApp("async");
  ExpectSameAnswers(app, 1e-5f);
  EXPECT_THAT(app.output, HasSubstr("no asynchronous kernels"));
  EXPECT_EQ(Report()["nodes_delegated"], 3);
}

TEST_F(StockAppTest, OpenClAloneIsRefusedWithTheReason) {
  const CommandResult app = RunApp("cl_only");
  EXPECT_EQ(app.exit_status, 1);
  EXPECT_THAT(app.output, AllOf(HasSubstr("CL_ONLY"), HasSubstr("FAILED")));
}

// --- dlopen -----------------------------------------------------------------

// Never closed: drivers leave threads behind.
template <typename Function>
Function* Find(const char* name) {
  static void* const library = dlopen(DROP_IN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  if (library == nullptr) return nullptr;
  void* function = dlsym(library, name);
  EXPECT_NE(function, nullptr) << name;
  return reinterpret_cast<Function*>(function);
}
#define DROP_IN(name) Find<decltype(name)>(#name)

DelegatePtr StockDelegate(const TfLiteGpuDelegateOptionsV2& options) {
  return DelegatePtr(DROP_IN(TfLiteGpuDelegateV2Create)(&options),
                     DROP_IN(TfLiteGpuDelegateV2Delete));
}

TEST(DropInTest, DefaultsAreTheStockOnes) {
  const auto o = DROP_IN(TfLiteGpuDelegateOptionsV2Default)();
  EXPECT_EQ(o.is_precision_loss_allowed, -1);
  EXPECT_EQ(o.inference_preference, 0);
  EXPECT_EQ(o.inference_priority1, 1);
  EXPECT_EQ(o.inference_priority2, 0);
  EXPECT_EQ(o.inference_priority3, 0);
  EXPECT_EQ(o.experimental_flags, 1);
  EXPECT_EQ(o.max_delegated_partitions, 1);
  EXPECT_EQ(o.serialization_dir, nullptr);
  EXPECT_EQ(o.model_token, nullptr);
  const auto older = DROP_IN(TFLGpuDelegateOptionsDefault)();
  EXPECT_FALSE(older.allow_precision_loss);
  EXPECT_EQ(older.wait_type, TFLGpuDelegateWaitTypePassive);
  EXPECT_FALSE(older.enable_quantization);
}

TEST(DropInTest, NullMayBeDeleted) {
  DROP_IN(TfLiteGpuDelegateV2Delete)(nullptr);
  DROP_IN(TFLGpuDelegateDelete)(nullptr);
  DROP_IN(tflite_plugin_destroy_delegate)(nullptr);
}

// The app's interpreter says why, and runs on the CPU.
TEST(DropInTest, ARefusalIsToldWhenTheDelegateIsApplied) {
  const auto model = LoadOrDie(ChainModel("can"));
  auto options = DROP_IN(TfLiteGpuDelegateOptionsV2Default)();
  options.experimental_flags = TFLITE_GPU_EXPERIMENTAL_FLAGS_CL_ONLY;
  const DelegatePtr delegate = StockDelegate(options);
  ASSERT_NE(delegate, nullptr);
  auto interpreter = InterpreterOrDie(*model);
  EXPECT_FALSE(interpreter->ApplyDelegate(delegate.get()).ok());
  EXPECT_THAT(interpreter->TakeLog(), Contains(HasSubstr("CL_ONLY")));
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
}

TEST(DropInTest, ABadEnvironmentIsToldToo) {
  const ScopedEnvironment set("GLES_DELEGATE_OPTIONS", "nonsense:1");
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate =
      StockDelegate(DROP_IN(TfLiteGpuDelegateOptionsV2Default)());
  ASSERT_NE(delegate, nullptr);
  auto interpreter = InterpreterOrDie(*model);
  EXPECT_FALSE(interpreter->ApplyDelegate(delegate.get()).ok());
  EXPECT_THAT(interpreter->TakeLog(), Contains(HasSubstr("'nonsense'")));
}

TEST(DropInTest, ACacheIsKeptWhereItsFlagIsSet) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto model = LoadOrDie(ChainModel("can"));
  const ScratchDirectory scratch;
  auto options = DROP_IN(TfLiteGpuDelegateOptionsV2Default)();
  options.serialization_dir = scratch.path().c_str();
  options.model_token = "chain";
  for (const bool flagged : {false, true}) {
    if (flagged) {
      options.experimental_flags |=
          TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_SERIALIZATION;
    }
    const DelegatePtr delegate = StockDelegate(options);
    auto interpreter = Applied(*model, delegate);
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
    EXPECT_EQ(scratch.Files().empty(), !flagged);
  }
}

// Before the delegate is applied, as apps of the stock GL delegate do it, and
// after that.
TEST(DropInTest, ABufferStandsInForATensor) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto model = LoadOrDie(ChainModel("can"));
  const auto* graph =
      schema::GetModel(model->bytes().data())->subgraphs()->Get(0);
  auto cpu = InterpreterOrDie(*model);
  const std::vector<float> right = *RunOnce(cpu.get());
  const std::vector<float> values = cpu->input(0).AsFloats();
  for (const bool before : {true, false}) {
    AppContext app;
    const egl::Buffer in = Must(egl::Buffer::Create(
        values.size() * sizeof(float), values.data(), GL_STATIC_DRAW));
    const egl::Buffer out = Must(egl::Buffer::Create(
        right.size() * sizeof(float), nullptr, GL_DYNAMIC_COPY));
    const DelegatePtr delegate =
        StockDelegate(DROP_IN(TfLiteGpuDelegateOptionsV2Default)());
    auto interpreter = InterpreterOrDie(*model);
    const auto apply = [&] {
      ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
    };
    if (!before) apply();
    EXPECT_EQ(DROP_IN(TfLiteGpuDelegateBindBufferToTensor)(
                  delegate.get(), in.id(), graph->inputs()->Get(0)),
              kTfLiteOk);
    EXPECT_EQ(DROP_IN(TfLiteGpuDelegateBindBufferToTensor)(
                  delegate.get(), out.id(), graph->outputs()->Get(0)),
              kTfLiteOk);
    if (before) apply();
    ASSERT_TRUE(interpreter->Invoke().ok())
        << ::testing::PrintToString(interpreter->log());
    ExpectClose(ReadAll<float>(out), right);
    interpreter.reset();
  }
}

TEST(DropInTest, WhyABufferIsNotBoundIsTold) {
  const DelegatePtr delegate =
      StockDelegate(DROP_IN(TfLiteGpuDelegateOptionsV2Default)());
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(DROP_IN(TfLiteGpuDelegateBindBufferToTensor)(delegate.get(), 0, 3),
            kTfLiteError);
  EXPECT_EQ(DROP_IN(TfLiteGpuDelegateBindBufferToTensor)(nullptr, 12, 3),
            kTfLiteError);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("ERROR"), HasSubstr("buffer 0"),
                    HasSubstr("tensor 3"), HasSubstr("name 0 is no object"),
                    HasSubstr("buffer 12"), HasSubstr("not one of this")));
}

// --- As an external delegate -------------------------------------------------

std::string& Reported() {
  static std::string& text = *new std::string;
  return text;
}

TfLiteDelegate* Plugin(const std::string& key, const std::string& value,
                       bool with_reporter = true) {
  Reported().clear();
  std::string k = key, v = value;
  char* keys[] = {k.data()};
  char* values[] = {v.data()};
  return DROP_IN(tflite_plugin_create_delegate)(
      keys, values, 1,
      with_reporter ? +[](const char* text) { Reported() = text; } : nullptr);
}

TEST(DropInPluginTest, TakesTheStockKeys) {
  const DelegatePtr delegate(Plugin("inference_priority1", "2"),
                             DROP_IN(tflite_plugin_destroy_delegate));
  EXPECT_NE(delegate, nullptr) << Reported();
}

TEST(DropInPluginTest, WhatIsWrongIsReported) {
  EXPECT_EQ(Plugin("storage", "1"), nullptr);
  EXPECT_THAT(Reported(), HasSubstr("unknown option 'storage'"));
  EXPECT_EQ(Plugin("experimental_flags", "2"), nullptr);
  EXPECT_THAT(Reported(), HasSubstr("CL_ONLY"));
  const DelegatePtr delegate(Plugin("storage", "1", /*with_reporter=*/false),
                             DROP_IN(tflite_plugin_destroy_delegate));
  EXPECT_NE(delegate, nullptr) << "the stock loader does not look for NULL";
}

TEST(DropInPluginTest, TheStockLoaderRunsIt) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto delegate = LoadThroughStockLoader(
      DROP_IN_LIBRARY, {{"is_precision_loss_allowed", "0"}});
  ASSERT_NE(delegate, nullptr);
  const auto model = LoadOrDie(ChainModel("can"));
  auto interpreter = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
}

}  // namespace
}  // namespace gles_delegate::testing
