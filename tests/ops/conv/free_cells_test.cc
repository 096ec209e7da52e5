// labels: unit sanitize
// The cells and lanes of conv_shared.comp's work groups of one size, on
// NVIDIA's row.
#include "delegate/ops/conv/free_cells.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/testing/h200_profile.h"

namespace gles_delegate::testing {
namespace {

// "2x1 texels by 8x4 cells, 16 lanes, 13x5 groups"
std::string TextOf(const SharedWork& work,
                   const DeviceProfile& profile = H200Profile()) {
  const auto own = ChooseSharedGrid(work, profile);
  const auto grid = own ? WithFreeCells(*own, work, profile) : std::nullopt;
  if (!grid) return "none";
  const SharedTiling& t = grid->tiling;
  return absl::StrCat(t.pixels, "x", t.slices, " texels by ", t.cells_x, "x",
                      t.cells_y, " cells, ", t.lanes, " lanes, ", grid->x, "x",
                      grid->y, " groups");
}

SharedWork Fused(int pixels, int slices, int terms) {
  SharedWork work = {pixels, slices, terms};
  work.fused = true;
  return work;
}

TEST(FreeCellsTest, TilingsOfThatManyInvocationsStay) {
  EXPECT_EQ(TextOf({/*pixels=*/361, /*slices=*/96, /*terms=*/96}),
            "2x2 texels by 8x4 cells, 8 lanes, 23x12 groups");
  EXPECT_EQ(TextOf({196, 20, 120}),
            "2x1 texels by 8x4 cells, 16 lanes, 13x5 groups");
  EXPECT_EQ(TextOf(Fused(784, 64, 32)),
            "2x2 texels by 8x8 cells, 4 lanes, 49x4 groups");
}

// Two pixels an invocation in place of one, by half as many invocations.
TEST(FreeCellsTest, OthersKeepTheirLanes) {
  EXPECT_EQ(TextOf({49, 48, 288}),
            "2x1 texels by 4x4 cells, 32 lanes, 7x12 groups");
  EXPECT_EQ(TextOf(Fused(49, 18, 72)),
            "2x2 texels by 2x8 cells, 16 lanes, 13x2 groups");
}

TEST(FreeCellsTest, FewTermsLeaveLanesToPixels) {
  EXPECT_EQ(TextOf(Fused(12544, 4, 6)),
            "2x2 texels by 32x2 cells, 4 lanes, 196x1 groups");
}

TEST(FreeCellsTest, LayersWithMuchToDoKeepTheirOwn) {
  EXPECT_EQ(TextOf({12544 * 32, 16, 16}), "none");
  EXPECT_EQ(TextOf(Fused(12544 * 32, 16, 8)), "none");
  EXPECT_EQ(TextOf(Fused(12544, 16, 8)),
            "2x2 texels by 16x8 cells, 2 lanes, 392x1 groups");
}

// ... and so do those whose work groups make 24 slices: cells are powers of
// two.
TEST(FreeCellsTest, TilesOfThreeSlicesKeepTheirOwn) {
  EXPECT_EQ(TextOf(Fused(10769, 24, 24)), "none");
}

TEST(FreeCellsTest, SharedMemoryTakesLanes) {
  EXPECT_EQ(TextOf(Fused(49, 18, 72), H200Profile(32 << 10)),
            "2x2 texels by 4x8 cells, 8 lanes, 7x2 groups");
  EXPECT_EQ(TextOf(Fused(49, 18, 72), H200Profile(2 << 10)), "none");
}

}  // namespace
}  // namespace gles_delegate::testing
