// labels: unit
// Which 3x3 convolutions are planned by Winograd's F(4x4, 3x3), and how; rows
// of tools/cases/windows.txt run them.
#include <string>
#include <vector>

#include "delegate/ops/conv/conv_strategies.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

DeviceProfile Profile() {
  DeviceProfile profile;
  profile.choices.winograd_min_channels = 16;
  return profile;
}

// One 3x3 convolution, changed by the test.
struct Candidate {
  std::vector<int> input = {1, 8, 8, 16};
  std::vector<int> filter = {16, 3, 3, 16};
  std::vector<int> output = {1, 8, 8, 16};
  Conv2dAttributes attributes = {{1, 1, 1, 1, 1, 1, 1, 1}, /*groups=*/1};
  bool runtime_weights = false;
  bool runtime_bias = false;
  bool integer_path = false;
  DataType quantized = DataType::kOther;
};

std::vector<Dispatch> PlanOf(const Candidate& c, const DeviceProfile& profile) {
  GraphBuilder b;
  const TensorId src = b.Input(c.input);
  const TensorId weights =
      c.runtime_weights ? b.Input(c.filter) : b.Constant(c.filter);
  const std::vector<int> channels = {c.filter[0]};
  const TensorId bias =
      c.runtime_bias ? b.Input(channels) : b.Constant(channels);
  b.Node("CONV_2D", {src, weights, bias}, c.output, c.attributes,
         {{"clamp", {0, 6, 0, 0}}});
  b.graph.nodes[0].integer_path = c.integer_path;
  b.graph.tensor(src).quantized = c.quantized;
  auto dispatches = PlanGraph(&b.graph, profile);
  EXPECT_TRUE(dispatches.ok()) << dispatches.status();
  return dispatches.ok() ? *std::move(dispatches) : std::vector<Dispatch>();
}

std::vector<std::string> Shaders(const Candidate& c,
                                 const DeviceProfile& profile = Profile()) {
  std::vector<std::string> names;
  for (const Dispatch& d : PlanOf(c, profile)) names.push_back(d.shader);
  return names;
}

TEST(ConvWinogradPlanTest, IsThreeDispatches) {
  const auto plan = PlanOf({}, Profile());
  ASSERT_THAT(plan, SizeIs(3));
  EXPECT_EQ(plan[0].ToString(),
            "winograd_input -DLANES=1 src<-t0 planes->t4 {tiles=(2,2,0,0) "
            "pad=(1,1)} grid 4x4x1 group 4x4x1");
  EXPECT_EQ(plan[1].ToString(),
            "conv_1x1 -DPRODUCTS=1 -DTILE_PIXELS=4 -DTILE_SLICES=1 src<-t4 "
            "dst->t5 weights[17x144] grid 36x4x1 group 16x4x1");
  EXPECT_EQ(plan[2].ToString(),
            "winograd_output -DLANES=1 planes<-t5 dst->t3 bias[4x1] "
            "{tiles=(2,2,0,0)} |clamp(0,6) grid 4x4x1 group 4x4x1");
}

TEST(ConvWinogradPlanTest, BandsShareTheirWeights) {
  DeviceProfile profile = Profile();
  profile.choices.winograd_band_bytes = 1;
  Candidate large;
  large.input = large.output = {2, 32, 8, 16};
  const auto plan = PlanOf(large, profile);
  ASSERT_THAT(plan, SizeIs(12));  // 32 tiles, eight a band
  for (size_t i = 0; i < plan.size(); ++i) {
    if (i < 3) continue;
    EXPECT_EQ(plan[i].shader, plan[i - 3].shader);
    if (i % 3 == 0) continue;
    EXPECT_GE(plan[i].constants[0].shared_id, 0);
    EXPECT_EQ(plan[i].constants[0].shared_id,
              plan[i - 3].constants[0].shared_id);
    EXPECT_NE(plan[i].constants[0].shared_id,
              plan[i - 1].constants.empty()
                  ? -1
                  : plan[i - 1].constants[0].shared_id);
  }
}

