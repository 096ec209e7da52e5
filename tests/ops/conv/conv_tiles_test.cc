// labels: op llvmpipe softpipe
// The convolutions at every register tile and reduction width that a device's
// profile may ask for, with what no TFLite 2.9 kernel runs (groups) and no
// converter writes (uneven padding, as a pass makes it), against the
// definition.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/stages.h"
#include "gmock/gmock.h"
#include "quant/half.h"
#include "tests/testing/device.h"
#include "tests/testing/device_test.h"
#include "tests/testing/naive_conv.h"
#include "tests/testing/run_graph.h"
#include "tools/op_models/random.h"

namespace gles_delegate::testing {
namespace {

struct Profile {
  int pixels;
  int slices;
  int lanes;
  int split_k_target = 0;
  bool half = false;  // stored and multiplied in 16 bits
};

constexpr Profile kProfiles[] = {{1, 1, 1}, {1, 1, 32}, {2, 3, 4}, {4, 2, 16},
                                 {3, 4, 2}, {8, 1, 64}, {8, 4, 8}};

// Sums shared by few lanes and tiles as large as there are; by many lanes.
constexpr Profile kSharedProfiles[] = {{2, 2, 4, 1}, {2, 1, 4, 1 << 20}};
// Sums of 16-bit products: of one invocation each, and shared.
constexpr Profile kHalfProfiles[] = {
    {4, 2, 16, 0, true}, {2, 2, 4, 1, true}, {2, 1, 4, 1 << 20, true}};

HostTensor RandomTensor(Random* random, const BhwcShape& shape) {
  return {shape, random->Gaussian(shape.elements())};
}

std::vector<int> Dims(const BhwcShape& s) { return {s.b, s.h, s.w, s.c}; }

enum class Weights { kConstant, kInOtherSubgraphs, kRuntime };

class ConvTilesTest : public DeviceTestWithParam<Profile> {
 protected:
  // Runs the op under this test's profile, with the weights as constants, also
  // such as other subgraphs have, and as inputs of the graph. A bias of zeros
  // is left out.
  void Check(absl::string_view op, const std::any& attributes,
             const HostTensor& src, const std::vector<int>& filter_dims,
             const HostTensor& filter, const std::vector<float>& bias,
             const BhwcShape& dst, const NaiveResult& want) {
    for (Weights weights :
         {Weights::kConstant, Weights::kInOtherSubgraphs, Weights::kRuntime}) {
      SCOPED_TRACE(static_cast<int>(weights));
      CheckWeights(weights, op, attributes, src, filter_dims, filter, bias, dst,
                   want);
    }
  }

  void CheckWeights(Weights weights, absl::string_view op, std::any attributes,
                    const HostTensor& src, const std::vector<int>& filter_dims,
                    const HostTensor& filter, const std::vector<float>& bias,
                    const BhwcShape& dst, const NaiveResult& want) {
    Graph graph;
    Node node;
    node.attributes = std::move(attributes);
    std::vector<std::vector<float>> inputs = {src.values};
    const auto add = [&](const std::vector<int>& dims,
                         const std::vector<float>& values) {
      if (weights != Weights::kRuntime) {
        const TensorId id = AddConstant(&graph, dims, values);
        graph.tensor(id).constant.SetInOtherSubgraphs(
            weights == Weights::kInOtherSubgraphs);
        return id;
      }
      inputs.push_back(values);
      return AddTensor(&graph, dims);
    };
    const bool with_bias = bias != std::vector<float>(bias.size());
    node.inputs = {AddTensor(&graph, Dims(src.shape))};
    node.inputs.push_back(add(filter_dims, filter.values));
    // TFLite writes an absent input in both ways.
    if (with_bias) {
      node.inputs.push_back(add({static_cast<int>(bias.size())}, bias));
    } else if (GetParam().slices > 1) {
      node.inputs.push_back(kNoTensor);
    }
    node.outputs = {AddTensor(&graph, Dims(dst))};
    const auto got =
        RunGraphOf(op, std::move(node), std::move(graph), inputs,
                   [](DeviceProfile& profile) {
                     profile.choices.conv_tile_pixels = GetParam().pixels;
                     profile.choices.conv_tile_slices = GetParam().slices;
                     profile.choices.reduction_lanes = GetParam().lanes;
                     profile.choices.split_k_target = GetParam().split_k_target;
                     profile.options.half = GetParam().half;
                     profile.choices.half_arithmetic = GetParam().half ? 1 : 0;
                   });
    ASSERT_TRUE(got.ok()) << got.status();
    ASSERT_EQ(got->size(), want.values.size());
    const auto terms =
        static_cast<double>(filter.values.size()) / filter_dims[0];
    for (size_t i = 0; i < got->size(); ++i) {
      // n roundings of the sum of magnitudes, each way; n < 1000 terms here.
      double bound = 0x1p-24 * 200 * want.magnitudes[i];
      if (GetParam().half) {  // single_op.h has these
        bound += 17 * 0x1p-10 * want.magnitudes[i] + terms * 0x1p-14 +
                 0x1p-10 * std::fabs(want.values[i]) + 0x1p-24;
      }
      ASSERT_NEAR((*got)[i], want.values[i], bound) << op << " element " << i;
    }
  }

