// labels: unit sanitize
// TuningParameters of the rows of boards, each in the plan of a node that it is
// for: with its default the plan is one, with the tuning parameter another.
#include <any>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "delegate/graph/custom_params.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/image/resize.h"
#include "delegate/ops/reduction/reduction.h"
#include "delegate/ops/reduction/rows.h"
#include "delegate/plan/planner.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

using ::testing::HasSubstr;

DeviceProfile ProfileOf(const DeviceChoices& choices) {
  DeviceProfile profile;
  profile.choices = choices;
  profile.limits.max_work_group_invocations = 1024;
  profile.limits.max_work_group_size = {1024, 1024, 64};
  // Of a detector's boxes and outputs.
  profile.limits.max_buffers = profile.limits.max_outputs = 8;
  profile.limits.max_images = 8;
  return profile;
}

// The value of the define in the dispatches of `shader`, each once, in order.
std::string DefineOf(absl::string_view shader, absl::string_view define,
                     Graph graph, const DeviceChoices& choices) {
  const auto dispatches = PlanGraph(&graph, ProfileOf(choices));
  if (!dispatches.ok()) return std::string(dispatches.status().message());
  std::string values;
  for (const Dispatch& d : *dispatches) {
    if (d.shader != shader) continue;
    for (const auto& [name, value] : d.defines) {
      if (name == define) values += values.empty() ? value : " " + value;
    }
  }
  return values.empty() ? "none" : values;
}

std::string PlanText(Graph graph, const DeviceChoices& choices) {
  const auto dispatches = PlanGraph(&graph, ProfileOf(choices));
  if (!dispatches.ok()) return std::string(dispatches.status().message());
  return PlanToString(graph, *dispatches);
}

Graph Of(GraphBuilder b, TensorId result) {
  b.graph.outputs = {result};
  return std::move(b.graph);
}

Graph SoftmaxOf(int channels) {
  GraphBuilder b;
  const TensorId x = b.Input({1, channels});
  const TensorId y = b.Node("SOFTMAX", {x}, {1, channels}, SoftmaxAttributes());
  return Of(std::move(b), y);
}

Graph Product(int rows) {
  GraphBuilder b;
  const TensorId x = b.Input({rows, 96});
  const TensorId y =
      b.Node("FULLY_CONNECTED", {x, b.Constant({512, 96})}, {rows, 512});
  return Of(std::move(b), y);
}

Graph Detector(int anchors) {
  GraphBuilder b;
  DetectionParams p;
  p.max = 10;
  p.iou_threshold = 0.5f;
  p.classes = 3;
  const std::vector<TensorId> inputs = {b.Input({1, anchors, 4}),
                                        b.Input({1, anchors, 3}),
                                        b.Constant({anchors, 4})};
  const TensorId boxes =
      b.Node("TFLite_Detection_PostProcess", inputs, {1, p.max, 4}, p);
  for (const std::vector<int>& dims :
       {std::vector<int>{1, p.max}, {1, p.max}, {1}}) {
    const TensorId more = b.Tensor(dims);
    b.graph.nodes[0].outputs.push_back(more);
  }
  return Of(std::move(b), boxes);
}

// A 1x1 convolution of 8x8 pixels with these functions of its result; one that
// has an operand reads a tensor of the output's shape.
Graph Pointwise(std::vector<PostOp> functions, bool integer_path) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 8, 8, 8});
  const TensorId other = b.Input({1, 8, 8, 8});
  for (PostOp& f : functions) {
    if (f.operand != kNoTensor) f.operand = other;
  }
  const TensorId y =
      b.Node("CONV_2D", {x, b.Constant({8, 1, 1, 8})}, {1, 8, 8, 8},
             Conv2dAttributes(), std::move(functions));
  b.graph.nodes[0].integer_path = integer_path;
  return Of(std::move(b), y);
}

Graph Depthwise(int kernel) {
  GraphBuilder b;
  const int to = 16 - kernel + 1;
  const TensorId x = b.Input({1, 16, 16, 8});
  const TensorId y =
      b.Node("DEPTHWISE_CONV_2D", {x, b.Constant({1, kernel, kernel, 8})},
             {1, to, to, 8}, DepthwiseConv2dAttributes());
  return Of(std::move(b), y);
}

