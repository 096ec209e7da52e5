// labels: unit sanitize
// A small network's whole plan as text, for two devices made up here: what any
// change of an op, a pass or the planner does to it shows as a difference.
// Where a change is meant, the new text is in the test's failure.
#include <string>
#include <utility>
#include <vector>

#include "delegate/graph/builtin_params.h"
#include "delegate/graph/op.h"
#include "delegate/ops/op_list.h"
#include "delegate/passes/passes.h"
#include "delegate/plan/memory_plan.h"
#include "delegate/plan/planner.h"
#include "tests/testing/fake_node.h"
#include "tests/testing/matchers.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_pass.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::Shape;
using ::gles_delegate::gl_shaders::Format;
using ::gles_delegate::gl_shaders::ReadBy;
using ::gles_delegate::gl_shaders::Storage;

// Adds nodes as the reader does: by each op's own parser.
class Network {
 public:
  TensorId Add(Tensor tensor) {
    tensor.name = "t" + std::to_string(graph.tensors.size());
    return graph.AddTensor(std::move(tensor));
  }
  TensorId Input(std::vector<int> dims) {
    graph.inputs.push_back(Add(FakeTensor(std::move(dims))));
    return graph.inputs.back();
  }
  TensorId Constant(std::vector<int> dims) {
    return Add(FakeConstant(std::move(dims)));
  }

  TensorId Node(absl::string_view name, std::vector<TensorId> inputs,
                std::vector<int> output, const void* params) {
    gles_delegate::Node node;
    node.op = FindOpNamed(name);
    EXPECT_NE(node.op, nullptr) << name;
    node.tflite_index = static_cast<int>(graph.nodes.size());
    node.inputs = std::move(inputs);
    node.outputs = {Add(FakeTensor(std::move(output)))};
    NodeView view;
    view.builtin_code = node.op->builtin_code;
    view.builtin_params = params;
    for (TensorId id : node.inputs) view.inputs.push_back(&graph.tensor(id));
    view.outputs = {&graph.tensor(node.outputs[0])};
    auto parsed = ParseOp(*node.op, view);
    EXPECT_TRUE(parsed.ok()) << name << ": " << parsed.status();
    if (!parsed.ok()) return node.outputs[0];
    node.attributes = std::move(parsed->attributes);
    node.post_ops = std::move(parsed->post_ops);
    for (PostOp& post : node.post_ops) {
      if (post.operand != kNoTensor) post.operand = node.inputs[post.operand];
    }
    graph.nodes.push_back(std::move(node));
    return graph.nodes.back().outputs[0];
  }

  Graph graph;
};

// A stem, a residual block, a head: 8x8x3 to ten probabilities.
Graph SmallNetwork() {
  Network net;
  ConvParams conv = {kPaddingSame, 2, 2, kActRelu6, 1, 1};
  DepthwiseConvParams depthwise = {kPaddingSame, 1, 1, 1, kActNone, 1, 1};
  ConvParams pointwise = {kPaddingSame, 1, 1, kActNone, 1, 1};
  AddParams add = {kActRelu, false};
  PoolParams pool = {kPaddingValid, 4, 4, 4, 4, kActNone};
  FullyConnectedParams full = {};
  SoftmaxParams softmax = {1.0f};

  const TensorId x = net.Input({1, 8, 8, 3});
  const TensorId stem =
      net.Node("CONV_2D", {x, net.Constant({8, 3, 3, 3}), net.Constant({8})},
               {1, 4, 4, 8}, &conv);
  const TensorId spread =
      net.Node("DEPTHWISE_CONV_2D",
               {stem, net.Constant({1, 3, 3, 8}), net.Constant({8})},
               {1, 4, 4, 8}, &depthwise);
  const TensorId mixed = net.Node(
      "CONV_2D", {spread, net.Constant({8, 1, 1, 8}), net.Constant({8})},
      {1, 4, 4, 8}, &pointwise);
  const TensorId sum = net.Node("ADD", {mixed, stem}, {1, 4, 4, 8}, &add);
  const TensorId pooled =
      net.Node("AVERAGE_POOL_2D", {sum}, {1, 1, 1, 8}, &pool);
  const TensorId scores = net.Node(
      "FULLY_CONNECTED", {pooled, net.Constant({10, 8}), net.Constant({10})},
      {1, 10}, &full);
  net.graph.outputs = {net.Node("SOFTMAX", {scores}, {1, 10}, &softmax)};
  return std::move(net.graph);
}

struct Planned {
  std::string text;
  MemoryPlan memory;
};

Planned Plan(const DeviceProfile& profile) {
  Graph graph = SmallNetwork();
  const absl::Status passed = RunPasses(&graph, profile);
  EXPECT_TRUE(passed.ok()) << passed;
  const auto dispatches = PlanGraph(&graph, profile);
  EXPECT_TRUE(dispatches.ok()) << dispatches.status();
  if (!dispatches.ok()) return {};
  return {PlanToString(graph, *dispatches),
          PlanMemory(graph, *dispatches, graph.inputs, graph.outputs, profile)};
}

