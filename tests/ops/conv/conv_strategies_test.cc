// labels: unit sanitize
// Which strategy the table gives each kind of convolution, on the rows of the
// tuning table that are shipped.
#include "delegate/ops/conv/conv_strategies.h"

#include <set>
#include <string>
#include <vector>

#include "delegate/device/device_profile.h"
#include "delegate/ops/conv/depthwise_conv_2d.h"
#include "delegate/ops/conv/transpose_conv.h"
#include "gtest/gtest.h"
#include "tests/testing/graph_builder.h"

namespace gles_delegate::testing {
namespace {

// A row of the tuning table, on a device of more than OpenGL ES 3.1's minima.
DeviceProfile RowOf(egl::DeviceKind kind) {
  egl::DeviceInfo device;
  device.kind = kind;
  device.max_texture_size = 16384;
  device.max_array_texture_layers = 2048;
  device.max_texel_buffer_texels = 1 << 27;
  device.max_ssbo_bytes = int64_t{1} << 31;
  device.max_compute_images = device.max_image_units = 8;
  device.max_compute_ssbos = device.max_compute_textures = 16;
  device.max_combined_shader_outputs = 24;
  device.max_work_group_invocations = 1024;
  device.max_work_group_size = {1024, 1024, 64};
  device.max_work_group_count = {65535, 65535, 65535};
  device.max_uniform_block_bytes = 65536;
  device.max_shared_memory_bytes = 49152;
  return ProfileFor(device, {});
}

// One node, and what the three rows make of it.
struct Case {
  const char* what;
  const char* op;
  std::vector<int> input, filter, output;
  std::any attributes;
  const char* llvmpipe;
  const char* softpipe;
  const char* nvidia;
  bool runtime_weights = false;
};

Conv2dAttributes Window(int stride, int pad = 0, int groups = 1) {
  Conv2dAttributes a;
  a.stride_h = a.stride_w = stride;
  a.pad_top = a.pad_left = a.pad_bottom = a.pad_right = pad;
  a.groups = groups;
  return a;
}

DepthwiseConv2dAttributes Depthwise(int stride, int dilation, int multiplier) {
  DepthwiseConv2dAttributes a;
  a.stride_h = a.stride_w = stride;
  a.dilation_h = a.dilation_w = dilation;
  a.multiplier = multiplier;
  return a;
}

std::string Chosen(const Case& c, const DeviceProfile& profile) {
  GraphBuilder b;
  const TensorId x = b.Input(c.input);
  const TensorId filter =
      c.runtime_weights ? b.Input(c.filter) : b.Constant(c.filter);
  b.Node(c.op, {x, filter}, c.output, c.attributes);
  const auto conv = Convolution::Of(b.graph, b.graph.nodes[0]);
  if (!conv) return "no convolution";
  const Planner planner(&b.graph, profile);
  const ConvStrategy* strategy = ChooseConvStrategy(*conv, planner);
  return strategy == nullptr ? "none" : std::string(strategy->name);
}

std::vector<Case> Cases() {
  return {
      {"a stem of few channels",
       "CONV_2D",
       {1, 224, 224, 3},
       {16, 3, 3, 3},
       {1, 112, 112, 16},
       Window(2, 1),
       "conv_unrolled",
       "conv_direct",
       "conv_shared"},
      {"many channels, 3x3",
       "CONV_2D",
       {1, 28, 28, 64},
       {64, 3, 3, 64},
       {1, 28, 28, 64},
       Window(1, 1),
       "conv_winograd",
       "conv_direct",
       "conv_winograd"},
      {"the same, strided",
       "CONV_2D",
       {1, 28, 28, 64},
       {64, 3, 3, 64},
       {1, 14, 14, 64},
       Window(2, 1),
       "conv_direct",
       "conv_direct",
       "conv_shared"},
      {"the same, of weights computed at run time",
       "CONV_2D",
       {1, 28, 28, 64},
       {64, 3, 3, 64},
       {1, 28, 28, 64},
       Window(1, 1),
       "conv_direct",
       "conv_direct",
       "conv_split",
       /*runtime_weights=*/true},
      {"groups",
       "CONV_2D",
       {1, 28, 28, 64},
       {64, 3, 3, 16},
       {1, 28, 28, 64},
       Window(1, 1, 4),
       "conv_direct",
       "conv_direct",
       "conv_direct"},
      {"pixels of many channels",
       "CONV_2D",
       {1, 14, 14, 96},
       {96, 1, 1, 96},
       {1, 14, 14, 96},
       Window(1),
       "conv_1x1",
       "conv_1x1",
       "conv_shared"},
      {"one pixel",
       "CONV_2D",
       {1, 1, 1, 96},
       {96, 1, 1, 96},
       {1, 1, 1, 96},
       Window(1),
       "rows_by_slices",
       "rows_by_lanes",
       "rows_by_lanes"},
      {"the whole input",
       "CONV_2D",
       {1, 7, 7, 32},
       {96, 7, 7, 32},
       {1, 1, 1, 96},
       Window(1),
       "rows_by_slices",
       "conv_direct",
       "conv_shared"},
      {"a matrix of many rows",
       "FULLY_CONNECTED",
       {16, 96},
       {96, 96},
       {16, 96},
       {},
       "conv_1x1",
       "conv_1x1",
       "conv_shared"},
      {"a matrix of rows that are no pixels",
       "FULLY_CONNECTED",
       {1, 4, 4, 6},
       {10, 8},
       {12, 10},
       {},
       "rows_by_lanes",
       "rows_by_lanes",
       "rows_by_lanes"},
      {"depthwise",
       "DEPTHWISE_CONV_2D",
       {1, 16, 16, 8},
       {1, 3, 3, 8},
       {1, 14, 14, 8},
       Depthwise(1, 1, 1),
       "depthwise_tiled",
       "depthwise_tiled",
       "depthwise_tiled"},
      {"depthwise, strided and dilated",
       "DEPTHWISE_CONV_2D",
       {1, 16, 16, 8},
       {1, 3, 3, 8},
       {1, 6, 6, 8},
       Depthwise(2, 2, 1),
       "depthwise_direct",
       "depthwise_direct",
       "depthwise_direct"},
      {"depthwise, multiplied",
       "DEPTHWISE_CONV_2D",
       {1, 16, 16, 8},
       {1, 3, 3, 16},
       {1, 14, 14, 16},
       Depthwise(1, 1, 2),
       "depthwise_direct",
       "depthwise_direct",
       "depthwise_direct"},
  };
}

TEST(ConvStrategiesTest, TheTableOnTheShippedRows) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(Chosen(c, RowOf(egl::DeviceKind::kLlvmpipe)), c.llvmpipe);
    EXPECT_EQ(Chosen(c, RowOf(egl::DeviceKind::kSoftpipe)), c.softpipe);
    EXPECT_EQ(Chosen(c, RowOf(egl::DeviceKind::kNvidia)), c.nvidia);
  }
}

TEST(ConvStrategiesTest, NamesAreUnique) {
  std::set<std::string> names;
  for (const ConvStrategy* strategy : ConvStrategies()) {
    EXPECT_TRUE(names.insert(std::string(strategy->name)).second)
        << strategy->name;
  }
  EXPECT_EQ(names.size(), 11u);
}

// What the pair of a depthwise and a 1x1 convolution is refused with, where no
// other strategy can take it.
TEST(ConvStrategiesTest, WhatNoStrategyTakesIsRefused) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 8, 8, 8});
  b.Conv(x);
  auto conv = Convolution::Of(b.graph, b.graph.nodes[0]);
  ASSERT_TRUE(conv.has_value());
  conv->kind = Convolution::Kind::kDepthwisePointwise;
  Planner planner(&b.graph, RowOf(egl::DeviceKind::kSoftpipe));
  EXPECT_EQ(ChooseConvStrategy(*conv, planner), nullptr);
  EXPECT_EQ(PlanConvolution(*conv, &planner).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(planner.dispatches().empty());
}

}  // namespace
}  // namespace gles_delegate::testing
