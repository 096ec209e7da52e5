// labels: unit sanitize
// The one list of the tuning parameters, and what is made from it: texts,
// records, the table of docs/tuning.md.
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "delegate/device/device_profile.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gles_delegate {
namespace {

using ::testing::HasSubstr;

// Choices where every tuning parameter has another value than by default.
DeviceChoices Others() {
  DeviceChoices choices;
  for (const TuningParameter& parameter : TuningParameters()) {
    parameter.Set(
        parameter.Get(choices) == parameter.max ? parameter.min : parameter.max,
        &choices);
  }
  return choices;
}

// A member of DeviceChoices that the list lacks would be in no text, no record
// and no key of the start-up cache.
TEST(TuningParametersTest, EveryMemberOfTheChoicesIsListedOnce) {
  constexpr size_t kDefaultsOfOptions = 1;
  EXPECT_EQ((TuningParameters().size() + kDefaultsOfOptions) * sizeof(int),
            sizeof(DeviceChoices));
  for (const TuningParameter& parameter : TuningParameters()) {
    SCOPED_TRACE(parameter.name);
    const DeviceChoices defaults;
    DeviceChoices changed;
    parameter.Set(parameter.Get(defaults) == parameter.max ? parameter.min
                                                           : parameter.max,
                  &changed);
    int differ = 0;
    for (const TuningParameter& other : TuningParameters()) {
      differ += other.Get(defaults) != other.Get(changed);
    }
    EXPECT_EQ(differ, 1);
    EXPECT_GE(parameter.Get(defaults), parameter.min);
    EXPECT_LE(parameter.Get(defaults), parameter.max);
    for (int value : parameter.candidates) {
      EXPECT_GE(value, parameter.min);
      EXPECT_LE(value, parameter.max);
    }
  }
}

TEST(TuningTextTest, ComesBack) {
  const DeviceChoices one = Others();
  DeviceChoices other;
  EXPECT_NE(TuningText(one), TuningText(other));
  EXPECT_TRUE(ApplyTuning(TuningText(one), &other).ok());
  EXPECT_EQ(TuningText(one), TuningText(other));
}

TEST(TuningTextTest, WhatIsWrongIsRefusedWhole) {
  const std::string before = TuningText(DeviceChoices());
  const auto refusal = [&before](const std::string& text) {
    DeviceChoices choices;
    const absl::Status status =
        ApplyTuning("work_group_size=8," + text, &choices);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(TuningText(choices), before);
    return std::string(status.message());
  };
  EXPECT_THAT(refusal("conv_tile_pixel=4"),
              HasSubstr("unknown tuning parameter 'conv_tile_pixel' (did you "
                        "mean 'conv_tile_pixels'?); known are: storage, "));
  EXPECT_THAT(refusal("=4"), HasSubstr("parameter ''; known are: storage, "));
  EXPECT_THAT(refusal("conv_tile_pixels=0"),
              HasSubstr("conv_tile_pixels: 0 is not 1 to 16"));
  EXPECT_THAT(refusal("storage=-1"), HasSubstr("storage: -1 is not 0 to 3"));
  EXPECT_THAT(refusal("conv_tile_slices=x"),
              HasSubstr("'x' is not an integer"));
  EXPECT_THAT(refusal("storage=1;conv_tile_pixels=8"),
              HasSubstr("'1;conv_tile_pixels=8' is not an integer (several are "
                        "separated by commas)"));
  EXPECT_THAT(refusal("conv_tile_pixels:8"),
              HasSubstr("'conv_tile_pixels:8' is not of the form name=value"));
  EXPECT_THAT(refusal("=3"), HasSubstr("unknown tuning parameter ''"));
}

TEST(TuningTextTest, SpacesAndEmptyItems) {
  DeviceChoices choices;
  EXPECT_TRUE(ApplyTuning("", &choices).ok());
  EXPECT_EQ(TuningText(choices), TuningText(DeviceChoices()));
  const absl::Status status =
      ApplyTuning(" split_k_target = 7, , conv_tile_pixels=3,", &choices);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(choices.split_k_target, 7);
  EXPECT_EQ(choices.conv_tile_pixels, 3);
}

TEST(TuningParametersTest, TheTableOfTheDocumentationIsTheList) {
  std::ifstream file(GLES_DELEGATE_SOURCE_DIR "/docs/tuning.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::map<absl::string_view, const char*> meanings = {
#define TUNING(type, name, value, least, most, baseline, meaning, ...) \
  {#name, meaning},
#include "delegate/device/tuning.inc"
  };
  std::string rows;
  for (const TuningParameter& parameter : TuningParameters()) {
    absl::StrAppend(&rows, "| `", parameter.name, "` | ",
                    parameter.Get(DeviceChoices()), " | ", parameter.min,
                    " to ", parameter.max, " | ",
                    parameter.candidates.empty()
                        ? "-"
                        : absl::StrJoin(parameter.candidates, ", "),
                    " | ", meanings.at(parameter.name), " |\n");
  }
  EXPECT_EQ(page.substr(page.find("| `")), rows);
}

}  // namespace
}  // namespace gles_delegate
