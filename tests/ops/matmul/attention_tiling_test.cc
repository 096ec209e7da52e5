// labels: unit sanitize
// How attention_tiles.comp shares out rows on NVIDIA's row.
#include <string>

#include "absl/strings/str_cat.h"
#include "delegate/ops/matmul/attention.h"
#include "gtest/gtest.h"
#include "tests/testing/h200_profile.h"

namespace gles_delegate::testing {
namespace {

// "3 rows by 1 slices, 16x24 cells by 1, 126 groups"
std::string TextOf(const AttentionWork& work,
                   const DeviceProfile& profile = H200Profile()) {
  const auto t = ChooseAttentionTiling(work, profile);
  if (!t) return "none";
  EXPECT_LE(t->SharedBytes(work.terms), profile.limits.max_shared_memory_bytes);
  EXPECT_LE(t->threads(), profile.limits.max_work_group_invocations);
  return absl::StrCat(t->rows, " rows by ", t->slices, " slices, ", t->cells_x,
                      "x", t->cells_y, " cells by ", t->lanes, ", ",
                      t->groups(work), " groups");
}

// Whisper-tiny's encoder, ViT-B/16 and MiniLM-L6: a group for each processor.
TEST(AttentionTilingTest, OneRoundOfGroups) {
  EXPECT_EQ(TextOf({/*rows=*/1500, /*keys=*/1500, /*terms=*/16, /*results=*/16,
                    /*matrices=*/6}),
            "3 rows by 1 slices, 16x24 cells by 1, 126 groups");
  EXPECT_EQ(TextOf({197, 197, 16, 16, 12}),
            "1 rows by 1 slices, 16x20 cells by 1, 120 groups");
  EXPECT_EQ(TextOf({128, 128, 8, 8, 12}),
            "1 rows by 1 slices, 8x12 cells by 4, 132 groups");
}

TEST(AttentionTilingTest, FewCellsPastTheLastSlice) {
  EXPECT_EQ(TextOf({4096, 77, 20, 20, 8}),  // 80 channels
            "3 rows by 3 slices, 8x28 cells by 1, 392 groups");
  EXPECT_EQ(TextOf({1500, 1500, 16, 33, 6}),
            "3 rows by 3 slices, 16x24 cells by 1, 126 groups");
}

// Halves leave room for two lanes, so that each invocation has twice the rows.
TEST(AttentionTilingTest, LanesOfHalves) {
  AttentionWork work = {1500, 1500, 16, 16, 6};
  work.halves = true;
  EXPECT_EQ(TextOf(work), "6 rows by 1 slices, 16x12 cells by 2, 126 groups");
}

TEST(AttentionTilingTest, NotForFewRowsWideResultsOrSmallMemory) {
  EXPECT_EQ(TextOf({16, 512, 16, 16, 9}), "none");
  EXPECT_EQ(TextOf({1500, 1500, 16, 65, 6}), "none");
  DeviceProfile profile = H200Profile();
  profile.limits.max_shared_memory_bytes = 4096;
  EXPECT_EQ(TextOf({1500, 1500, 16, 16, 6}, profile), "none");
}

bool InTiles(int matrices, int rows, int keys, int columns) {
  AttentionAttributes a;
  a.scores.x = a.product.product = {matrices, rows, columns};
  a.scores.y = a.product.y = {matrices, keys, columns};
  return ChooseAttentionWay(a, H200Profile()) == AttentionWay::kTiles;
}

// The prefill of SmolLM-135M's shape is faster as three dispatches: few rows
// for a processor, which meet many keys.
TEST(AttentionTilingTest, NotIfThreeDispatchesAreFaster) {
  EXPECT_TRUE(InTiles(6, 1500, 1500, 64));
  EXPECT_TRUE(InTiles(12, 197, 197, 64));
  EXPECT_TRUE(InTiles(12, 128, 128, 32));
  EXPECT_FALSE(InTiles(3, 384, 1024, 64));
}

}  // namespace
}  // namespace gles_delegate::testing
