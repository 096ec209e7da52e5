// labels: unit sanitize
// Which strategy the table gives each kind of convolution, on the rows of the
// tuning table that are shipped.
#include "delegate/ops/conv/conv_strategies.h"

#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "delegate/device/device_profile.h"
#include "delegate/ops/conv/conv_2d.h"
#include "gtest/gtest.h"
#include "tests/testing/fake_devices.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/h200_profile.h"

namespace gles_delegate::testing {
namespace {

// A row of the tuning table.
DeviceProfile RowOf(egl::DeviceKind kind) {
  egl::DeviceInfo device = LargeDevice();
  device.kind = kind;
  return ProfileFor(device, {});
}

// A node of the graph to plan, alone.
struct TestNode {
  const char* op;
  std::vector<int> input, filter, output;
  std::any attributes;
  bool runtime_weights = false;
};

int Windows(int size, int kernel, int stride, int pad) {
  return (size + 2 * pad - kernel) / stride + 1;
}

// CONV_2D of `size` x `size` pixels.
TestNode Conv(int size, int channels, int outputs, int kernel, int stride = 1,
              int pad = 0, int groups = 1) {
  Conv2dAttributes a;
  a.stride_h = a.stride_w = stride;
  a.pad_top = a.pad_left = a.pad_bottom = a.pad_right = pad;
  a.groups = groups;
  const int to = Windows(size, kernel, stride, pad);
  return {"CONV_2D",
          {1, size, size, channels},
          {outputs, kernel, kernel, channels / groups},
          {1, to, to, outputs},
          a};
}

TestNode Rows(std::vector<int> input, std::vector<int> filter,
              std::vector<int> output) {
  return {"FULLY_CONNECTED",
          std::move(input),
          std::move(filter),
          std::move(output),
          {}};
}

TestNode WithRuntimeWeights(TestNode node) {
  node.runtime_weights = true;
  return node;
}

// DEPTHWISE_CONV_2D of 16 x 16 pixels and 8 channels, 3 x 3.
TestNode Depthwise(int stride, int dilation, int multiplier) {
  DepthwiseConv2dAttributes a;
  a.stride_h = a.stride_w = stride;
  a.dilation_h = a.dilation_w = dilation;
  a.multiplier = multiplier;
  const int to = Windows(16, 2 * dilation + 1, stride, 0);
  const int outputs = 8 * multiplier;
  return {"DEPTHWISE_CONV_2D",
          {1, 16, 16, 8},
          {1, 3, 3, outputs},
          {1, to, to, outputs},
          a};
}

// Convolution2DTransposeBias of size x size pixels and 16 channels to one, with
// steps of 2.
TestNode Transposed(int size, int window) {
  TransposeConvAttributes a;
  a.stride_h = a.stride_w = 2;
  const int to = 2 * (size - 1) + window;
  return {"Convolution2DTransposeBias",
          {1, size, size, 16},
          {1, window, window, 16},
          {1, to, to, 1},
          a};
}

// A node, and the strategies that three rows give it.
struct Case {
  const char* what;
  TestNode node;
  const char* llvmpipe;
  const char* softpipe;
  const char* nvidia;
};

std::string Chosen(const TestNode& node, const DeviceProfile& profile) {
  GraphBuilder b;
  const TensorId x = b.Input(node.input);
  const TensorId filter =
      node.runtime_weights ? b.Input(node.filter) : b.Constant(node.filter);
  b.Node(node.op, {x, filter}, node.output, node.attributes);
  const auto conv = Convolution::Of(b.graph, b.graph.nodes[0]);
  if (!conv) return "no convolution";
  const Planner planner(&b.graph, profile);
  const ConvStrategy* strategy = ChooseConvStrategy(*conv, planner);
  return strategy == nullptr ? "none" : std::string(strategy->name);
}

std::vector<Case> Cases() {
  return {
      {"a stem of few channels", Conv(224, 3, 16, 3, 2, 1), "conv_unrolled",
       "conv_direct", "conv_shared"},
      {"many channels, 3x3", Conv(28, 64, 64, 3, 1, 1), "conv_winograd",
       "conv_direct", "conv_winograd"},
      {"the same, strided", Conv(28, 64, 64, 3, 2, 1), "conv_direct",
       "conv_direct", "conv_shared"},
      {"the same, of weights computed at run time",
       WithRuntimeWeights(Conv(28, 64, 64, 3, 1, 1)), "conv_direct",
       "conv_direct", "conv_split_k"},
      {"groups", Conv(28, 64, 64, 3, 1, 1, 4), "conv_direct", "conv_direct",
       "conv_direct"},
      {"pixels of many channels", Conv(14, 96, 96, 1), "conv_1x1", "conv_1x1",
       "conv_shared"},
      {"one pixel", Conv(1, 96, 96, 1), "gemv_by_slices", "gemv_by_lanes",
       "gemv_by_lanes"},
      {"the whole input", Conv(7, 32, 96, 7), "gemv_by_slices", "conv_direct",
       "conv_shared"},
      {"a matrix of many rows", Rows({16, 96}, {96, 96}, {16, 96}), "conv_1x1",
       "conv_1x1", "conv_shared"},
      {"a matrix of rows that are no pixels",
       Rows({1, 4, 4, 6}, {10, 8}, {12, 10}), "gemv_by_lanes", "gemv_by_lanes",
       "gemv_by_lanes"},
      {"depthwise", Depthwise(1, 1, 1), "depthwise_rows", "depthwise_tiled",
       "depthwise_tiled"},
      {"depthwise, dilated", Depthwise(1, 2, 1), "depthwise_rows",
       "depthwise_tiled", "depthwise_tiled"},
      {"depthwise, steps of three", Depthwise(3, 1, 1), "depthwise_tiled",
       "depthwise_tiled", "depthwise_tiled"},
      {"depthwise, strided and dilated", Depthwise(2, 2, 1), "depthwise_direct",
       "depthwise_direct", "depthwise_direct"},
      {"transposed, each output of one tap", Transposed(32, 2),
       "transpose_unrolled", "transpose_direct", "transpose_direct"},
      {"the same of few pixels", Transposed(16, 2), "transpose_direct",
       "transpose_direct", "transpose_direct"},
      {"the same of weights computed at run time",
       WithRuntimeWeights(Transposed(32, 2)), "transpose_direct",
       "transpose_direct", "transpose_direct"},
      {"transposed, windows that overlap", Transposed(32, 3),
       "transpose_direct", "transpose_direct", "transpose_direct"},
      {"depthwise, multiplied", Depthwise(1, 1, 2), "depthwise_direct",
       "depthwise_direct", "depthwise_direct"},
  };
}

TEST(ConvStrategiesTest, TheTableOnTheShippedRows) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(Chosen(c.node, RowOf(egl::DeviceKind::kLlvmpipe)), c.llvmpipe);
    EXPECT_EQ(Chosen(c.node, RowOf(egl::DeviceKind::kSoftpipe)), c.softpipe);
    EXPECT_EQ(Chosen(c.node, RowOf(egl::DeviceKind::kNvidia)), c.nvidia);
  }
}

