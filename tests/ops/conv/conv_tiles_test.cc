// labels: op llvmpipe softpipe
// How convolutions are planned for devices that run invocations abreast,
// whatever the device at hand: with their weights as literals, and dense rows
// by slices; and cases in which neither is allowed. tools/cases/windows.txt has
// models at every tile.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/dispatches.h"
#include "delegate/ops/op_list.h"
#include "tests/testing/device.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/run_pass.h"
#include "tools/op_models/random.h"

namespace gles_delegate::testing {
namespace {

std::vector<int> Dims(const BhwcShape& s) { return {s.b, s.h, s.w, s.c}; }

struct Case {
  BhwcShape src;
  BhwcShape filter;  // OHWI
  BhwcShape dst;
  Conv2dAttributes attributes;
};

Conv2dAttributes Stride(int stride) {
  Conv2dAttributes a;
  a.stride_h = a.stride_w = stride;
  return a;
}

// An image begins with it.
const Case kPlain = {{1, 97, 97, 3}, {8, 3, 3, 3}, {1, 48, 48, 8}, Stride(2)};

DeviceProfile Abreast() {
  DeviceProfile profile;
  profile.choices.simd_lanes = 8;
  profile.choices.unrolled_terms = 160;
  profile.limits.max_texture_size = 4096;
  return profile;
}

// The graph of one convolution; its weights are given.
struct OneConv {
  Graph graph;
  Node node;
};

OneConv Make(const Case& c, const std::vector<float>& filter,
             const std::vector<float>& bias) {
  OneConv one;
  one.node.attributes = c.attributes;
  one.node.inputs = {AddTensor(&one.graph, Dims(c.src)),
                     AddConstant(&one.graph, Dims(c.filter), filter),
                     AddConstant(&one.graph, {c.filter.b}, bias)};
  one.node.outputs = {AddTensor(&one.graph, Dims(c.dst))};
  return one;
}

std::string ShaderOf(OneConv one, const DeviceProfile& profile) {
  Planner planner(&one.graph, profile);
  const absl::Status status = PlanConvNode(one.node, &planner);
  EXPECT_TRUE(status.ok()) << status;
  return planner.dispatches().empty() ? "" : planner.dispatches()[0].shader;
}

std::string ShaderOf(const Case& c, const DeviceProfile& profile,
                     float first_weight = 1.0f) {
  std::vector<float> filter(c.filter.elements(), 1.0f);
  filter[0] = first_weight;
  return ShaderOf(Make(c, filter, std::vector<float>(c.filter.b)), profile);
}

TEST(ConvUnrolledTest, OnlyWhereItPaysAndMayBe) {
  EXPECT_EQ(ShaderOf(kPlain, Abreast()), "conv_unrolled");
  DeviceProfile never = Abreast();
  never.choices.unrolled_terms = 0;
  EXPECT_EQ(ShaderOf(kPlain, never), "conv_2d");
  Case few_pixels = kPlain;
  few_pixels.src.h = 85;
  few_pixels.dst.h = 42;
  EXPECT_EQ(ShaderOf(few_pixels, Abreast()), "conv_2d");
  Case many_terms = kPlain;  // 9 taps, 1 x 18 slices
  many_terms.filter.b = many_terms.dst.c = 72;
  EXPECT_EQ(ShaderOf(many_terms, Abreast()), "conv_2d");
  Case dilated = {{1, 50, 50, 3}, {8, 3, 3, 3}, {1, 46, 46, 8}, Stride(1)};
  dilated.attributes.dilation_w = dilated.attributes.dilation_h = 2;
  EXPECT_EQ(ShaderOf(dilated, Abreast()), "conv_2d");
  Case wide = {{1, 50, 56, 1}, {4, 1, 7, 1}, {1, 50, 50, 4}, Stride(1)};
  EXPECT_EQ(ShaderOf(wide, Abreast()), "conv_2d");
  Case grouped = kPlain;
  grouped.src.c = 6;
  grouped.attributes.groups = 2;
  EXPECT_EQ(ShaderOf(grouped, Abreast()), "conv_2d");
  // No literal says these.
  EXPECT_EQ(ShaderOf(kPlain, Abreast(), std::numeric_limits<float>::infinity()),
            "conv_2d");
  EXPECT_EQ(ShaderOf(kPlain, Abreast(), std::nanf("")), "conv_2d");
  OneConv runtime = Make(kPlain, std::vector<float>(kPlain.filter.elements()),
                         std::vector<float>(8));
  runtime.node.inputs[2] = AddTensor(&runtime.graph, {8});
  EXPECT_EQ(ShaderOf(std::move(runtime), Abreast()), "conv_2d");
}

// Each is a separate program: of many alike, some are.
TEST(ConvUnrolledTest, NotAllOfVeryMany) {
  OneConv many =
      Make(kPlain, std::vector<float>(kPlain.filter.elements(), 1.0f),
           std::vector<float>(kPlain.filter.b));
  Planner planner(&many.graph, Abreast());
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(PlanConvNode(many.node, &planner).ok());
  }
  const auto unrolled = std::count_if(
      planner.dispatches().begin(), planner.dispatches().end(),
      [](const Dispatch& d) { return d.shader == "conv_unrolled"; });
  EXPECT_GT(unrolled, 6);
  EXPECT_LT(unrolled, 50);
}

// Literals know of no functions of the input.
TEST(ConvUnrolledTest, NotWithAnInputStage) {
  const Case pointwise = {
      {1, 48, 49, 16}, {16, 1, 1, 16}, {1, 48, 49, 16}, Stride(1)};
  EXPECT_EQ(ShaderOf(pointwise, Abreast()), "conv_unrolled");
  OneConv scaled = Make(pointwise, std::vector<float>(16 * 16, 1.0f),
                        std::vector<float>(16));
  scaled.node.stages = {{{kInputStage, {{"clamp", {0, 6, 0, 0}}}}}};
  EXPECT_EQ(ShaderOf(std::move(scaled), Abreast()), "conv_1x1");
}

// A window as large as the input makes a matrix product.
TEST(WholeInputTest, IsADenseRow) {
  const Case whole = {{2, 3, 3, 8}, {72, 3, 3, 8}, {2, 1, 1, 72}, Stride(1)};
  EXPECT_EQ(ShaderOf(whole, Abreast()), "gemv_by_slices");
  Case few_slices = whole;
  few_slices.filter.b = few_slices.dst.c = 4;
  EXPECT_EQ(ShaderOf(few_slices, Abreast()), "gemv_by_lanes");
  EXPECT_EQ(ShaderOf(whole, DeviceProfile()), "conv_2d");
  Case padded = whole;  // as large, but not over it
  padded.attributes.pad_top = padded.attributes.pad_bottom = 1;
  padded.attributes.stride_h = 3;
  EXPECT_EQ(ShaderOf(padded, Abreast()), "conv_2d");
}

// TFLite's kernels crash on it, so beside a bias of zeros: of a convolution, a
// depthwise one, and of pairs of them that `pass` makes one.
TEST(NoBiasTest, IsABiasOfZeros) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto answer = [](const std::vector<const char*>& ops, const char* pass,
                         bool has_bias, const DeviceProfile& tuned) {
    Random random("no bias");
    Graph graph;
    graph.inputs = graph.outputs = {AddTensor(&graph, {2, 7, 8, 8})};
    for (const absl::string_view op : ops) {
      Node node;
      node.op = FindOpNamed(op);
      node.inputs = graph.outputs;
      if (op == "CONV_2D") {
        node.attributes = Conv2dAttributes();
        node.inputs.push_back(
            AddConstant(&graph, {8, 1, 1, 8}, random.Gaussian(64)));
      } else {
        DepthwiseConv2dAttributes window;
        window.pad_top = window.pad_left = 1;
        node.attributes = window;
        node.inputs.push_back(
            AddConstant(&graph, {1, 3, 3, 8}, random.Gaussian(72)));
      }
      // TFLite writes an absent input in both ways.
      if (has_bias) {
        node.inputs.push_back(AddConstant(&graph, {8}, std::vector<float>(8)));
      } else if (op == "CONV_2D") {
        node.inputs.push_back(kNoTensor);
      }
      node.outputs = {AddTensor(&graph, {2, 7, 8, 8})};
      graph.nodes.push_back(node);
      graph.outputs = node.outputs;
    }
    if (*pass != '\0') {
      RunPass(pass, &graph, tuned);
      EXPECT_EQ(graph.nodes.size(), 1u) << pass;
    }
    const auto got = RunGraph(
        graph, {Random("x").Gaussian(2 * 7 * 8 * 8)},
        [](DeviceProfile& profile) { profile.choices.split_k_target = 1; });
    EXPECT_TRUE(got.ok()) << got.status();
    return got.value_or(std::vector<float>());
  };
  DeviceProfile tuned = RoomyProfile();
  tuned.choices.split_k_target = 1;
  tuned.choices.fused_depthwise_work = tuned.choices.fused_plane_work = 1 << 20;
  tuned.limits.max_work_group_invocations = 1024;
  tuned.limits.max_work_group_size = {1024, 1024, 64};
  tuned.limits.max_shared_memory_bytes = 32 << 10;
  const char* const kConv = "CONV_2D";
  const char* const kDepthwise = "DEPTHWISE_CONV_2D";
  const std::pair<std::vector<const char*>, const char*> kModels[] = {
      {{kConv}, ""},
      {{kDepthwise}, ""},
      {{kDepthwise, kConv}, "fuse_depthwise"},
      {{kConv, kDepthwise}, "fuse_planes"}};
  for (const auto& [ops, pass] : kModels) {
    const auto without = answer(ops, pass, false, tuned);
    EXPECT_FALSE(without.empty());
    EXPECT_EQ(without, answer(ops, pass, true, tuned)) << pass;
  }
}

