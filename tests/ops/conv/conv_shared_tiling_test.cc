// labels: unit sanitize
// How conv_shared.comp shares out sums on NVIDIA's row: few outputs are spread
// over many work groups.
#include <string>

#include "absl/strings/str_cat.h"
#include "delegate/ops/conv/conv_shared.h"
#include "gtest/gtest.h"
#include "tests/testing/h200_profile.h"

namespace gles_delegate::testing {
namespace {

// "2x1 texels by 8x4 cells, 16 lanes, 13x5 groups"
std::string TextOf(const SharedWork& work,
                   const DeviceProfile& profile = H200Profile()) {
  const auto grid = ChooseSharedGrid(work, profile);
  if (!grid) return "none";
  const SharedTiling& t = grid->tiling;
  return absl::StrCat(t.pixels, "x", t.slices, " texels by ", t.cells_x, "x",
                      t.cells_y, " cells, ", t.lanes, " lanes, ", grid->x, "x",
                      grid->y, " groups");
}

TEST(ConvSharedTilingTest, EnoughGroupsKeepTheTile) {
  EXPECT_EQ(TextOf({/*pixels=*/361, /*slices=*/96, /*terms=*/96}),
            "2x2 texels by 8x4 cells, 8 lanes, 23x12 groups");
}

TEST(ConvSharedTilingTest, FewOutputsAreSpread) {
  EXPECT_EQ(TextOf({196, 20, 120}),
            "2x1 texels by 8x4 cells, 16 lanes, 13x5 groups");
  EXPECT_EQ(TextOf({49, 48, 288}),
            "1x1 texels by 8x4 cells, 32 lanes, 7x12 groups");
  EXPECT_EQ(TextOf({9, 6, 48}),
            "1x1 texels by 8x4 cells, 16 lanes, 2x2 groups");
}

TEST(ConvSharedTilingTest, AFewGroupsTooManyTakeLargerTiles) {
  EXPECT_EQ(TextOf({784, 24, 48}),
            "4x2 texels by 8x4 cells, 8 lanes, 25x3 groups");
}

// Whisper's first product of an MLP and its queries, keys and values, and a
// convolution with more groups.
TEST(ConvSharedTilingTest, LargeTilesFillTheLastRound) {
  EXPECT_EQ(TextOf({/*pixels=*/1500, /*slices=*/384, /*terms=*/96}),
            "4x3 texels by 16x8 cells, 1 lanes, 24x16 groups");
  EXPECT_EQ(TextOf({1500, 288, 96}),
            "4x4 texels by 16x8 cells, 1 lanes, 24x9 groups");
  EXPECT_EQ(TextOf({6272, 128, 128}),
            "4x4 texels by 16x8 cells, 1 lanes, 98x4 groups");
}

// ViT's, unless they are in 16 bits or too few.
TEST(ConvSharedTilingTest, MoreOutputsThanPixelsTakeWideGroups) {
  SharedWork work = {/*pixels=*/197, /*slices=*/576, /*terms=*/192};
  EXPECT_EQ(TextOf(work), "4x2 texels by 8x8 cells, 2 lanes, 7x36 groups");
  work.halves = true;
  EXPECT_EQ(TextOf(work), "2x2 texels by 8x4 cells, 4 lanes, 13x72 groups");
  EXPECT_EQ(TextOf({128, 384, 96}),
            "2x2 texels by 8x4 cells, 4 lanes, 8x48 groups");
}

// Whisper's scores.
TEST(ConvSharedTilingTest, ShortProductsTakeSmallerTiles) {
  SharedWork work = {/*pixels=*/1500, /*slices=*/375, /*terms=*/16,
                     /*products=*/6};
  EXPECT_EQ(TextOf(work), "4x2 texels by 16x8 cells, 1 lanes, 24x24 groups");
  work.terms = 17;
  EXPECT_EQ(TextOf(work), "4x4 texels by 16x8 cells, 1 lanes, 24x12 groups");
}

// ViT's: 64 pixels a group would make 256 of 197.
TEST(ConvSharedTilingTest, CellsPastTheEndMakeNoLargeOutput) {
  SharedWork work = {/*pixels=*/197, /*slices=*/768, /*terms=*/192};
  work.halves = true;
  EXPECT_EQ(TextOf(work), "2x2 texels by 8x4 cells, 4 lanes, 13x96 groups");
  work.pixels = 256;
  EXPECT_EQ(TextOf(work), "4x2 texels by 16x8 cells, 1 lanes, 4x48 groups");
}

// The rows of a matrix have one texel more, so that its columns are stored to
// different banks.
TEST(ConvSharedTilingTest, RowsOfMatricesAreApart) {
  SharedTiling t;  // 16 pixels, 8 slices
  t.chunk_terms = 8;
  EXPECT_EQ(TilingSharedBytes(t), 16 * 8 * (16 + 4 * 8));
  t.padded = true;
  EXPECT_EQ(TilingSharedBytes(t), 16 * 8 * (16 + 4 * 9));
  t.halves = true;
  EXPECT_EQ(TilingSharedBytes(t), 8 * 8 * (16 + 4 * 9));
}

TEST(ConvSharedTilingTest, ADepthwiseConvolutionIsComputedForAsManySlices) {
  SharedWork work = {49, 18, 72};
  work.fused = true;
  EXPECT_EQ(TextOf(work), "1x2 texels by 4x8 cells, 16 lanes, 13x2 groups");
  work.slices = 2;
  EXPECT_EQ(TextOf(work), "1x1 texels by 4x2 cells, 32 lanes, 13x1 groups");
}

// ... in as few groups of slices as possible, if the output is large.
TEST(ConvSharedTilingTest, ALargeDepthwiseConvolutionIsComputedFewTimes) {
  SharedWork work = {/*pixels=*/42657, /*slices=*/12, /*terms=*/6};
  work.fused = true;
  EXPECT_EQ(TextOf(work), "4x2 texels by 16x8 cells, 1 lanes, 667x1 groups");
  work = {10769, 24, 24};
  work.fused = true;
  EXPECT_EQ(TextOf(work), "2x3 texels by 16x8 cells, 1 lanes, 337x1 groups");
  // Smaller work groups where there would be few.
  work = {2745, 48, 48};
  work.fused = true;
  EXPECT_EQ(TextOf(work), "2x3 texels by 8x8 cells, 2 lanes, 172x2 groups");
  // Too few even so.
  work = {1444, 48, 48};
  work.fused = true;
  EXPECT_EQ(TextOf(work), "2x2 texels by 8x8 cells, 4 lanes, 91x3 groups");
  // Too many slices past the last one.
  work = {42657, 11, 6};
  work.fused = true;
  EXPECT_EQ(TextOf(work), "4x2 texels by 16x4 cells, 1 lanes, 667x2 groups");
  // Its terms are no whole chunks.
  work = {5625, 24, 12};
  work.fused = true;
  EXPECT_EQ(TextOf(work), "2x2 texels by 8x8 cells, 2 lanes, 352x2 groups");
}

}  // namespace
}  // namespace gles_delegate::testing