// A row of the window is written out at least, or nothing is.
TEST(ConvStrategiesTest, DepthwiseRowsThatAreTooLongAreNotTiled) {
  DeviceProfile profile;
  profile.choices.depthwise_unrolled_taps = 3;
  EXPECT_EQ(Chosen(Depthwise(1, 1, 1), profile), "depthwise_tiled");
  profile.choices.depthwise_unrolled_taps = 2;
  EXPECT_EQ(Chosen(Depthwise(1, 1, 1), profile), "depthwise_direct");
}

// Which of a layer's dispatches multiply in 16 bits.
bool MultipliesHalves(const TestNode& test_node, const DeviceProfile& profile,
                      bool always_float32 = false) {
  GraphBuilder b;
  const TensorId x = b.Input(test_node.input);
  const TensorId filter = test_node.runtime_weights
                              ? b.Input(test_node.filter)
                              : b.Constant(test_node.filter);
  const TensorId y =
      b.Node(test_node.op, {x, filter}, test_node.output, test_node.attributes);
  b.graph.tensor(y).always_float32 = always_float32;
  Planner planner(&b.graph, profile);
  EXPECT_TRUE(PlanConvNode(b.graph.nodes[0], &planner).ok());
  bool multiplies = false;
  for (const Dispatch& d : planner.dispatches()) {
    multiplies = multiplies || d.half_arithmetic;
  }
  return multiplies;
}

TEST(ConvStrategiesTest, MultipliesHalvesWhereTensorsAreStoredInThem) {
  const TestNode many = Conv(14, 96, 96, 1);
  DeviceProfile nvidia = RowOf(egl::DeviceKind::kNvidia);
  EXPECT_FALSE(MultipliesHalves(many, nvidia)) << "32-bit storage";
  nvidia.options.half = true;
  EXPECT_TRUE(MultipliesHalves(many, nvidia));
  EXPECT_FALSE(MultipliesHalves(many, nvidia, /*always_float32=*/true));
  EXPECT_FALSE(MultipliesHalves(Conv(14, 32, 96, 1), nvidia))
      << "too few terms to gain by it";
  nvidia.choices.half_arithmetic = 0;
  EXPECT_FALSE(MultipliesHalves(many, nvidia));

  DeviceProfile llvmpipe = RowOf(egl::DeviceKind::kLlvmpipe);
  llvmpipe.options.half = true;
  EXPECT_FALSE(MultipliesHalves(many, llvmpipe)) << "its row does not gain";
  llvmpipe.choices.half_arithmetic = 1;
  EXPECT_TRUE(MultipliesHalves(many, llvmpipe));
}

std::set<std::string> ValuesOf(absl::string_view define,
                               const std::vector<Dispatch>& dispatches) {
  std::set<std::string> values;
  for (const Dispatch& d : dispatches) {
    for (const auto& [name, value] : d.defines) {
      if (name == define) values.insert(value);
    }
  }
  return values;
}

