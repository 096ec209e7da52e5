// labels: op delegate cache llvmpipe
// The option prefer_faster: partitions that the CPU runs faster stay there. No
// clock decides here: ScopedTimeRun says how long each run took.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/tflite/compare_speeds.h"
#include "gtest/gtest.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/random.h"
#include "tests/testing/schema_names.h"
#include "tests/testing/scratch_directory.h"

namespace gles_delegate::testing {
namespace {

// Runs everything and says that it took so long.
struct FixedTimes {
  double gpu_ms = 0;
  double cpu_ms = 0;
  int gpu_runs = 0;
  int cpu_runs = 0;

  TimeRun timer() {
    return [this](Processor processor, absl::FunctionRef<absl::Status()> run)
               -> absl::StatusOr<double> {
      const bool gpu = processor == Processor::kGpu;
      ++(gpu ? gpu_runs : cpu_runs);
      if (auto s = run(); !s.ok()) return s;
      return gpu ? gpu_ms : cpu_ms;
    };
  }
};

TimeRun Never() {
  return [](Processor, absl::FunctionRef<absl::Status()>) {
    ADD_FAILURE() << "nothing is to be measured";
    return absl::StatusOr<double>(absl::InternalError("measured"));
  };
}

class PreferFasterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    model_ = LoadOrDie(ChainModel("canm"));
  }

  DelegatePtr Delegate(bool with_cache = false) {
    return MakeDelegate([&](TfLiteGlesDelegateOptions& options) {
      options.prefer_faster = 1;
      options.max_delegated_partitions = 0;
      if (!with_cache) return;
      options.serialization_dir = scratch_.path().c_str();
      options.model_token = "token";
    });
  }

  // Applies the delegate to a new interpreter and compares two inferences with
  // the CPU's.
  void Apply(const DelegatePtr& delegate, const Model& model) {
    auto interpreter = InterpreterOrDie(model);
    const absl::Status applied = interpreter->ApplyDelegate(delegate.get());
    ASSERT_TRUE(applied.ok()) << applied;
    for (int round : {0, 1}) {
      ExpectClose(RunOnce(interpreter.get(), round), CpuResult(model, round));
    }
    log_ = interpreter->log();
    report_ = ReportOf(delegate);
  }

  // Likewise, of a delegate that takes runs for as long as `times` says.
  void ApplyTimed(FixedTimes* times) {
    const ScopedTimeRun scoped(times->timer());
    Apply(Delegate(), *model_);
  }

  nlohmann::json Verdict(size_t partition = 0) {
    return report_["partition"].at(partition)["prefer_faster"];
  }

  ScratchDirectory scratch_;
  std::unique_ptr<Model> model_;
  std::vector<std::string> log_;
  nlohmann::json report_;
};

TEST_F(PreferFasterTest, TheModelStaysOnTheCpuWhereThatIsFaster) {
  FixedTimes times{2, 1};
  ApplyTimed(&times);
  EXPECT_EQ(times.gpu_runs, 17);
  EXPECT_EQ(times.cpu_runs, 17);
  EXPECT_EQ(report_["nodes_delegated"], 0) << report_;
  EXPECT_EQ(report_["partitions"], 0);
  EXPECT_EQ(Verdict()["chosen"], "cpu");
  EXPECT_EQ(Verdict()["source"], "measured");
  EXPECT_EQ(Verdict()["gpu_ms"], 2);
  EXPECT_EQ(Verdict()["cpu_ms"], 1);
  ASSERT_EQ(report_["cpu"].size(), 1u) << report_;
  EXPECT_EQ(report_["cpu"][0]["nodes"].size(), 4u);
  EXPECT_THAT(
      std::string(report_["cpu"][0]["reason"]),
      AllOf(HasSubstr("prefer_faster"), HasSubstr("1 ms"), HasSubstr("2 ms")));
  EXPECT_THAT(
      log_, Contains(AllOf(HasSubstr("WARNING"), HasSubstr("stays on the CPU"),
                           HasSubstr("prefer_faster"))));
}

