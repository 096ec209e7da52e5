// labels: op llvmpipe softpipe
// Plans for devices that run invocations abreast, whatever the device
// at hand: convolutions with their weights as literals, and dense rows by
// slices; and cases in which neither is allowed.
#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/all_ops.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/stages.h"
#include "gmock/gmock.h"
#include "tests/testing/device.h"
#include "tests/testing/naive_conv.h"
#include "tests/testing/run_graph.h"
#include "tools/op_models/random.h"

namespace gles_delegate::testing {
namespace {

struct Case {
  BhwcShape src;
  BhwcShape filter;  // OHWI
  BhwcShape dst;
  Conv2dAttributes attributes;
};

std::vector<int> Dims(const BhwcShape& s) { return {s.b, s.h, s.w, s.c}; }

Conv2dAttributes Stride(int stride, int pad_top = 0, int pad_left = 0) {
  Conv2dAttributes a;
  a.stride_h = a.stride_w = stride;
  a.pad_top = pad_top;
  a.pad_left = pad_left;
  return a;
}

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
  const absl::Status status = PlanConv2d(one.node, &planner);
  EXPECT_TRUE(status.ok()) << status;
  return planner.dispatches().empty() ? "" : planner.dispatches()[0].shader;
}

std::string ShaderOf(const Case& c, const DeviceProfile& profile,
                     float first_weight = 1.0f) {
  std::vector<float> filter(c.filter.elements(), 1.0f);
  filter[0] = first_weight;
  return ShaderOf(Make(c, filter, std::vector<float>(c.filter.b)), profile);
}

// 3x3 of stride 2 as images begin with; 5x5, and 4x2; pointwise, with every
// tail of channels; several batches.
std::vector<Case> Unrolled() {
  return {
      {{1, 97, 97, 3}, {8, 3, 3, 3}, {1, 48, 48, 8}, Stride(2)},
      {{1, 96, 96, 3}, {5, 3, 3, 3}, {1, 48, 48, 5}, Stride(2, 0, 0)},
      {{1, 50, 47, 3}, {22, 5, 5, 3}, {1, 50, 47, 22}, Stride(1, 2, 2)},
      {{3, 30, 31, 6}, {3, 4, 2, 6}, {3, 30, 31, 3}, Stride(1, 1, 1)},
      {{1, 48, 49, 1}, {4, 1, 1, 1}, {1, 48, 49, 4}, Stride(1)},
      {{1, 48, 49, 17}, {19, 1, 1, 17}, {1, 48, 49, 19}, Stride(1)},
      {{2, 33, 33, 32}, {30, 1, 1, 32}, {2, 33, 33, 30}, Stride(1)},
  };
}

// On the device at hand, made to plan by `set`. The bound: 200 roundings of the
// sum of the terms' magnitudes.
void ExpectMatchesTheDefinition(
    const Case& c, const std::function<void(DeviceProfile&)>& set) {
  Random random("unrolled");
  const HostTensor src = {c.src, random.Gaussian(c.src.elements())};
  const HostTensor filter = {c.filter, random.Gaussian(c.filter.elements())};
  const std::vector<float> bias = random.Gaussian(c.filter.b);
  OneConv one = Make(c, filter.values, bias);
  const auto got = RunGraphOf("CONV_2D", std::move(one.node),
                              std::move(one.graph), {src.values}, set);
  ASSERT_TRUE(got.ok()) << got.status();
  const NaiveResult want = NaiveConv({src, filter, bias}, c.attributes, c.dst);
  ASSERT_EQ(got->size(), want.values.size());
  for (size_t i = 0; i < got->size(); ++i) {
    ASSERT_NEAR((*got)[i], want.values[i], 0x1p-24 * 200 * want.magnitudes[i])
        << "element " << i;
  }
}

TEST(ConvUnrolledTest, MatchesTheDefinition) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const Case& c : Unrolled()) {
    SCOPED_TRACE(c.filter.ToString());
    ASSERT_EQ(ShaderOf(c, Abreast()), "conv_unrolled");
    ExpectMatchesTheDefinition(c, [](DeviceProfile& profile) {
      profile.choices.unrolled_terms = 160;
      profile.choices.split_k_target = 0;
    });
  }
}

TEST(ConvUnrolledTest, OnlyWhereItPaysAndMayBe) {
  const Case plain = Unrolled()[0];
  EXPECT_EQ(ShaderOf(plain, Abreast()), "conv_unrolled");
  DeviceProfile never = Abreast();
  never.choices.unrolled_terms = 0;
  EXPECT_EQ(ShaderOf(plain, never), "conv_2d");
  Case few_pixels = plain;
  few_pixels.src.h = 85;
  few_pixels.dst.h = 42;
  EXPECT_EQ(ShaderOf(few_pixels, Abreast()), "conv_2d");
  Case many_terms = plain;  // 9 taps, 1 x 18 slices
  many_terms.filter.b = many_terms.dst.c = 72;
  EXPECT_EQ(ShaderOf(many_terms, Abreast()), "conv_2d");
  Case dilated = {{1, 50, 50, 3}, {8, 3, 3, 3}, {1, 46, 46, 8}, Stride(1)};
  dilated.attributes.dilation_w = dilated.attributes.dilation_h = 2;
  EXPECT_EQ(ShaderOf(dilated, Abreast()), "conv_2d");
  Case wide = {{1, 50, 56, 1}, {4, 1, 7, 1}, {1, 50, 50, 4}, Stride(1)};
  EXPECT_EQ(ShaderOf(wide, Abreast()), "conv_2d");
  Case grouped = plain;
  grouped.src.c = 6;
  grouped.attributes.groups = 2;
  EXPECT_EQ(ShaderOf(grouped, Abreast()), "conv_2d");
  // No literal says these.
  EXPECT_EQ(ShaderOf(plain, Abreast(), std::numeric_limits<float>::infinity()),
            "conv_2d");
  EXPECT_EQ(ShaderOf(plain, Abreast(), std::nanf("")), "conv_2d");
  OneConv runtime = Make(plain, std::vector<float>(plain.filter.elements()),
                         std::vector<float>(8));
  runtime.node.inputs[2] = AddTensor(&runtime.graph, {8});
  EXPECT_EQ(ShaderOf(std::move(runtime), Abreast()), "conv_2d");
}

// Each is a separate program: of many alike, some are.
TEST(ConvUnrolledTest, NotAllOfVeryMany) {
  const Case c = Unrolled()[0];
  OneConv many = Make(c, std::vector<float>(c.filter.elements(), 1.0f),
                      std::vector<float>(c.filter.b));
  Planner planner(&many.graph, Abreast());
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(PlanConv2d(many.node, &planner).ok());
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
  scaled.node.stages = {{kInputStage, {{"clamp", {0, 6, 0, 0}}}}};
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

TEST(WholeInputTest, MatchesTheDefinition) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int batch : {1, 5}) {
    ExpectMatchesTheDefinition(
        {{batch, 3, 2, 7}, {70, 3, 2, 7}, {batch, 1, 1, 70}, Stride(1)},
        [](DeviceProfile& profile) {
          profile.choices.simd_lanes = 8;
          profile.choices.split_k_target = 0;
        });
  }
}

}  // namespace
}  // namespace gles_delegate::testing
