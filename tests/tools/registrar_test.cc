// labels: tools delegate llvmpipe
// bindings/tflite_tools: the delegate as a provider of TensorFlow Lite's own
// tools, compiled against a stand-in for their header.
#include <string>
#include <utility>

#include "gles_delegate/gles_delegate.h"
#include "tensorflow/lite/tools/delegates/delegate_provider.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scratch_directory.h"

namespace gles_delegate::testing {
namespace {

using tflite::tools::RegisteredProviders;
using tflite::tools::ToolParam;
using tflite::tools::ToolParams;

class RegistrarTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(RegisteredProviders::all(), SizeIs(1));
    params_.Merge(provider().DefaultParams());
  }

  static const tflite::tools::DelegateProvider& provider() {
    return *RegisteredProviders::all().front();
  }

  // The report of a delegate of these flags on a model of two partitions; its
  // "error" where it could not be applied.
  nlohmann::json Report() {
    auto made = provider().CreateTfLiteDelegate(params_);
    if (made == nullptr) return {};
    const DelegatePtr delegate(made.release(), made.get_deleter());
    const auto model = LoadOrDie(ChainModel("carcn"));
    auto interpreter = InterpreterOrDie(*model);
    const absl::Status applied = interpreter->ApplyDelegate(delegate.get());
    if (!applied.ok()) return {{"error", std::string(applied.message())}};
    return ReportOf(delegate);
  }

  ToolParams params_;
};

TEST_F(RegistrarTest, ItsFlagsAreThoseOfThePage) {
  EXPECT_EQ(provider().GetName(), "GLES");
  const auto flags = provider().CreateFlags(&params_);
  ASSERT_THAT(flags, SizeIs(2));
  EXPECT_EQ(flags[0].name, "use_gles_delegate");
  EXPECT_EQ(flags[1].name, "gles_delegate_options");
  provider().LogParams(params_, /*verbose=*/true);
}

TEST_F(RegistrarTest, WithoutTheFlagThereIsNoDelegate) {
  EXPECT_EQ(provider().CreateTfLiteDelegate(params_), nullptr);
}

TEST_F(RegistrarTest, ItsPlaceIsThatOfItsFlag) {
  params_.Set<bool>("use_gles_delegate", true, /*position=*/3);
  auto ranked = provider().CreateRankedTfLiteDelegate(params_);
  EXPECT_NE(ranked.first, nullptr);
  EXPECT_EQ(ranked.second, 3);
}

TEST_F(RegistrarTest, OptionsReachTheDelegate) {
  GLES_SKIP_WITHOUT_DEVICE();
  params_.Set<bool>("use_gles_delegate", true);
  EXPECT_EQ(Report()["precision"], "float32");
  params_.Set<std::string>("gles_delegate_options",
                           "is_precision_loss_allowed:1;;verbosity:0");
  EXPECT_EQ(Report()["precision"], "float16");
}

TEST_F(RegistrarTest, TheToolsOwnFlagsCountAndOptionsOverrideThem) {
  GLES_SKIP_WITHOUT_DEVICE();
  params_.Set<bool>("use_gles_delegate", true);
  params_.AddParam("max_delegated_partitions", ToolParam::Create<int32_t>(2));
  EXPECT_THAT(Report()["partition"], SizeIs(2));
  params_.Set<std::string>("gles_delegate_options",
                           "max_delegated_partitions:1");
  EXPECT_THAT(Report()["partition"], SizeIs(1));
}

TEST_F(RegistrarTest, TheToolsCacheIsTheDelegates) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ScratchDirectory folder;
  params_.Set<bool>("use_gles_delegate", true);
  params_.AddParam("max_delegated_partitions", ToolParam::Create<int32_t>(1));
  params_.AddParam("delegate_serialize_dir",
                   ToolParam::Create<std::string>(folder.path()));
  params_.AddParam("delegate_serialize_token",
                   ToolParam::Create<std::string>("a model"));
  const nlohmann::json report = Report();
  EXPECT_FALSE(report.contains("error") && !report["error"].empty()) << report;
  EXPECT_THAT(folder.Files(), Not(SizeIs(0)));
}

// A tool that got no delegate would measure the CPU.
TEST_F(RegistrarTest, WrongOptionsAreADelegateThatCannotBeApplied) {
  params_.Set<bool>("use_gles_delegate", true);
  for (const auto& [options, reason] :
       {std::pair<const char*, const char*>("verbosity", "is not key:value"),
        {"verbosity:99", "option verbosity"},
        {"no_such_option:1", "no_such_option"}}) {
    params_.Set<std::string>("gles_delegate_options", options);
    EXPECT_THAT(Report()["error"].get<std::string>(), HasSubstr(reason));
  }
}

}  // namespace
}  // namespace gles_delegate::testing