TEST_F(PreferFasterTest, TheModelRunsOnTheGpuWhereThatIsFaster) {
  FixedTimes times{1, 2};
  ApplyTimed(&times);
  EXPECT_GT(times.cpu_runs, 0);
  EXPECT_EQ(report_["nodes_delegated"], 4) << report_;
  ASSERT_EQ(report_["partition"].size(), 1u);
  EXPECT_EQ(Verdict()["chosen"], "gpu");
  EXPECT_EQ(Verdict()["source"], "measured");
  EXPECT_EQ(Verdict()["cpu_ms"], 2);
  EXPECT_THAT(log_, Not(Contains(HasSubstr("prefer_faster"))));
}

// Long runs are few: one that counts, after one that does not.
TEST_F(PreferFasterTest, LongRunsAreFew) {
  FixedTimes times{9000, 100};
  ApplyTimed(&times);
  EXPECT_EQ(times.gpu_runs, 2);
  EXPECT_EQ(times.cpu_runs, 3);
  EXPECT_EQ(Verdict()["chosen"], "cpu");
}

TEST_F(PreferFasterTest, WithoutTheOptionNothingIsMeasured) {
  const ScopedTimeRun scoped(Never());
  Apply(MakeDelegate(), *model_);
  EXPECT_EQ(report_["nodes_delegated"], 4);
  EXPECT_FALSE(report_["partition"][0].contains("prefer_faster")) << report_;
}

TEST_F(PreferFasterTest, EachPartitionHasItsVerdict) {
  const auto model = LoadOrDie(ChainModel("carnm"));
  // "ca" is measured first, "nm" then.
  int cpu_runs = 0;
  const ScopedTimeRun scoped(
      [&](Processor processor,
          absl::FunctionRef<absl::Status()> run) -> absl::StatusOr<double> {
        if (auto s = run(); !s.ok()) return s;
        if (processor == Processor::kGpu) return 10;
        return ++cpu_runs <= 17 ? 1 : 20;
      });
  Apply(Delegate(), *model);
  EXPECT_EQ(report_["nodes_delegated"], 2) << report_;
  EXPECT_EQ(report_["partitions"], 1);
  ASSERT_EQ(report_["partition"].size(), 2u);
  EXPECT_EQ(Verdict(0)["chosen"], "gpu");
  EXPECT_EQ(Verdict(0)["cpu_ms"], 20);
  EXPECT_EQ(Verdict(1)["chosen"], "cpu");
  EXPECT_EQ(Verdict(1)["cpu_ms"], 1);
}

TEST_F(PreferFasterTest, ALaterStartTakesTheVerdictFromTheCache) {
  for (const bool gpu_wins : {true, false}) {
    SCOPED_TRACE(gpu_wins);
    const auto model = LoadOrDie(ChainModel(gpu_wins ? "can" : "cna"));
    {
      FixedTimes times{gpu_wins ? 1.5 : 2.5, 2};
      const ScopedTimeRun scoped(times.timer());
      Apply(Delegate(/*with_cache=*/true), *model);
      EXPECT_EQ(Verdict()["source"], "measured");
    }
    const ScopedTimeRun scoped(Never());
    Apply(Delegate(/*with_cache=*/true), *model);
    EXPECT_EQ(Verdict()["source"], "cached") << report_;
    EXPECT_EQ(Verdict()["chosen"], gpu_wins ? "gpu" : "cpu");
    EXPECT_EQ(Verdict()["gpu_ms"], gpu_wins ? 1.5 : 2.5);
    EXPECT_EQ(Verdict()["cpu_ms"], 2);
    EXPECT_EQ(report_["nodes_delegated"], gpu_wins ? 3 : 0);
    // Nothing is built for a model that is handed back.
    EXPECT_EQ(report_["partition"][0]["dispatches"] == 0, !gpu_wins);
  }
}

TEST_F(PreferFasterTest, OtherOptionsAreMeasuredAnew) {
  FixedTimes times{2, 1};
  const ScopedTimeRun scoped(times.timer());
  Apply(Delegate(/*with_cache=*/true), *model_);
  const int runs = times.gpu_runs;
  Apply(MakeDelegate([&](TfLiteGlesDelegateOptions& options) {
          options.prefer_faster = 1;
          options.is_precision_loss_allowed = 1;
          options.serialization_dir = scratch_.path().c_str();
          options.model_token = "token";
        }),
        *model_);
  EXPECT_EQ(times.gpu_runs, 2 * runs);
}

