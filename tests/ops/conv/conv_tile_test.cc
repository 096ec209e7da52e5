// labels: unit delegate
// How the sizes of register tiles and work groups are chosen for a device whose
// invocations run abreast: each size is a program, and layers share programs.
#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <set>

#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/plan/planner.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

DeviceProfile VectorProfile() {
  DeviceProfile profile;
  profile.choices.simd_lanes = 8;
  profile.choices.work_group_size = 32;
  profile.choices.conv_tile_pixels = 4;
  profile.choices.conv_tile_slices = 4;
  return profile;
}

constexpr TileWork kLittleWork{int64_t{10} << 20, int64_t{10} << 20};
constexpr TileWork kMuchWork{int64_t{20} << 20, int64_t{800} << 20};
constexpr TileWork kPartOfMuchWork{int64_t{2} << 20, int64_t{800} << 20};
constexpr TileWork kLightWork{1000, 1000};

TEST(FlatTileTest, ImagesOfOneNetworkShareATile) {
  const DeviceChoices choices = VectorProfile().choices;
  const auto tiles = [&](std::initializer_list<int> sides,
                         const TileWork& work) {
    std::set<int> pixels;
    for (int side : sides) {
      pixels.insert(ChooseFlatTile(side * side, 4, work, choices).pixels);
    }
    return pixels;
  };
  EXPECT_THAT(tiles({7, 14, 28, 56, 112}, kLittleWork), ElementsAre(7));
  EXPECT_THAT(tiles({32, 33, 64, 65, 128}, kLittleWork), ElementsAre(8));
  EXPECT_THAT(tiles({7, 14, 28, 56, 112}, kPartOfMuchWork), ElementsAre(7));
  EXPECT_THAT(tiles({14, 28, 56, 112}, kMuchWork), ElementsAre(14));
  EXPECT_THAT(tiles({7}, kMuchWork), ElementsAre(7));
  EXPECT_THAT(tiles({32, 33, 64, 65, 128}, kMuchWork), ElementsAre(16));
}

TEST(FlatTileTest, RowsOfTilesShareVectors) {
  const DeviceChoices choices = VectorProfile().choices;
  const auto pixels_of = [&](int pixels, int rows) {
    TileWork work = kMuchWork;
    work.rows = rows;
    return ChooseFlatTile(pixels, 4 * rows, work, choices).pixels;
  };
  EXPECT_EQ(pixels_of(49, 1), 7);  // four tiles of 14 leave four lanes idle
  EXPECT_EQ(pixels_of(49, 2), 14);
  EXPECT_EQ(pixels_of(49, 32), 14);
}

// The cost is conv_strategies.cc's: turns of all lanes, of a tile's pixels and
// its weights, which are worth four.
int64_t CostOf(int pixels, int tile) {
  const int turns = DivideUp(DivideUp(pixels, tile), 8);
  return int64_t{turns} * (tile + 4);
}

int64_t MinCost(int pixels, int max) {
  int64_t min = CostOf(pixels, 1);
  for (int t = 2; t <= max; ++t) min = std::min(min, CostOf(pixels, t));
  return min;
}

TEST(FlatTileTest, SharingCostsAFifthAtMost) {
  const DeviceChoices choices = VectorProfile().choices;
  for (int pixels = 4; pixels <= 20000; ++pixels) {
    const int narrow = ChooseFlatTile(pixels, 4, kLittleWork, choices).pixels;
    ASSERT_LE(CostOf(pixels, narrow) * 5, MinCost(pixels, 8) * 6)
        << pixels << " pixels in tiles of " << narrow;
    const int wide = ChooseFlatTile(pixels, 4, kMuchWork, choices).pixels;
    ASSERT_LE(CostOf(pixels, wide) * 5, MinCost(pixels, 16) * 6)
        << pixels << " pixels in tiles of " << wide;
  }
}

TEST(FlatTileTest, SlicesAreEvenedOutOfHeavyConvolutionsAlone) {
  const DeviceChoices choices = VectorProfile().choices;
  constexpr TileWork kHeavyWork{int64_t{200} << 20, int64_t{200} << 20};
  EXPECT_EQ(ChooseFlatTile(1024, 6, kHeavyWork, choices).slices, 3);
  EXPECT_EQ(ChooseFlatTile(1024, 6, kLittleWork, choices).slices, 4);
  EXPECT_EQ(ChooseFlatTile(1024, 3, kLittleWork, choices).slices, 3);
}

TEST(FlatTileTest, LightConvolutionsPayTwiceTheirCost) {
  const DeviceChoices choices = VectorProfile().choices;
  EXPECT_EQ(ChooseFlatTile(25, 4, kLightWork, choices).pixels, 8);
  EXPECT_EQ(ChooseFlatTile(25, 4, kLittleWork, choices).pixels, 4);
  for (int pixels = 4; pixels <= 20000; ++pixels) {
    const int chosen = ChooseFlatTile(pixels, 4, kLightWork, choices).pixels;
    ASSERT_LE(CostOf(pixels, chosen), 2 * MinCost(pixels, 8)) << pixels;
  }
}

TEST(WorkGroupTest, OfVectorsFitsThemAndNotTheGrid) {
  const DeviceProfile profile = VectorProfile();
  using Size = std::array<int, 3>;
  std::set<Size> groups;
  for (int x : {1, 3, 8, 50, 1000}) {
    for (int y : {2, 3, 64}) {
      for (int z : {1, 5}) groups.insert(ChooseWorkGroup({x, y, z}, profile));
    }
  }
  EXPECT_THAT(groups, ElementsAre(Size{8, 4, 1}));
  EXPECT_EQ(ChooseWorkGroup({3, 1, 40}, profile), (Size{8, 1, 4}));
  EXPECT_EQ(ChooseWorkGroup({1000, 1, 1}, profile), (Size{32, 1, 1}));
}

TEST(WorkGroupTest, OfVectorsKeepsTheLimits) {
  DeviceProfile profile = VectorProfile();
  profile.limits.max_work_group_size = {16, 2, 2};
  for (const std::array<int, 3>& grid :
       {std::array<int, 3>{64, 64, 1}, {64, 1, 64}, {640, 1, 1}}) {
    const std::array<int, 3> group = ChooseWorkGroup(grid, profile);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_LE(group[axis], profile.limits.max_work_group_size[axis]);
      EXPECT_GE(group[axis], 1);
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing
