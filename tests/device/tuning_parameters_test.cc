// labels: unit sanitize
// The one list of the tuning parameters, and what is made from it: texts,
// records, the table of docs/tuning.md.
#include "delegate/device/tuning_parameters.h"

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
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

// "| `a` | 1 | ... |" by "a": the cells behind the name.
std::map<std::string, std::vector<std::string>> RowsOf(
    const std::string& path) {
  std::map<std::string, std::vector<std::string>> rows;
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("| `", 0) != 0) continue;
    std::vector<std::string> cells;
    for (absl::string_view cell : absl::StrSplit(line, '|')) {
      cells.emplace_back(absl::StripAsciiWhitespace(cell));
    }
    const std::string name = cells[1].substr(1, cells[1].size() - 2);
    const bool first =
        rows.insert({name, {cells.begin() + 2, cells.end()}}).second;
    EXPECT_TRUE(first) << name << " has two rows";
  }
  return rows;
}

TEST(TuningParametersTest, TheTableOfTheDocumentationIsTheList) {
  const auto rows = RowsOf(GLES_DELEGATE_SOURCE_DIR "/docs/tuning.md");
  EXPECT_EQ(rows.size(), TuningParameters().size());
  for (const TuningParameter& parameter : TuningParameters()) {
    SCOPED_TRACE(parameter.name);
    const auto row = rows.find(std::string(parameter.name));
    ASSERT_NE(row, rows.end()) << "docs/tuning.md has no row for it";
    ASSERT_GE(row->second.size(), 4u);
    EXPECT_EQ(row->second[0], absl::StrCat(parameter.Get(DeviceChoices())));
    EXPECT_EQ(row->second[1],
              absl::StrCat(parameter.min, " to ", parameter.max));
    EXPECT_EQ(row->second[2], parameter.candidates.empty()
                                  ? "-"
                                  : absl::StrJoin(parameter.candidates, ", "));
    EXPECT_FALSE(row->second[3].empty());
  }
}

}  // namespace
}  // namespace gles_delegate
