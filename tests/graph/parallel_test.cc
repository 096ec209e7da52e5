// labels: unit sanitize
#include "delegate/graph/parallel.h"

#include <atomic>
#include <new>
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

// Memory may end on any of the threads; the caller is told.
TEST(ParallelTest, WhatAThreadThrowsReachesTheCaller) {
  for (int thrower : {0, 25, 50, 99}) {
    std::vector<std::atomic<int>> done(100);
    const auto may_throw = [&](int i) {
      ++done[i];
      if (i == thrower) throw std::bad_alloc();
    };
    EXPECT_THROW(InRangesBy(4, 100,
                            [&](int begin, int end) {
                              for (int i = begin; i < end; ++i) may_throw(i);
                            }),
                 std::bad_alloc);
    WorkAhead work(4, 100, may_throw);
    EXPECT_THROW(for (int i = 0; i < 100; ++i) work.Await(i), std::bad_alloc);
  }
}

}  // namespace
}  // namespace gles_delegate
