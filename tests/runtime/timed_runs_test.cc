// labels: unit sanitize
#include "delegate/runtime/executor.h"
#include "gtest/gtest.h"

namespace gles_delegate {
namespace {

TEST(TimedRunsTest, HasTheMedianAndTheLastRuns) {
  TimedRuns runs;
  EXPECT_EQ(runs.MedianUs(), 0);
  EXPECT_TRUE(runs.Last(3).empty());
  for (double us : {5, 1, 9, 3}) runs.Add({us * 100, us});
  EXPECT_EQ(runs.count(), 4);
  EXPECT_EQ(runs.MedianUs(), 4);
  runs.Add({0, 9});
  EXPECT_EQ(runs.MedianUs(), 5);
  ASSERT_EQ(runs.Last(2).size(), 2u);
  EXPECT_EQ(runs.Last(2)[0].us, 3);
  EXPECT_EQ(runs.Last(2)[1].us, 9);
  EXPECT_EQ(runs.Last(99).size(), 5u);
}

TEST(TimedRunsTest, KeepsTheNewestRuns) {
  TimedRuns runs;
  constexpr int kRuns = 3 * TimedRuns::kKept + 7;
  for (int i = 0; i < kRuns; ++i) runs.Add({0, 1.0 * i});
  EXPECT_EQ(runs.count(), kRuns);
  const auto last = runs.Last(TimedRuns::kKept);
  ASSERT_EQ(last.size(), TimedRuns::kKept);
  for (size_t i = 0; i < last.size(); ++i) {
    EXPECT_EQ(last[i].us, kRuns - static_cast<double>(TimedRuns::kKept) + i);
  }
}

}  // namespace
}  // namespace gles_delegate