  void CheckConv(const BhwcShape& src_shape, const BhwcShape& filter_shape,
                 const Conv2dAttributes& a, const BhwcShape& dst) {
    Random random("conv");
    HostTensor src = RandomTensor(&random, src_shape);
    HostTensor filter = RandomTensor(&random, filter_shape);
    std::vector<float> bias = random.Gaussian(filter_shape.b);
    if (GetParam().half) {
      for (auto* values : {&src.values, &filter.values, &bias}) {
        for (float& v : *values) v = RoundToHalf(v);
      }
    }
    Check("CONV_2D", a, src, Dims(filter_shape), filter, bias, dst,
          NaiveConv({src, filter, bias}, a, dst));
  }

  void CheckRows(const BhwcShape& src_shape, int outputs, int k) {
    Random random("rows");
    const int rows = static_cast<int>(src_shape.elements()) / k;
    const HostTensor src = RandomTensor(&random, src_shape);
    const HostTensor weights = RandomTensor(&random, {outputs, 1, 1, k});
    const std::vector<float> bias = random.Gaussian(outputs);
    const BhwcShape dst = {rows, 1, 1, outputs};
    const HostTensor matrix = {{rows, 1, 1, k}, src.values};
    Check("FULLY_CONNECTED", {}, src, {outputs, k}, weights, bias, dst,
          NaiveConv({matrix, weights, bias}, {}, dst));
  }
};

TEST_P(ConvTilesTest, Pointwise) {
  CheckConv({1, 3, 7, 5}, {22, 1, 1, 5}, {}, {1, 3, 7, 22});
  CheckConv({3, 5, 2, 9}, {7, 1, 1, 9}, {}, {3, 5, 2, 7});
}

TEST_P(ConvTilesTest, UnevenPadding) {
  Conv2dAttributes a;
  a.pad_top = 2;
  a.pad_left = 0;
  a.pad_bottom = 0;
  a.pad_right = 3;
  a.stride_w = 2;
  CheckConv({3, 6, 9, 5}, {13, 3, 4, 5}, a, {3, 6, 5, 13});
}

// Padding around a 1x1 window makes pixels of bias alone.
TEST_P(ConvTilesTest, PaddedPointwise) {
  Conv2dAttributes a;
  a.pad_top = a.pad_left = a.pad_bottom = a.pad_right = 1;
  CheckConv({1, 4, 5, 6}, {5, 1, 1, 6}, a, {1, 6, 7, 5});
}

// The same on one side only: the shapes show it when the padding before does
// not.
TEST_P(ConvTilesTest, PointwisePaddedBehindOrBefore) {
  for (int bottom : {0, 2}) {
    for (int right : {0, 3}) {
      for (bool before : {false, true}) {
        Conv2dAttributes a;
        (before ? a.pad_top : a.pad_bottom) = bottom;
        (before ? a.pad_left : a.pad_right) = right;
        CheckConv({2, 4, 5, 38}, {5, 1, 1, 38}, a,
                  {2, 4 + bottom, 5 + right, 5});
      }
    }
  }
}

TEST_P(ConvTilesTest, Groups) {
  const auto groups = [this](int channels, int outputs, int groups) {
    SCOPED_TRACE(::testing::Message()
                 << groups << " groups of " << channels << " to " << outputs);
    Conv2dAttributes a;
    a.groups = groups;
    a.pad_top = a.pad_left = a.pad_bottom = a.pad_right = 1;
    CheckConv({1, 4, 5, channels}, {outputs, 3, 3, channels / groups}, a,
              {1, 4, 5, outputs});
  };
  groups(16, 24, 2);  // whole slices
  groups(16, 80, 4);  // 5 slices each, which few tiles divide
  groups(6, 9, 3);    // within slices
  groups(5, 5, 5);
  // 1x1, which no matrix product may take.
  Conv2dAttributes pointwise;
  pointwise.groups = 2;
  CheckConv({3, 4, 5, 8}, {12, 1, 1, 4}, pointwise, {3, 4, 5, 12});
  CheckConv({1, 4, 5, 6}, {4, 1, 1, 3}, pointwise, {1, 4, 5, 4});
}

TEST_P(ConvTilesTest, Depthwise) {
  for (int multiplier : {1, 3}) {
    for (int stride : {1, 2}) {
      for (int dilation : {1, 2}) {
        Random random("depthwise");
        DepthwiseConv2dAttributes a;
        a.multiplier = multiplier;
        a.stride_h = a.stride_w = stride;
        a.dilation_h = a.dilation_w = dilation;
        a.pad_top = 2;
        a.pad_left = 1;
        const HostTensor src = RandomTensor(&random, {3, 9, 11, 5});
        const HostTensor filter =
            RandomTensor(&random, {1, 3, 3, 5 * multiplier});
        const std::vector<float> bias = random.Gaussian(5 * multiplier);
        const int extent = 2 * dilation + 1;
        const BhwcShape dst = {3, (9 + 2 - extent) / stride + 1,
                               (11 + 1 - extent) / stride + 1, 5 * multiplier};
        Check("DEPTHWISE_CONV_2D", a, src, Dims(filter.shape), filter, bias,
              dst, NaiveDepthwise({src, filter, bias}, a, dst));
      }
    }
  }
}

TEST_P(ConvTilesTest, NoBias) {
  Random random("no bias");
  const std::vector<float> none(6);
  const HostTensor src = RandomTensor(&random, {1, 4, 5, 6});
  const HostTensor filter = RandomTensor(&random, {6, 2, 2, 6});
  const BhwcShape dst = {1, 3, 4, 6};
  Check("CONV_2D", Conv2dAttributes(), src, Dims(filter.shape), filter, none,
        dst, NaiveConv({src, filter, none}, {}, dst));
  const HostTensor window = RandomTensor(&random, {1, 2, 2, 6});
  Check("DEPTHWISE_CONV_2D", DepthwiseConv2dAttributes(), src,
        Dims(window.shape), window, none, dst,
        NaiveDepthwise({src, window, none}, {}, dst));
  const HostTensor weights = RandomTensor(&random, {6, 1, 1, 120});
  const HostTensor row = {{1, 1, 1, 120}, src.values};
  Check("FULLY_CONNECTED", {}, src, {6, 120}, weights, none, {1, 1, 1, 6},
        NaiveConv({row, weights, none}, {}, {1, 1, 1, 6}));
}

TEST_P(ConvTilesTest, TransposeConv) {
  for (int stride : {1, 2, 3}) {
    Random random("transpose");
    TransposeConvAttributes a;
    a.stride_h = a.stride_w = stride;
    a.pad_top = 1;
    const HostTensor src = RandomTensor(&random, {3, 3, 5, 5});
    const HostTensor filter = RandomTensor(&random, {17, 3, 2, 5});
    const std::vector<float> bias = random.Gaussian(17);
    const BhwcShape dst = {3, 2 * stride + 2, 4 * stride + 2, 17};
    Check("Convolution2DTransposeBias", a, src, Dims(filter.shape), filter,
          bias, dst, NaiveTransposeConv({src, filter, bias}, a, dst));
  }
}

TEST_P(ConvTilesTest, Rows) {
  CheckRows({1, 1, 1, 300}, 10, 300);
  CheckRows({3, 1, 1, 37}, 9, 37);
  CheckRows({19, 1, 1, 5}, 6, 5);  // many rows: tiled over pixels
  CheckRows({3, 2, 3, 5}, 9, 30);  // a batch item a row
  CheckRows({1, 6, 4, 3}, 9, 12);  // four pixels a row
  CheckRows({1, 2, 9, 5}, 7, 18);  // rows begin inside pixels
}

class SharedTilesTest : public ConvTilesTest {};

// Of each number of slices that shared tiles are shaped by, and of sums that
// end within a chunk.
TEST_P(SharedTilesTest, MatchesDefinition) {
  for (int outputs : {1, 5, 12, 19, 33, 67, 130}) {
    SCOPED_TRACE(outputs);
    CheckConv({1, 5, 7, 70}, {outputs, 1, 1, 70}, {}, {1, 5, 7, outputs});
    CheckConv({3, 3, 5, 3}, {outputs, 1, 1, 3}, {}, {3, 3, 5, outputs});
  }
  Conv2dAttributes a;
  a.pad_top = a.pad_left = 1;
  a.stride_h = a.stride_w = a.dilation_w = 2;
  CheckConv({2, 6, 9, 6}, {21, 3, 3, 6}, a, {2, 3, 3, 21});
}

class HalfTilesTest : public ConvTilesTest {};

TEST_P(HalfTilesTest, MatchesDefinition) {
  for (int outputs : {5, 19, 67, 130}) {
    SCOPED_TRACE(outputs);
    // Sums that end within a chunk, and in whole chunks.
    for (int channels : {64, 70, 128}) {
      CheckConv({1, 5, 7, channels}, {outputs, 1, 1, channels}, {},
                {1, 5, 7, outputs});
    }
    CheckConv({3, 3, 5, 3}, {outputs, 1, 1, 3}, {}, {3, 3, 5, outputs});
  }
  Conv2dAttributes a;
  a.pad_top = a.pad_left = 1;
  a.stride_h = a.stride_w = a.dilation_w = 2;
  CheckConv({2, 6, 9, 6}, {21, 3, 3, 6}, a, {2, 3, 3, 21});
}

std::string Name(const ::testing::TestParamInfo<Profile>& info) {
  const Profile& p = info.param;
  return std::string(p.half ? "Half" : "") + "Pixels" +
         std::to_string(p.pixels) + "Slices" + std::to_string(p.slices) +
         "Lanes" + std::to_string(p.lanes) + "Target" +
         std::to_string(p.split_k_target);
}

INSTANTIATE_TEST_SUITE_P(Profiles, ConvTilesTest,
                         ::testing::ValuesIn(kProfiles), Name);
INSTANTIATE_TEST_SUITE_P(Split, ConvTilesTest,
                         ::testing::ValuesIn(kSharedProfiles), Name);
INSTANTIATE_TEST_SUITE_P(Profiles, SharedTilesTest,
                         ::testing::ValuesIn(kSharedProfiles), Name);
INSTANTIATE_TEST_SUITE_P(Profiles, HalfTilesTest,
                         ::testing::ValuesIn(kHalfProfiles), Name);

// Plans for devices that run invocations abreast, whatever the device
// at hand: convolutions with their weights as literals, and dense rows by
// slices; and cases in which neither is allowed.

struct Case {
  BhwcShape src;
  BhwcShape filter;  // OHWI
  BhwcShape dst;
  Conv2dAttributes attributes;
};

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

// 1x1 convolutions as devices that run invocations abreast compute them, whose
// tiles follow one another over all slices: whatever of the last tile, slice or
// vector there is, with another tensor added, against the definition.

using gl_shaders::Storage;

struct Tile {
  Storage storage;
  int pixels;
  int slices;
};

// A convolution of `src` to `channels`, plus another tensor.
void ExpectSumMatches(const BhwcShape& src, int channels, const Tile& tile) {
  SCOPED_TRACE(src.ToString());
  Random random("tiles in a row");
  const BhwcShape dst = {src.b, src.h, src.w, channels};
  const HostTensor x = {src, random.Gaussian(src.elements())};
  const HostTensor filter = {{channels, 1, 1, src.c},
                             random.Gaussian(channels * src.c)};
  const std::vector<float> bias = random.Gaussian(channels);
  const std::vector<float> added = random.Gaussian(dst.elements());
  Graph graph;
  graph.inputs = {AddTensor(&graph, Dims(src)), AddTensor(&graph, Dims(dst))};
  Node node;
  node.op = FindOpNamed("CONV_2D");
  node.attributes = Conv2dAttributes();
  node.inputs = {graph.inputs[0],
                 AddConstant(&graph, Dims(filter.shape), filter.values),
                 AddConstant(&graph, {channels}, bias)};
  node.outputs = {AddTensor(&graph, Dims(dst))};
  node.post_ops = {{"add"}};
  node.post_ops[0].operand = graph.inputs[1];
  graph.nodes = {node};
  graph.outputs = node.outputs;
  const auto got =
      RunGraph(graph, {x.values, added}, [&](DeviceProfile& profile) {
        profile.choices.simd_lanes = 8;
        profile.choices.unrolled_terms = 0;
        profile.choices.storage = tile.storage;
        profile.choices.conv_tile_pixels = tile.pixels;
        profile.choices.conv_tile_slices = tile.slices;
      });
  ASSERT_TRUE(got.ok()) << got.status();
  NaiveResult want = NaiveConv({x, filter, bias}, Conv2dAttributes(), dst);
  for (size_t i = 0; i < added.size(); ++i) {
    want.values[i] += added[i];
    want.magnitudes[i] += std::abs(added[i]);
  }
  ExpectWithinRoundings(*got, want);
}

TEST(Conv1x1Test, TilesOfAllSlicesAreOneRow) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const Tile& tile :
       {Tile{Storage::kBuffer, 4, 4}, Tile{Storage::kTexelBuffer, 3, 2},
        Tile{Storage::kTextureArray, 4, 2}}) {
    SCOPED_TRACE(static_cast<int>(tile.storage));
    ExpectSumMatches({1, 7, 7, 16}, 96, tile);
    ExpectSumMatches({1, 5, 9, 7}, 22, tile);
    ExpectSumMatches({1, 12, 11, 5}, 3, tile);
    ExpectSumMatches({3, 6, 5, 9}, 35, tile);
  }
}

}  // namespace

}  // namespace gles_delegate::testing
