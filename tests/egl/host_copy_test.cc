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
TEST(HostCopierTest, CopiesAllByAnyNumberOfThreads) {
  HostCopier copier;
  for (size_t bytes : {0, 1, 63, 64, 65, 1000, 100003}) {
    std::vector<uint8_t> from(bytes + 2);
    std::iota(from.begin(), from.end(), uint8_t{1});
    for (size_t threads : {1, 2, 3, 8}) {
      SCOPED_TRACE(testing::Message() << bytes << " bytes by " << threads);
      std::vector<uint8_t> to(bytes + 2, 0xee);
      std::vector<uint8_t> want = to;
      std::copy_n(from.begin() + 1, bytes, want.begin() + 1);
      copier.CopyBy(threads, to.data() + 1, from.data() + 1, bytes);
      EXPECT_EQ(to, want);
    }
  }
}

TEST(StreamCopyTest, CopiesFromAndToAnyAddress) {
  std::vector<uint8_t> from(200);
  std::iota(from.begin(), from.end(), uint8_t{1});
  for (size_t bytes : {0, 1, 15, 16, 17, 64, 100}) {
    for (size_t to_at = 0; to_at < 17; ++to_at) {
      SCOPED_TRACE(testing::Message() << bytes << " bytes to " << to_at);
      alignas(16) uint8_t to[200] = {};
      std::vector<uint8_t> want(sizeof(to));
      std::copy_n(from.begin() + 3, bytes, want.begin() + to_at);
      StreamCopy(to + to_at, from.data() + 3, bytes);
      EXPECT_EQ(std::vector<uint8_t>(to, to + sizeof(to)), want);
    }
  }
}

TEST(HostCopierTest, TellsOfEachPieceInOrderOnceItIsCopied) {
  HostCopier copier;
  for (size_t pieces : {0, 1, 2, 7, 100}) {
    for (size_t threads : {1, 2, 5}) {
      SCOPED_TRACE(testing::Message() << pieces << " pieces by " << threads);
      std::vector<int> copied(pieces);
      std::vector<size_t> told;
      copier.InOrder(
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

TEST(HostCopierTest, CopiesWhatIsShared) {
  std::vector<uint8_t> from(9'000'001);
  std::iota(from.begin(), from.end(), uint8_t{7});
  std::vector<uint8_t> to(from.size());
  HostCopier().Copy(to.data(), from.data(), from.size());
  EXPECT_TRUE(to == from);
}

// Threads that wake late find the next copy, or none: never one that has ended.
TEST(HostCopierTest, CopiesAgainAndAgain) {
  HostCopier copier;
  for (int round = 0; round < 2000; ++round) {
    const size_t pieces = 1 + round % 5;
    std::vector<int> copied(pieces);
    size_t told = 0;
    copier.InOrder(
        1 + round % 7, pieces, [&](size_t i) { copied[i] = round; },
        [&](size_t i) { told += copied[i] == round ? 1 : 0; });
    ASSERT_EQ(told, pieces);
  }
}

}  // namespace
}  // namespace gles_delegate::egl