// 2-D images, a wide register tile: a software driver's way.
DeviceProfile Tiled() {
  DeviceProfile profile;
  profile.choices.storage = Storage::kTexture2d;
  profile.choices.read_by = ReadBy::kImage;
  profile.choices.constants = Storage::kTexture2d;
  profile.choices.work_group_size = 8;
  profile.choices.conv_tile_pixels = 4;
  profile.choices.conv_tile_slices = 2;
  return profile;
}

// Texture arrays, one texel an invocation, sums shared by many: a GPU's way.
DeviceProfile Parallel() {
  DeviceProfile profile;
  profile.choices.storage = Storage::kTextureArray;
  profile.choices.read_by = ReadBy::kFetch;
  profile.options.half = true;
  profile.choices.work_group_size = 64;
  profile.choices.conv_tile_pixels = 1;
  profile.choices.conv_tile_slices = 1;
  return profile;
}

// The whole plan, of which the profiles below plan but the two dense
// convolutions differently.
std::string PlanWith(const std::string& stem, const std::string& mixing) {
  return absl::StrCat("t0 1x8x8x3\nt3 1x4x4x8\n", stem, R"(
t6 1x4x4x8
DEPTHWISE_CONV_2D 1: depthwise_conv_2d_tiled -DTILE_PIXELS=4 -DTILE_ROWS=1 -DKERNEL_W=3 -DKERNEL_H=3 -DSTRIDE_W=1 -DSTRIDE_H=1 src<-t3 dst->t6 weights[10x2] {step_pad=(1,1,1,1) reciprocals=(1,1,1,0) tiles_x=1} grid 4x2x1 group 4x2x1
t10 1x4x4x8
)",
                      mixing, R"(
t11 1x1x1x8
AVERAGE_POOL_2D 4: reduce -DMEAN=1 -DCOMBINE=a + b -DIDENTITY=0 -DTHREADS=1 src<-t10 dst->t11 {window=(4,4,1,1) stride=(4,4,1,1) before=(0,0,0,0)} grid 1x1x2 group 1x1x2
t14 1x1x1x10
FULLY_CONNECTED 5: gemv_by_lanes -DPIXELS=1 -DLANES=2 -DAT_ONCE=2 -DTILE_ROWS=1 src<-t11 dst->t14 weights[9x3] {row_shape=(1,2,1,8)} grid 2x3x1 group 2x1x1
t15 1x1x1x10
SOFTMAX 6: softmax -DTHREADS=1 src<-t14 dst->t15 {beta=1} grid 1x1x1 group 1x1x1
)");
}

TEST(PlanGoldenTest, Tiled) {
  EXPECT_EQ(
      Plan(Tiled()).text,
      PlanWith(
          "CONV_2D 0: conv_2d -DTILE_PIXELS=4 -DTILE_SLICES=2 src<-t0 dst->t3 "
          "weights[5x18] {stride_pad=(2,2,0,0) window=(3,3,1,1) "
          "group=(1,2,1,0)} |clamp(0,6) grid 4x1x1 group 4x1x1",
          "CONV_2D 2: conv_1x1 -DTILE_PIXELS=4 -DTILE_SLICES=2 src<-t6 "
          "dst->t10 weights[9x2] |add(t3) |clamp(0,inf) grid 4x1x1 group "
          "4x1x1"));
}

TEST(PlanGoldenTest, Parallel) {
  EXPECT_EQ(
      Plan(Parallel()).text,
      PlanWith(
          "CONV_2D 0: conv_2d -DTILE_PIXELS=1 -DTILE_SLICES=1 src<-t0 dst->t3 "
          "weights[5x18] {stride_pad=(2,2,0,0) window=(3,3,1,1) "
          "group=(1,2,4,0)} |clamp(0,6) grid 16x2x1 group 16x2x1",
          "CONV_2D 2: conv_1x1 -DTILE_PIXELS=1 -DTILE_SLICES=1 src<-t6 "
          "dst->t10 weights[9x2] |add(t3) |clamp(0,inf) grid 16x2x1 group "
          "16x2x1"));
}

TEST(PlanGoldenTest, PlanningIsRepeatable) {
  EXPECT_EQ(Plan(Tiled()).text, Plan(Tiled()).text);
  EXPECT_NE(Plan(Tiled()).text, Plan(Parallel()).text);
}

// By hand, in texels (16 bytes, or 8 of 16-bit floats): x 64, stem, spread and
// mixed 32 each, pooled 2, scores and the result 3 each: 168. The residual
// keeps stem, spread and mixed alive together. A 2-D texture holds spread where
// x was (64 + 32 + 32), and what follows in what is free by then. Of an array
// the layers count too: x has one, so spread and mixed get textures of their
// own, as do scores and the result, whose three layers none has; pooled fits
// where stem was.
TEST(PlanGoldenTest, TensorsShareMemory) {
  const MemoryPlan tiled = Plan(Tiled()).memory;
  EXPECT_EQ(tiled.bytes_unshared, 16 * (64 + 3 * 32 + 2 + 3 + 3));
  EXPECT_EQ(tiled.bytes_shared, 16 * (64 + 32 + 32));
  const MemoryPlan parallel = Plan(Parallel()).memory;
  EXPECT_EQ(parallel.bytes_unshared, 8 * (64 + 3 * 32 + 2 + 3 + 3));
  EXPECT_EQ(parallel.bytes_shared, 8 * (64 + 3 * 32 + 3 + 3));
}