// A trial run would leave its traces in the state.
TEST_F(PreferFasterTest, APartitionWithStateIsNotMeasured) {
  ModelBuilder b;
  Random random("svdf");
  const int x = b.AddInput("x", {1, 5});
  const int feature =
      b.AddConstant<float>("feature", {6, 5}, random.Gaussian(30, 0, 0.5f));
  const int time =
      b.AddConstant<float>("time", {6, 2}, random.Gaussian(12, 0, 0.5f));
  const int state = b.AddVariable("state", {1, 12});
  const int y = b.AddTensor("y", {1, 6});
  schema::SVDFOptionsT options;
  options.rank = 1;
  b.AddOp(Op::SVDF, 1, {x, feature, time, -1, state}, {y}, options);
  b.SetOutputs({y});
  const auto model = LoadOrDie(b.Finish());
  const ScopedTimeRun scoped(Never());
  const DelegatePtr delegate = Delegate();
  auto interpreter = InterpreterOrDie(*model);
  auto cpu = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  ASSERT_TRUE(cpu->AllocateTensors().ok());
  for (int round : {0, 1, 2}) {
    const auto expected = RunOnce(cpu.get(), round);
    ASSERT_TRUE(expected.ok());
    ExpectClose(RunOnce(interpreter.get(), round), *expected);
  }
  report_ = ReportOf(delegate);
  EXPECT_EQ(report_["nodes_delegated"], 1) << report_;
  EXPECT_EQ(Verdict()["chosen"], "gpu");
  EXPECT_THAT(std::string(Verdict()["source"]),
              AllOf(HasSubstr("not measured"), HasSubstr("state")));
}

TEST_F(PreferFasterTest, AFailedTrialLeavesTheModelOnTheGpu) {
  const ScopedTimeRun scoped(
      [](Processor processor,
         absl::FunctionRef<absl::Status()> run) -> absl::StatusOr<double> {
        if (processor == Processor::kCpu) {
          return absl::InternalError("no such run");
        }
        if (auto s = run(); !s.ok()) return s;
        return 5;
      });
  Apply(Delegate(), *model_);
  EXPECT_EQ(report_["nodes_delegated"], 4) << report_;
  EXPECT_EQ(std::string(Verdict()["source"]), "not measured: no such run");
}

// What the app has written into its inputs is not what the trials ran on.
TEST_F(PreferFasterTest, TheAppsInputsStayAsTheyAre) {
  FixedTimes times{2, 1};
  const ScopedTimeRun scoped(times.timer());
  const DelegatePtr delegate = Delegate();
  auto interpreter = InterpreterOrDie(*model_);
  ASSERT_TRUE(interpreter->AllocateTensors().ok());
  const auto before = RunOnce(interpreter.get());
  ASSERT_TRUE(before.ok());
  const auto written = interpreter->input(0).data<float>();
  const std::vector<float> values(written.begin(), written.end());
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  const auto left = interpreter->input(0).data<float>();
  EXPECT_EQ(values, std::vector<float>(left.begin(), left.end()));
}

TEST(SpeedsTextTest, IsReadBackAndNothingElseIs) {
  const Speeds speeds{1.25, 0.5};
  const auto read = SpeedsFromText(SpeedsText(speeds));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->gpu_ms, 1.25);
  EXPECT_EQ(read->cpu_ms, 0.5);
  EXPECT_LT(SpeedsText({1.23456789e-300, 1.23456789e+300}).size(),
            kSpeedsTextBytes);
  for (const char* text :
       {"", "gpu_ms=1", "gpu_ms=1,cpu_ms=", "gpu_ms=1,cpu_ms=x",
        "gpu_ms=-1,cpu_ms=2", "gpu_ms=nan,cpu_ms=2", "gpu_ms=1,cpu_ms=inf",
        "cpu_ms=1,gpu_ms=2", "gpu_ms=1,cpu_ms=2,"}) {
    EXPECT_FALSE(SpeedsFromText(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace gles_delegate::testing
