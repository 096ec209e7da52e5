// labels: unit sanitize
// How conv_shared.comp shares out sums on NVIDIA's row: few outputs are spread
// over many work groups.
#include "delegate/ops/conv/conv_shared_tiling.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/testing/h200_profile.h"

namespace gles_delegate::testing {
namespace {

// "2x1 texels by 8x4 cells, 16 lanes, 13x5 groups"
std::string TextOf(const SharedWork& work) {
  const auto grid = ChooseSharedGrid(work, H200Profile());
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

TEST(ConvSharedTilingTest, ADepthwiseConvolutionIsComputedForAsManySlices) {
  SharedWork work = {49, 18, 72};
  work.fused = true;
  EXPECT_EQ(TextOf(work), "1x2 texels by 4x8 cells, 16 lanes, 13x2 groups");
  work.slices = 2;
  EXPECT_EQ(TextOf(work), "1x1 texels by 4x2 cells, 32 lanes, 13x1 groups");
}

}  // namespace
}  // namespace gles_delegate::testing
