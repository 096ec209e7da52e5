// labels: unit sanitize
#include "egl/host_copy.h"

#include <cstdint>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"

namespace gles_delegate::egl {
namespace {

// Every byte arrives, and none beside them, for parts that the length does not
// divide into, and more parts than bytes.
TEST(HostCopyTest, CopiesAllByAnyNumberOfThreads) {
  for (size_t bytes : {0, 1, 63, 64, 65, 1000, 100003}) {
    std::vector<uint8_t> from(bytes + 2);
    std::iota(from.begin(), from.end(), uint8_t{1});
    for (size_t threads : {1, 2, 3, 8}) {
      SCOPED_TRACE(testing::Message() << bytes << " bytes by " << threads);
      std::vector<uint8_t> to(bytes + 2, 0xee);
      std::vector<uint8_t> want = to;
      std::copy_n(from.begin() + 1, bytes, want.begin() + 1);
      HostCopyBy(threads, to.data() + 1, from.data() + 1, bytes);
      EXPECT_EQ(to, want);
    }
  }
}

TEST(CopyInOrderTest, TellsOfEachPieceInOrderOnceItIsCopied) {
  for (size_t pieces : {0, 1, 2, 7, 100}) {
    for (size_t threads : {1, 2, 5}) {
      SCOPED_TRACE(testing::Message() << pieces << " pieces by " << threads);
      std::vector<int> copied(pieces);
      std::vector<size_t> told;
      CopyInOrderBy(
          threads, pieces, [&](size_t i) { ++copied[i]; },
          [&](size_t i) {
            EXPECT_EQ(copied[i], 1);
            told.push_back(i);
          });
      std::vector<size_t> want(pieces);
      std::iota(want.begin(), want.end(), size_t{0});
      EXPECT_EQ(told, want);
      EXPECT_EQ(copied, std::vector<int>(pieces, 1));
    }
  }
}

TEST(HostCopyTest, CopiesWhatIsShared) {
  std::vector<uint8_t> from(9'000'001);
  std::iota(from.begin(), from.end(), uint8_t{7});
  std::vector<uint8_t> to(from.size());
  HostCopy(to.data(), from.data(), from.size());
  EXPECT_TRUE(to == from);
}

}  // namespace
}  // namespace gles_delegate::egl
