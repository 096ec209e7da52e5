// labels: unit delegate
// How the sizes of register tiles and work groups are chosen for a device whose
// invocations run abreast: each size is a program, and layers share programs.
#include "delegate/ops/conv/conv_tile.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <set>

#include "delegate/plan/planner.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gles_delegate::testing {
namespace {

using ::testing::ElementsAre;

DeviceProfile VectorProfile() {
  DeviceProfile profile;
  profile.choices.simd_lanes = 8;
  profile.choices.work_group_size = 32;
  profile.choices.conv_tile_pixels = 4;
  profile.choices.conv_tile_slices = 4;
  return profile;
}

TEST(FlatTileTest, ImagesOfOneNetworkShareATile) {
  const DeviceChoices choices = VectorProfile().choices;
  const auto tiles = [&](std::initializer_list<int> sides) {
    std::set<int> pixels;
    for (int side : sides) {
      pixels.insert(ChooseFlatTile(side * side, 4, choices).pixels);
    }
    return pixels;
  };
  EXPECT_THAT(tiles({14, 28, 56, 112}), ElementsAre(14));
  EXPECT_THAT(tiles({7}), ElementsAre(7));
  EXPECT_THAT(tiles({32, 64, 128}), ElementsAre(16));
  EXPECT_THAT(tiles({33, 65, 129}), ElementsAre(16));
}

// The cost is conv_tile.cc's: turns of all lanes, of a tile's pixels and its
// weights, which are worth four.
TEST(FlatTileTest, SharingCostsATwelfthAtMost) {
  const DeviceChoices choices = VectorProfile().choices;
  const auto cost = [](int pixels, int tile) {
    const int turns = DivideUp(DivideUp(pixels, tile), 8);
    return int64_t{turns} * (tile + 4);
  };
  for (int pixels = 4; pixels <= 20000; ++pixels) {
    int64_t least = cost(pixels, 1);
    for (int t = 2; t <= 16; ++t) least = std::min(least, cost(pixels, t));
    const int chosen = ChooseFlatTile(pixels, 4, choices).pixels;
    ASSERT_LE(cost(pixels, chosen) * 12, least * 13)
        << pixels << " pixels in tiles of " << chosen;
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