// Weights that other subgraphs have, too, lie in rows, not in blocks.
TEST(ConvSharedTest, WeightsInOtherSubgraphs) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const auto& [outputs, window] : {std::pair(5, 1), std::pair(19, 1),
                                        std::pair(67, 1), std::pair(19, 3)}) {
    for (int split_k_target : {1, 1 << 20}) {
      Random random("weights");
      const Case c = {{1, 5, 7, 70},
                      {outputs, window, window, 70},
                      {1, 6 - window, 8 - window, outputs},
                      Stride(1)};
      const auto filter = random.Gaussian(70 * window * window * outputs);
      const auto bias = random.Gaussian(outputs);
      const auto input = random.Gaussian(5 * 7 * 70);
      const auto answer = [&, split = split_k_target](bool in_others) {
        OneConv one = Make(c, filter, bias);
        one.graph.tensor(one.node.inputs[1])
            .constant.SetInOtherSubgraphs(in_others);
        const auto got = RunGraphOf(
            "CONV_2D", one.node, one.graph, {input}, [&](DeviceProfile& p) {
              p.choices.split_k_target = split;
              p.choices.conv_tile_pixels = p.choices.conv_tile_slices = 2;
            });
        EXPECT_TRUE(got.ok()) << got.status();
        return got.value_or(std::vector<float>());
      };
      EXPECT_EQ(answer(true), answer(false)) << outputs << ", " << window;
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing
