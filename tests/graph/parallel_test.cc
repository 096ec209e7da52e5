// labels: unit sanitize
#include "delegate/graph/parallel.h"

#include <atomic>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace gles_delegate {
namespace {

TEST(InRangesByTest, DoesEachOnce) {
  for (int count : {0, 1, 2, 3, 5, 1000}) {
    for (int threads : {1, 2, 4}) {
      SCOPED_TRACE(testing::Message() << count << " by " << threads);
      std::vector<std::atomic<int>> done(count);
      InRangesBy(threads, count, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) ++done[i];
      });
      for (const auto& times : done) EXPECT_EQ(times, 1);
    }
  }
}

TEST(WorkAheadTest, DoesEachOnceAndAwaitsIt) {
  constexpr int kCount = 100;
  for (int threads : {1, 2, 4}) {
    for (int step : {1, 7, kCount - 1}) {  // in their order, and in others
      SCOPED_TRACE(testing::Message() << threads << " threads, by " << step);
      std::vector<int> squares(kCount, -1);  // no two threads write the same
      std::vector<std::atomic<int>> done(kCount);
      WorkAhead work(threads, kCount, [&](int i) {
        squares[i] = i * i;
        ++done[i];
      });
      for (int i = 0; i < kCount; ++i) {
        const int at = i * step % kCount;
        work.Await(at);
        EXPECT_EQ(squares[at], at * at);
        work.Await(at);
      }
      for (const auto& times : done) EXPECT_EQ(times, 1);
    }
  }
}

TEST(WorkAheadTest, IsLeftInTheMiddle) {
  for (int threads : {1, 2, 4}) {
    std::vector<std::atomic<int>> done(1000);
    {
      WorkAhead work(threads, 1000, [&](int i) { ++done[i]; });
      work.Await(3);
    }
    EXPECT_EQ(done[3], 1);
    for (const auto& times : done) EXPECT_LE(times, 1);
  }
}

}  // namespace
}  // namespace gles_delegate