TEST(TuningPlansTest, ReductionThreads) {
  const auto threads = [](absl::string_view shader, const Graph& graph,
                          int few_registers) {
    DeviceChoices choices;
    choices.few_registers = few_registers;
    return DefineOf(shader, "THREADS", graph, choices);
  };
  EXPECT_EQ(threads("softmax", SoftmaxOf(4096), 0), "128");
  EXPECT_EQ(threads("softmax", SoftmaxOf(4096), 1), "128");
  EXPECT_EQ(threads("softmax", SoftmaxOf(4096), 2), "64");
  EXPECT_EQ(threads("detection_select", Detector(2000), 0), "256");
  EXPECT_EQ(threads("detection_select", Detector(2000), 2), "64");
}

TEST(TuningPlansTest, SharePrograms) {
  const auto rolled = [](int share) {
    DeviceChoices choices;
    choices.share_programs = share;
    return DefineOf("depthwise_conv_2d_tiled", "ROLLED_OUTPUTS", Depthwise(3),
                    choices);
  };
  EXPECT_EQ(rolled(0), "none");
  EXPECT_EQ(rolled(1), "1");
}

TEST(TuningPlansTest, FewRegisters) {
  const auto rows = [](absl::string_view shader, int few, int lanes) {
    DeviceChoices choices;
    choices.few_registers = few;
    choices.simd_lanes = lanes;
    return DefineOf(shader, "TILE_ROWS", Product(4), choices);
  };
  EXPECT_EQ(rows("gemv_by_lanes", 0, 1), "4");
  EXPECT_EQ(rows("gemv_by_lanes", 1, 1), "2");
  EXPECT_EQ(rows("gemv_by_slices", 0, 8), "4");
  EXPECT_EQ(rows("gemv_by_slices", 1, 8), "2");
}

TEST(TuningPlansTest, LanesOfFewSums) {
  const auto lanes = [](int reduction_lanes, int split_k_target) {
    DeviceChoices choices;
    choices.reduction_lanes = reduction_lanes;
    choices.split_k_target = split_k_target;
    return DefineOf("gemv_by_lanes", "LANES", Product(4), choices);
  };
  EXPECT_EQ(lanes(2, 0), "2");  // of 128 sums of 24 texels
  EXPECT_EQ(lanes(2, 256), "2");
  EXPECT_EQ(lanes(2, 1024), "8");
  EXPECT_EQ(lanes(2, 1 << 20), "24");
  EXPECT_EQ(lanes(1, 1 << 20), "1");
}

// Invocations of a work group share a row, or all that becomes one element.
TEST(TuningPlansTest, WorkGroupSize) {
  const auto threads = [](absl::string_view op, absl::string_view shader,
                          std::any attributes, const std::vector<int>& to,
                          int size) {
    DeviceChoices choices;
    choices.work_group_size = size;
    GraphBuilder b;
    const TensorId x = b.Input({1, 2, 3, 1001});
    const TensorId y = b.Node(op, {x}, to, std::move(attributes));
    return DefineOf(shader, "THREADS", Of(std::move(b), y), choices);
  };
  const std::vector<int> same = {1, 2, 3, 1001};
  ReduceAttributes mean;
  mean.over = {false, false, false, true};
  for (const auto& [size, shared] :
       {std::pair<int, std::string>{16, "1"}, {64, "64"}}) {
    EXPECT_EQ(threads("SOFTMAX", "softmax", SoftmaxAttributes(), same, size),
              shared);
    EXPECT_EQ(threads("L2_NORMALIZATION", "l2_normalization", {}, same, size),
              shared);
    // 251 texels, of which each invocation takes four.
    EXPECT_EQ(threads("MEAN", "reduce", mean, {1, 2, 3, 1}, size),
              size == 64 ? "32" : "1");
  }
}

TEST(TuningPlansTest, HeldBoxes) {
  const auto held = [](int max) {
    DeviceChoices choices;
    choices.held_boxes = max;
    return DefineOf("detection_select", "HELD", Detector(2000), choices);
  };
  EXPECT_EQ(held(8), "8");  // of 256 invocations
  EXPECT_EQ(held(7), "0");
  EXPECT_EQ(held(0), "0");
  const auto texels = [](int max) {
    DeviceChoices choices;
    choices.held_boxes = max;
    return DefineOf("softmax", "HELD", SoftmaxOf(4096), choices);
  };
  EXPECT_EQ(texels(4), "8");  // of 128 invocations
  EXPECT_EQ(texels(3), "none");
}