// --- Limits -----------------------------------------------------------------

TEST(StorageForTest, FallsThroughToWhatFits) {
  DeviceProfile profile;
  profile.choices.storage = Storage::kTextureArray;
  profile.limits.max_texture_size = 64;
  profile.limits.max_texture_layers = 4;
  profile.limits.max_buffer_bytes = 1 << 20;
  const auto storage = [&](Shape shape) {
    const auto s = StorageFor(
        shape, profile.options.half ? Format::kRgba16f : Format::kRgba32f,
        profile);
    EXPECT_TRUE(s.ok()) << s.status();
    return s.value_or(Storage::kBuffer);
  };
  EXPECT_EQ(storage({1, 64, 64, 16}), Storage::kTextureArray);
  // A fifth layer: 5 x 12 rows fit a 2-D texture, 5 x 13 do not.
  EXPECT_EQ(storage({1, 12, 64, 17}), Storage::kTexture2d);
  EXPECT_EQ(storage({1, 13, 64, 17}), Storage::kBuffer);
  EXPECT_EQ(storage({5, 12, 64, 4}), Storage::kTexture2d);
  EXPECT_EQ(storage({1, 1, 65, 4}), Storage::kBuffer);
  profile.choices.storage = Storage::kBuffer;
  EXPECT_EQ(storage({1, 64, 64, 16}), Storage::kBuffer);
  profile.limits.max_buffer_bytes = 64 * 64 * 4 * 16 - 1;
  EXPECT_EQ(storage({1, 64, 64, 16}), Storage::kTextureArray);
  profile.options.half = true;  // half the bytes
  EXPECT_EQ(storage({1, 64, 64, 16}), Storage::kBuffer);
  profile.choices.storage = Storage::kTexelBuffer;
  EXPECT_EQ(storage({1, 64, 64, 16}), Storage::kTextureArray);  // none there
  profile.limits.max_texel_buffer_texels = 64 * 64 * 4;
  EXPECT_EQ(storage({1, 64, 64, 16}), Storage::kTexelBuffer);
  EXPECT_EQ(storage({1, 12, 64, 17}), Storage::kTexelBuffer);
  profile.limits.max_texel_buffer_texels = 12 * 64 * 5 - 1;
  EXPECT_EQ(storage({1, 12, 64, 17}), Storage::kTexture2d);
}

TEST(StorageForTest, WhatFitsNowhereIsRefusedWithTheLimits) {
  DeviceProfile profile;
  profile.limits.max_texture_size = 64;
  profile.limits.max_buffer_bytes = 1000;
  const auto storage = StorageFor({1, 1, 65, 4}, Format::kRgba32f, profile);
  EXPECT_EQ(storage.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(storage.status().message()), HasSubstr("1x1x65x4"));
  EXPECT_THAT(std::string(storage.status().message()), HasSubstr("1000 bytes"));
  // Sizes whose product no int holds.
  EXPECT_FALSE(
      StorageFor({1, 1 << 15, 1 << 15, 1 << 12}, Format::kRgba32f, profile)
          .ok());
}

TEST(PlanLimitsTest, ARefusalNamesNodeShapesAndRule) {
  DeviceProfile profile;
  profile.limits.max_texture_size = 2;
  profile.limits.max_buffer_bytes = 64;
  Graph graph = SmallNetwork();
  const auto dispatches = PlanGraph(&graph, profile);
  ASSERT_FALSE(dispatches.ok());
  const std::string message(dispatches.status().message());
  EXPECT_THAT(message, HasSubstr("CONV_2D (node 0;"));
  EXPECT_THAT(message, HasSubstr("float32[1,8,8,3]"));
  EXPECT_THAT(message, HasSubstr("fits no storage"));

  Graph composite = SmallNetwork();
  composite.composites[0] = "odml.name";
  EXPECT_THAT(std::string(PlanGraph(&composite, profile).status().message()),
              HasSubstr("CONV_2D (node 0 of odml.name;"));
}

TEST(PlanLimitsTest, WorkGroupsKeepToTheLimits) {
  DeviceProfile profile;
  profile.choices.work_group_size = 1024;
  profile.limits.max_work_group_invocations = 128;
  profile.limits.max_work_group_size = {16, 8, 4};
  for (const std::array<int, 3>& grid : {std::array<int, 3>{1000, 1000, 1000},
                                         {1, 1000, 1},
                                         {1, 1, 1000},
                                         {1000, 1, 1},
                                         {1, 1, 1},
                                         {3, 5, 7}}) {
    const std::array<int, 3> group = ChooseWorkGroup(grid, profile);
    EXPECT_LE(group[0] * group[1] * group[2], 128);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_GE(group[axis], 1);
      EXPECT_LE(group[axis], profile.limits.max_work_group_size[axis]);
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing
