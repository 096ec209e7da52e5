// labels: op llvmpipe softpipe
// Dispatches that share a general text compute what they compute with texts of
// their own; and which dispatches do.
#include "delegate/plan/share_variants.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "delegate/ops/conv/depthwise_conv_2d.h"
#include "delegate/ops/pooling/pool_2d.h"
#include "delegate/passes/fuse_depthwise.h"
#include "delegate/passes/fuse_gates.h"
#include "delegate/passes/fuse_next.h"
#include "delegate/passes/fuse_squeeze_excite.h"
#include "delegate/plan/dispatch_shader.h"
#include "delegate/plan/planner.h"
#include "delegate/plan/share_programs.h"
#include "gtest/gtest.h"
#include "tests/testing/device.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"
#include "tests/testing/program_texts.h"
#include "tests/testing/random.h"
#include "tests/testing/run_graph.h"

namespace gles_delegate::testing {
namespace {

using gl_shaders::Storage;

DeviceProfile Profile(int share, Storage storage = Storage::kBuffer) {
  DeviceProfile profile = RoomyProfile();
  profile.limits.max_work_group_invocations = 1024;
  profile.limits.max_work_group_size = {1024, 1024, 64};
  profile.limits.max_shared_memory_bytes = 32 << 10;
  profile.choices.storage = storage;
  profile.choices.split_target = 48 << 10;
  profile.choices.conv_tile_slices = 2;
  profile.choices.depthwise_tile_pixels = 2;
  profile.choices.share_programs = share;
  return profile;
}

// A graph of one input whose nodes follow one another.
class Net {
 public:
  explicit Net(std::vector<int> dims) : random_("share variants") {
    last = Input(dims);
  }

  TensorId Input(const std::vector<int>& dims) {
    const TensorId id = b.Input(dims);
    inputs.push_back(Values(b.graph.tensor(id).shape.elements()));
    return id;
  }

  std::vector<float> Values(int64_t count) { return random_.Gaussian(count); }
  const BhwcShape& shape() const { return b.graph.tensor(last).shape; }

  // `kernel` and `stride` along both axes, with as much padding as keeps the
  // size of stride 1.
  Net& Conv(int channels, int kernel = 1, int stride = 1) {
    const BhwcShape from = shape();
    Conv2dAttributes a;
    Slide(kernel, stride, &a);
    last = b.Node(
        "CONV_2D",
        {last,
         AddConstant(&b.graph, {channels, kernel, kernel, from.c},
                     Values(int64_t{channels} * kernel * kernel * from.c)),
         AddConstant(&b.graph, {channels}, Values(channels))},
        Dims(stride, channels), a);
    return *this;
  }
  Net& Depthwise(int kernel, int stride) {
    const int channels = shape().c;
    DepthwiseConv2dAttributes a;
    Slide(kernel, stride, &a);
    last = b.Node("DEPTHWISE_CONV_2D",
                  {last,
                   AddConstant(&b.graph, {1, kernel, kernel, channels},
                               Values(int64_t{kernel} * kernel * channels)),
                   AddConstant(&b.graph, {channels}, Values(channels))},
                  Dims(stride, channels), a);
    return *this;
  }

  GraphBuilder b;
  TensorId last;
  std::vector<std::vector<float>> inputs;

 private:
  static void Slide(int kernel, int stride, SlidingWindow* window) {
    window->stride_w = window->stride_h = stride;
    window->pad_left = window->pad_top = kernel / 2;
    window->pad_right = window->pad_bottom = kernel / 2;
  }
  std::vector<int> Dims(int stride, int channels) const {
    const BhwcShape& from = shape();
    return {from.b, (from.h - 1) / stride + 1, (from.w - 1) / stride + 1,
            channels};
  }