// Whether a layer's shader divides indices as integers.
bool DividesIntegers(const TestNode& node) {
  GraphBuilder b;
  const TensorId x = b.Input(node.input);
  b.Node(node.op, {x, b.Constant(node.filter)}, node.output, node.attributes);
  const auto dispatches = PlanGraph(&b.graph, RowOf(egl::DeviceKind::kNvidia));
  EXPECT_TRUE(dispatches.ok()) << dispatches.status();
  return !ValuesOf("LARGE_INDICES", *dispatches).empty();
}

TEST(ConvStrategiesTest, IntegersAreDividedWhereImagesAreHuge) {
  EXPECT_FALSE(DividesIntegers(Conv(1024, 3, 32, 3, 1, 1)));
  EXPECT_TRUE(DividesIntegers(Conv(1025, 3, 32, 3, 1, 1)));
}

// The TILE_PIXELS of `count` layers of 32x32 pixels and 32 MiB multiply-adds
// each; every second one has its own `functions`.
std::set<std::string> TilesOf(int count, const std::vector<PostOp>& functions) {
  GraphBuilder b;
  TensorId x = b.Input({1, 32, 32, 180});
  for (int i = 0; i < count; ++i) {
    x = b.Node("CONV_2D", {x, b.Constant({180, 1, 1, 180})}, {1, 32, 32, 180},
               Conv2dAttributes(),
               i % 2 == 0 ? std::vector<PostOp>{} : functions);
  }
  const auto dispatches =
      PlanGraph(&b.graph, RowOf(egl::DeviceKind::kLlvmpipe));
  EXPECT_TRUE(dispatches.ok()) << dispatches.status();
  return ValuesOf("TILE_PIXELS", *dispatches);
}

TEST(ConvStrategiesTest, WideTilesAreOfProgramsWithMuchWork) {
  const std::vector<PostOp> clamp = {{"clamp", {0, 6, 0, 0}}};
  EXPECT_EQ(TilesOf(4, {}), std::set<std::string>{"8"});
  EXPECT_EQ(TilesOf(5, {}), std::set<std::string>{"16"});
  EXPECT_EQ(TilesOf(8, clamp), std::set<std::string>{"8"})
      << "two programs, neither with enough";
  EXPECT_EQ(TilesOf(10, clamp), std::set<std::string>{"16"});
}

TEST(ConvStrategiesTest, NamesAreUnique) {
  std::set<std::string> names;
  for (const ConvStrategy* strategy : ConvStrategies()) {
    EXPECT_TRUE(names.insert(std::string(strategy->name)).second)
        << strategy->name;
  }
  EXPECT_EQ(names.size(), 14u);
}

// The refusal of the pair of a depthwise and a 1x1 convolution, when no
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

// The tile that one invocation of a depthwise convolution computes, by the
// device presets.

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

// How llvmpipe takes 3x3: "pixels abreast: invocations in groups of that many".
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

// How conv_shared.comp shares out sums on NVIDIA's row: few outputs are spread
// over many work groups.

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
  EXPECT_EQ(TextOf({/*pixels=*/361, /*slices=*/72, /*terms=*/96}),
            "2x2 texels by 8x4 cells, 8 lanes, 23x9 groups");
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

// ViT's: five times 40 pixels leave three. Unless they are in 16 bits, or the
// last round would be half empty.
TEST(ConvSharedTilingTest, FewFullRoundsLeaveFewPixels) {
  SharedWork work = {/*pixels=*/197, /*slices=*/192, /*terms=*/768};
  EXPECT_EQ(TextOf(work), "5x2 texels by 8x4 cells, 8 lanes, 5x24 groups");
  work = {/*pixels=*/197, /*slices=*/768, /*terms=*/192};
  EXPECT_EQ(TextOf(work), "5x2 texels by 8x8 cells, 4 lanes, 5x48 groups");
  work = {/*pixels=*/197, /*slices=*/576, /*terms=*/192};
  EXPECT_EQ(TextOf(work), "5x2 texels by 8x4 cells, 8 lanes, 5x72 groups");
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

// No taps coincide, and products of such dilations wrap.
TEST(DepthwiseTest, DilationsPastTheImage) {
  constexpr int kMax = std::numeric_limits<int>::max();
  const auto planned = [](int width, int channels, int dilation,
                          egl::DeviceKind kind) {
    GraphBuilder b;
    const TensorId x = b.Input({1, 1, width, channels});
    DepthwiseConv2dAttributes a;
    a.dilation_h = a.dilation_w = dilation;
    b.graph.outputs = {
        b.Node("DEPTHWISE_CONV_2D",
               {x, b.Constant({1, 1, 1, channels}), b.Constant({channels})},
               {1, 1, width, channels}, a)};
    return PlanGraph(&b.graph, RowOf(kind)).status();
  };
  for (auto kind : {egl::DeviceKind::kLlvmpipe, egl::DeviceKind::kNvidia}) {
    for (int dilation : {1 << 30, kMax}) {
      EXPECT_TRUE(planned(1, 64, dilation, kind).ok());
      EXPECT_TRUE(planned(1, 12, dilation, kind).ok());
      EXPECT_EQ(planned(kMax, 1, dilation, kind).code(),
                absl::StatusCode::kResourceExhausted);
    }
  }
}

}  // namespace

}  // namespace gles_delegate::testing
