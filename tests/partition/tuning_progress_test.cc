// labels: unit sanitize
#include "delegate/partition/tuning_progress.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gles_delegate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TuningProgressTest, TellsEachFiveSecondsWhatWasTried) {
  double now = 10;
  std::vector<std::string> lines;
  TuningProgress progress(
      7, [&](const std::string& line) { lines.push_back(line); },
      [&] { return now; });
  progress.Tried(3);
  EXPECT_THAT(lines, IsEmpty());
  now += 5;
  progress.Tried(0);  // cannot run
  now += 4;
  progress.Tried(2.5);
  now += 1;
  progress.Tried(4);
  EXPECT_THAT(lines, ElementsAre("tuning a partition of 7 nodes: 2 "
                                 "profiles tried, the fastest takes 3 ms",
                                 "tuning a partition of 7 nodes: 4 "
                                 "profiles tried, the fastest takes 2.5 ms"));
}

TEST(TuningProgressTest, NobodyNeedsToListen) {
  double now = 0;
  TuningProgress progress(1, nullptr, [&] { return now; });
  now = 100;
  progress.Tried(1);
}

}  // namespace
}  // namespace gles_delegate