TEST(TuningPlansTest, ResidualTilePixels) {
  PostOp add{"add_quantized"};
  add.operand = 0;
  PostOp table{"requantize"};
  table.operand = 0;
  table.operand_as = OperandAs::kTable;
  PostOp lookup{"lookup"};
  lookup.operand = 0;
  lookup.operand_as = OperandAs::kLookup;
  const auto pixels = [](std::vector<PostOp> functions, bool integer_path,
                         int max) {
    DeviceChoices choices;
    choices.residual_tile_pixels = max;
    return DefineOf("conv_1x1", "TILE_PIXELS",
                    Pointwise(std::move(functions), integer_path), choices);
  };
  EXPECT_EQ(pixels({table, add}, true, 16), "4");
  EXPECT_EQ(pixels({table, add}, true, 2), "2");
  EXPECT_EQ(pixels({table, add}, true, 1), "1");
  // No other tensor is read, or nothing is rescaled.
  EXPECT_EQ(pixels({table}, true, 1), "4");
  EXPECT_EQ(pixels({lookup}, true, 1), "4");
  EXPECT_EQ(pixels({{"clamp"}}, true, 1), "4");
  EXPECT_EQ(pixels({add}, false, 1), "4");
}

TEST(TuningPlansTest, DepthwiseByColumns) {
  const auto by_columns = [](int kernel, int tile_rows, int parameter) {
    DeviceChoices choices;
    choices.depthwise_tile_rows = tile_rows;
    choices.depthwise_by_columns = parameter;
    return DefineOf("depthwise_conv_2d_tiled", "BY_COLUMNS", Depthwise(kernel),
                    choices);
  };
  EXPECT_EQ(by_columns(5, 1, 0), "none");
  EXPECT_EQ(by_columns(5, 1, 1), "1");
  EXPECT_EQ(by_columns(3, 1, 1), "1");
  EXPECT_EQ(by_columns(3, 2, 1), "none");  // several rows are added at once
}

// Vectors read the planes of one batch as rows, where these lie in buffers.
TEST(TuningPlansTest, SimdLanesOfPlanes) {
  const auto flat = [](int lanes, gl_shaders::Storage storage, int batch) {
    GraphBuilder b;
    const TensorId x = b.Input({batch, 8, 8, 8});
    const TensorId y = b.Node("CONV_2D", {x, b.Constant({8, 1, 1, 8})},
                              {batch, 8, 8, 8}, Conv2dAttributes());
    DeviceChoices choices;
    choices.simd_lanes = lanes;
    choices.storage = storage;
    return DefineOf("conv_1x1", "FLAT", Of(std::move(b), y), choices);
  };
  using gl_shaders::Storage;
  EXPECT_EQ(flat(8, Storage::kBuffer, 1), "1");
  EXPECT_EQ(flat(8, Storage::kBuffer, 2), "none");
  EXPECT_EQ(flat(8, Storage::kTextureArray, 1), "none");
  EXPECT_EQ(flat(1, Storage::kBuffer, 1), "none");
}

// Their tiles follow one another over all slices, a vector in a work group.
TEST(TuningPlansTest, SimdLanesOfTiles) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 8, 9, 8});
  const TensorId y = b.Node("CONV_2D", {x, b.Constant({40, 1, 1, 8})},
                            {1, 8, 9, 40}, Conv2dAttributes());
  DeviceChoices choices;
  choices.simd_lanes = 8;
  choices.conv_tile_slices = 4;
  choices.storage = gl_shaders::Storage::kBuffer;
  const std::string plan = PlanText(Of(std::move(b), y), choices);
  EXPECT_THAT(plan, HasSubstr("-DTILE_PIXELS=8 -DTILE_SLICES=4 -DFLAT=1"));
  EXPECT_THAT(plan, HasSubstr("tiles=9 "));
  EXPECT_THAT(plan, HasSubstr("grid 27x1x1 group 8x1x1"));
}

// Vectors take a pixel's slices in a loop.
TEST(TuningPlansTest, SimdLanesOfResizing) {
  const auto slices = [](int lanes) {
    GraphBuilder b;
    const TensorId x = b.Input({1, 4, 4, 21});
    const TensorId y =
        b.Node("RESIZE_BILINEAR", {x}, {1, 9, 9, 21}, ResizeAttributes());
    DeviceChoices choices;
    choices.simd_lanes = lanes;
    return DefineOf("resize_bilinear", "ALL_SLICES", Of(std::move(b), y),
                    choices);
  };
  EXPECT_EQ(slices(1), "none");
  EXPECT_EQ(slices(8), "1");
}

}  // namespace
}  // namespace gles_delegate::testing