TEST(ConvWinogradPlanTest, MoreChannelsThanWanted) {
  Candidate few_in;
  few_in.input[3] = few_in.filter[3] = 15;
  EXPECT_THAT(Shaders(few_in), ElementsAre("conv_2d"));
  Candidate few_out;
  few_out.output[3] = few_out.filter[0] = 15;
  EXPECT_THAT(Shaders(few_out), ElementsAre("conv_2d"));
  DeviceProfile never = Profile();
  never.choices.winograd_min_channels = 0;
  EXPECT_THAT(Shaders({}, never), ElementsAre("conv_2d"));
}

TEST(ConvWinogradPlanTest, OtherWindowsAreNot) {
  Candidate stride;
  stride.attributes.stride_w = 2;
  stride.output[2] = 4;
  EXPECT_THAT(Shaders(stride), ElementsAre("conv_2d"));
  Candidate dilation;
  dilation.attributes.dilation_h = 2;
  EXPECT_THAT(Shaders(dilation), ElementsAre("conv_2d"));
  Candidate wide;
  wide.filter[2] = 5;
  EXPECT_THAT(Shaders(wide), ElementsAre("conv_2d"));
  Candidate groups;
  groups.filter[3] = 8;
  groups.attributes.groups = 2;
  EXPECT_THAT(Shaders(groups), ElementsAre("conv_2d"));
}

TEST(ConvWinogradPlanTest, SmallImagesAreNot) {
  Candidate c;
  c.input = c.output = {1, 5, 5, 16};  // two tiles each way: 225 against 144
  EXPECT_THAT(Shaders(c), ElementsAre("conv_2d"));
  c.input = c.output = {1, 6, 6, 16};
  EXPECT_THAT(Shaders(c), SizeIs(3));
}

TEST(ConvWinogradPlanTest, HalvesQuantizedValuesAndRuntimeWeightsAreNot) {
  DeviceProfile half = Profile();
  half.options.half = true;
  EXPECT_THAT(Shaders({}, half), ElementsAre("conv_2d"));
  Candidate integer_path;
  integer_path.integer_path = true;
  EXPECT_THAT(Shaders(integer_path), ElementsAre("conv_2d"));
  Candidate quantized;
  quantized.quantized = DataType::kInt8;
  EXPECT_THAT(Shaders(quantized), ElementsAre("conv_2d"));
  Candidate weights;
  weights.runtime_weights = true;
  EXPECT_THAT(Shaders(weights), Not(Contains("winograd_input")));
  Candidate bias;
  bias.runtime_bias = true;
  EXPECT_THAT(Shaders(bias), Not(Contains("winograd_input")));
}

// Where the tensors between would not live as the device likes best.
TEST(ConvWinogradPlanTest, PlanesThatFitNoTextureAreNot) {
  DeviceProfile profile = Profile();
  profile.choices.storage = gl_shaders::Storage::kTexture2d;
  profile.limits.max_texture_size = 36 * 3;
  EXPECT_THAT(Shaders({}, profile), ElementsAre("conv_2d"));
}

// The definition: a filter of one tap moves the input, whatever the transforms
// in between; so their product with B^T and A^T is checked here by one tile.
TEST(WinogradFilterTest, RowsOfG) {
  std::vector<float> filter(9);
  filter[4] = 1;  // the middle
  const std::vector<float> u = WinogradFilter(filter, 1, 1);
  ASSERT_THAT(u, SizeIs(36));
  const double g[] = {0, -32.0 / 81, 32.0 / 81, 16.0 / 81, -16.0 / 81, 0};
  for (int i = 0; i < 36; ++i) {
    EXPECT_FLOAT_EQ(u[i], static_cast<float>(g[i / 6] * g[i % 6])) << i;
  }
}

}  // namespace
}  // namespace gles_delegate::testing