  Random random_;
};

using Pass = void (*)(Graph*, const DeviceProfile&);

struct Planned {
  Graph graph;
  std::vector<Dispatch> dispatches;
  std::set<std::string> programs;
};

Planned Plan(const Net& net, const DeviceProfile& profile, Pass pass) {
  Planned planned{net.b.graph, {}, {}};
  planned.graph.outputs = {net.last};
  DeviceProfile fusing = profile;
  fusing.choices.fused_depthwise_work = 1 << 20;
  fusing.choices.fused_gate_slices = 100;
  fusing.choices.fused_squeeze_texels = 1 << 16;
  fusing.choices.fused_next_texels = 1 << 16;
  if (pass != nullptr) pass(&planned.graph, fusing);
  auto dispatches = PlanGraph(&planned.graph, profile);
  EXPECT_TRUE(dispatches.ok()) << dispatches.status();
  planned.dispatches = std::move(dispatches).value_or(std::vector<Dispatch>());
  SharePrograms(planned.graph, profile, &planned.dispatches);
  planned.programs = ProgramTexts(planned.graph, planned.dispatches, profile);
  return planned;
}

std::vector<float> Compute(const Net& net, const DeviceProfile& profile,
                           Pass pass) {
  const Planned planned = Plan(net, profile, pass);
  std::vector<float> output(
      planned.graph.tensor(planned.graph.outputs[0]).shape.elements());
  const absl::Status status =
      RunDispatches(planned.graph, planned.dispatches, profile, net.inputs,
                    absl::MakeSpan(output));
  EXPECT_TRUE(status.ok()) << status;
  return output;
}

// Of the programs at share_programs 3, and at `share` with the same answer:
// but for the order of sums, which moves it by a few roundings.
void ExpectPrograms(const Net& net, size_t before, size_t after, int share,
                    Pass pass = nullptr) {
  EXPECT_EQ(Plan(net, Profile(3), pass).programs.size(), before);
  EXPECT_EQ(Plan(net, Profile(share), pass).programs.size(), after);
  for (Storage storage : {Storage::kBuffer, Storage::kTexture2d}) {
    const auto alone = Compute(net, Profile(3, storage), pass);
    const auto together = Compute(net, Profile(share, storage), pass);
    ASSERT_EQ(together.size(), alone.size());
    float largest = 0;
    for (float v : alone) largest = std::max(largest, std::abs(v));
    for (size_t i = 0; i < alone.size(); ++i) {
      ASSERT_NEAR(together[i], alone[i], 1e-5f * largest) << i;
    }
  }
}

TEST(ShareVariantsTest, DepthwiseStridesAreUniforms) {
  GLES_SKIP_WITHOUT_DEVICE();
  Net net({2, 13, 11, 10});
  net.Depthwise(3, 1).Depthwise(3, 2).Depthwise(3, 1);
  ExpectPrograms(net, 2, 1, 4);
}

TEST(ShareVariantsTest, OneStrideStaysInTheText) {
  Net net({1, 13, 11, 10});
  net.Depthwise(3, 2).Depthwise(3, 2);
  const DeviceProfile alone = Profile(3), together = Profile(5);
  EXPECT_EQ(PlanToString(net.b.graph, Plan(net, together, nullptr).dispatches),
            PlanToString(net.b.graph, Plan(net, alone, nullptr).dispatches));
}

// A gate of the tensor, by one product or by two, of the sum with another
// tensor where `adds`; its MUL.
void AddSqueeze(bool has_second, bool adds, Net* net) {
  GraphBuilder& b = net->b;
  const TensorId x = net->last;
  const BhwcShape s = net->shape();
  const std::vector<int> dims = {s.b, s.h, s.w, s.c};
  TensorId sum = x;
  if (adds) sum = b.Add(x, net->Input(dims));
  PoolAttributes pool;
  pool.h = {s.h, 1, 1};
  pool.w = {s.w, 1, 1};
  net->last = b.Node("AVERAGE_POOL_2D", {sum}, {s.b, 1, 1, s.c}, pool);
  net->Conv(has_second ? 5 : s.c);
  if (has_second) {
    b.graph.nodes.back().post_ops = {{"clamp", {0, 1, 0, 0}}};
    net->Conv(s.c);
  }
  b.graph.nodes.back().post_ops = {{"logistic"}};
  PostOp mul{"mul"};
  mul.operand = net->last;
  net->last = b.Node("MUL", {x, net->last}, dims, b.Plain(x, 0), {mul});
}

TEST(ShareVariantsTest, SqueezeExciteHasOneText) {
  GLES_SKIP_WITHOUT_DEVICE();
  Net net({1, 9, 7, 10});
  AddSqueeze(true, false, &net);
  AddSqueeze(false, false, &net);
  AddSqueeze(true, true, &net);
  // The MULs have one program.
  ExpectPrograms(net, 4, 2, 4, &FuseSqueezeExcite);
}

TEST(ShareVariantsTest, WindowsAndGatesAreUniforms) {
  GLES_SKIP_WITHOUT_DEVICE();
  Net net({1, 10, 9, 6});
  net.Conv(16, 3).Conv(16);  // nine terms of two slices, then four
  const TensorId x = net.last;
  const TensorId gate = net.Input({1, 1, 1, 16});
  const TensorId addend = net.Input({1, 10, 9, 16});
  for (bool adds : {false, true}) {
    PostOp mul{"mul"}, add{"add"};
    mul.operand = gate;
    add.operand = addend;
    std::vector<PostOp> ops = {mul};
    if (adds) ops.push_back(add);
    net.last = net.b.Node("MUL", {net.last, gate}, {1, 10, 9, 16},
                          net.b.Plain(x, 0), ops);
    net.Conv(16);
  }
  ExpectPrograms(net, 4, 1, 5, &FuseGates);
}

void FusePairs(Graph* graph, const DeviceProfile& profile) {
  FuseDepthwise(graph, profile);
}

void FuseTriples(Graph* graph, const DeviceProfile& profile) {
  FuseDepthwise(graph, profile);
  FuseNext(graph, profile);
}

TEST(ShareVariantsTest, WorkGroupsOfDepthwisePairsAreUniforms) {
  GLES_SKIP_WITHOUT_DEVICE();
  Net net({1, 37, 29, 7});
  net.Depthwise(3, 1).Conv(32).Depthwise(3, 2).Conv(20);
  net.Depthwise(3, 2).Conv(66).Depthwise(3, 1).Conv(14);
  ExpectPrograms(net, 4, 1, 5, &FusePairs);
  for (const Dispatch& d : Plan(net, Profile(5), &FusePairs).dispatches) {
    EXPECT_EQ(d.work_group, (std::array<int, 3>{256, 1, 1}));
    EXPECT_LE(d.shared_bytes, 32 << 10);
  }
}

TEST(ShareVariantsTest, SoAreThoseWithANextConvolution) {
  GLES_SKIP_WITHOUT_DEVICE();
  Net net({1, 19, 17, 8});
  net.Depthwise(3, 1).Conv(16).Conv(24);
  net.Depthwise(3, 2).Conv(32).Conv(48).Depthwise(3, 1).Conv(56).Conv(30);
  ExpectPrograms(net, 3, 1, 5, &FuseTriples);
}

TEST(ShareVariantsTest, WorkGroupsOfConvolutionsAreUniforms) {
  GLES_SKIP_WITHOUT_DEVICE();
  Net net({1, 12, 13, 9});
  net.Conv(64, 3, 2).Conv(30).Conv(96).Conv(14, 5);
  net.Conv(8).Conv(90).Conv(8, 3, 2);
  ExpectPrograms(net, 6, 1, 5);
}

}  // namespace
}  // namespace gles_delegate::testing
