// labels: unit llvmpipe
// The search for a model's fastest tuning parameters, with times made up here;
// and measurements on a device.
#include <map>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/scoped_environment.h"
#include "tools/gles_tune/search.h"
#include "tools/runner/command_line.h"

namespace gles_delegate::testing {
namespace {

bool Has(const Tuning& tuning, const char* name, int value) {
  const auto it = tuning.find(name);
  return it != tuning.end() && it->second == value;
}

// Fastest at 8x2 in buffers, by 10% a step.
double MadeUp(const Tuning& tuning) {
  double ms = 10;
  if (Has(tuning, "conv_tile_pixels", 8)) ms *= 0.9;
  if (Has(tuning, "conv_tile_slices", 2)) ms *= 0.9;
  if (Has(tuning, "storage", 2)) ms *= 0.9;
  if (Has(tuning, "work_group_size", 256)) ms *= 0.99;  // within the noise
  return ms;
}

const Tuning kFastest = {
    {"conv_tile_pixels", 8}, {"conv_tile_slices", 2}, {"storage", 2}};

TEST(SearchTuningTest, FindsTheFastest) {
  std::map<Tuning, int> measured;
  const auto result =
      SearchTuning({}, [&](const Tuning& tuning) -> absl::StatusOr<double> {
        ++measured[tuning];
        return MadeUp(tuning);
      });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->tuning, kFastest);
  EXPECT_DOUBLE_EQ(result->before_ms, 10);
  EXPECT_NEAR(result->after_ms, 7.29, 1e-9);
  // The first and the last of all are measured again, the others once.
  for (const auto& [tuning, times] : measured) {
    EXPECT_EQ(times > 1, tuning.empty() || tuning == kFastest)
        << TuningAsText(tuning);
  }
}

// The first measurement of all is slow, and one candidate's once lucky.
TEST(SearchTuningTest, TakesNothingByLuck) {
  int calls = 0;
  const auto result =
      SearchTuning({}, [&](const Tuning&) -> absl::StatusOr<double> {
        ++calls;
        return calls == 1 ? 20.0 : calls == 5 ? 5.0 : 10.0;
      });
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(TuningAsText(result->tuning), "");
  EXPECT_DOUBLE_EQ(result->before_ms, 10);
  EXPECT_DOUBLE_EQ(result->after_ms, 10);
}

TEST(SearchTuningTest, PassesOverWhatCannotRun) {
  const auto result =
      SearchTuning({}, [](const Tuning& tuning) -> absl::StatusOr<double> {
        if (Has(tuning, "conv_tile_pixels", 8)) {
          return absl::ResourceExhaustedError("too many registers");
        }
        return MadeUp(tuning);
      });
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(TuningAsText(result->tuning), "conv_tile_slices=2,storage=2");
}

TEST(SearchTuningTest, LeavesFixedParametersAlone) {
  const auto result = SearchTuning(
      {"storage"}, [](const Tuning& tuning) -> absl::StatusOr<double> {
        EXPECT_EQ(tuning.count("storage"), 0u);
        return MadeUp(tuning);
      });
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(TuningAsText(result->tuning),
            "conv_tile_pixels=8,conv_tile_slices=2");
}

TEST(SearchTuningTest, FailsIfThePresetDoes) {
  const auto result =
      SearchTuning({}, [](const Tuning&) -> absl::StatusOr<double> {
        return absl::InternalError("no GPU");
      });
  EXPECT_EQ(result.status().message(), "no GPU");
}

TEST(SearchTuningTest, TheSummaryIsWrapped) {
  EXPECT_EQ(Wrap(SummaryOf({{{"storage", 2}, {"conv_tile_pixels", 8}},
                            /*before_ms=*/10,
                            /*after_ms=*/7.3,
                            /*measured=*/40}),
                 2),
            "40 measurements: 10.000 ms with the device preset, 7.300 ms with\n"
            "  conv_tile_pixels=8, storage=2");
  EXPECT_THAT(SummaryOf({{}, 10, 10, 40}),
              ::testing::EndsWith("no setting is faster"));
}

TEST(TuningTrialsTest, ATuningThatChangesResultsIsAnError) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ScopedEnvironment restored("GLES_DELEGATE_TUNING", "");
  const auto model = LoadOrDie(ChainModel("cncnccccnccc"));
  TuningTrials trials(*model, {{"max_delegated_partitions", "0"}});
  const auto preset = trials.Measure({});
  ASSERT_TRUE(preset.ok()) << preset.status();
  EXPECT_GT(*preset, 0);
  EXPECT_NE(trials.renderer(), "");
  const auto same = trials.Measure({{"conv_tile_pixels", 2}});
  EXPECT_TRUE(same.ok()) << same.status();
  // 16-bit storage changes floats by more than another order of sums does.
  const ScopedEnvironment half("GLES_DELEGATE_OPTIONS",
                               "is_precision_loss_allowed:1");
  const auto other = trials.Measure({{"conv_tile_pixels", 4}});
  EXPECT_EQ(other.status().code(), absl::StatusCode::kDataLoss)
      << other.status();
}

TEST(TuningTrialsTest, AModelThatTheGpuCannotRunIsAnError) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ScopedEnvironment restored("GLES_DELEGATE_TUNING", "");
  const auto model = LoadOrDie(ChainModel("r"));
  TuningTrials trials(*model, {});
  EXPECT_EQ(trials.Measure({}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace gles_delegate::testing
