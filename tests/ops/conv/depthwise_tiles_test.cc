// labels: unit sanitize
// The tile that one invocation of a depthwise convolution computes, by the
// device presets.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "delegate/device/device_profile.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "gtest/gtest.h"
#include "tests/testing/fake_devices.h"
#include "tests/testing/graph_builder.h"

namespace gles_delegate::testing {
namespace {

// The dispatch of a convolution of `height` x `width` outputs, without padding.
Dispatch Depthwise(int height, int width, int channels, int kernel,
                   egl::DeviceKind kind) {
  GraphBuilder b;
  const TensorId x =
      b.Input({1, height + kernel - 1, width + kernel - 1, channels});
  b.Node("DEPTHWISE_CONV_2D", {x, b.Constant({1, kernel, kernel, channels})},
         {1, height, width, channels}, DepthwiseConv2dAttributes());
  egl::DeviceInfo device = LargeDevice();
  device.kind = kind;
  Planner planner(&b.graph, ProfileFor(device, {}));
  EXPECT_TRUE(PlanConvNode(b.graph.nodes[0], &planner).ok());
  EXPECT_EQ(planner.dispatches().size(), 1u);
  return planner.dispatches().front();
}

std::string ValueOf(absl::string_view define, const Dispatch& dispatch) {
  for (const auto& [name, value] : dispatch.defines) {
    if (name == define) return value;
  }
  return "none";
}

// "pixels x rows".
std::string Tile(int size, int kernel) {
  const Dispatch d =
      Depthwise(size, size, 8, kernel, egl::DeviceKind::kSoftpipe);
  return absl::StrCat(ValueOf("TILE_PIXELS", d), " x ",
                      ValueOf("TILE_ROWS", d));
}

TEST(DepthwiseTilesTest, TilesOfAnImageAreAlike) {
  EXPECT_EQ(Tile(6, 3), "3 x 2");
  EXPECT_EQ(Tile(64, 5), "4 x 2");
}

// How llvmpipe takes 3x3: "pixels abreast: invocations in groups of so many".
std::string Strips(int height, int width, int channels) {
  const Dispatch d =
      Depthwise(height, width, channels, 3, egl::DeviceKind::kLlvmpipe);
  return absl::StrCat(ValueOf("TILE_PIXELS", d), ": ",
                      absl::StrJoin(d.grid, "x"), " in groups of ",
                      absl::StrJoin(d.work_group, "x"));
}

// Invocations are tiles of a row times strips times slices.
TEST(DepthwiseTilesTest, VectorsShareStrips) {
  EXPECT_EQ(Strips(112, 112, 32), "4: 224x1x1 in groups of 8x1x1")
      << "one strip, as 16 vectors have columns of their own: 28 x 1 x 8";
  EXPECT_EQ(Strips(112, 112, 8), "4: 168x1x1 in groups of 8x1x1")
      << "28 x 3 x 2";
  EXPECT_EQ(Strips(14, 14, 8), "4: 16x1x1 in groups of 8x1x1")
      << "no strip is shorter than 7 rows: 4 x 2 x 2";
  EXPECT_EQ(Strips(7, 6, 4), "4: 2x1x1 in groups of 8x1x1");
  EXPECT_EQ(Strips(3, 3, 4), "3: 1x1x1 in groups of 8x1x1");
}

}  // namespace
}  // namespace gles_delegate::testing
