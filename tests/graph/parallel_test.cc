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

}  // namespace
}  // namespace gles_delegate
