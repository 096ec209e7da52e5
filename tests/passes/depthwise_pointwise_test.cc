// labels: op llvmpipe softpipe
// A depthwise convolution fused with the 1x1 convolution that reads it, against
// the definition of both; and the graphs that the pass must leave alone.
#include "delegate/ops/conv/depthwise_pointwise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "delegate/ops/op_list.h"
#include "delegate/passes/fuse_depthwise.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/device.h"
#include "tests/testing/naive_conv.h"
#include "tests/testing/random.h"
#include "tests/testing/run_graph.h"

namespace gles_delegate::testing {
namespace {

using BhwcShape = gles_delegate::Shape;

std::vector<int> Dims(const BhwcShape& s) { return {s.b, s.h, s.w, s.c}; }

struct Case {
  BhwcShape src;
  int kernel = 3;
  int stride = 1;
  int dilation = 1;
  int pad = 1;
  int outputs = 8;
  bool clamps = true;
  bool bias = true;
};

// Both nodes, as the passes before leave them.
struct Pair {
  explicit Pair(const Case& c) : random("pair") {
    attributes.stride_h = attributes.stride_w = c.stride;
    attributes.dilation_h = attributes.dilation_w = c.dilation;
    attributes.pad_top = attributes.pad_left = c.pad;
    const int extent = (c.kernel - 1) * c.dilation + 1;
    middle = {c.src.b, (c.src.h + 2 * c.pad - extent) / c.stride + 1,
              (c.src.w + 2 * c.pad - extent) / c.stride + 1, c.src.c};
    dst = middle;
    dst.c = c.outputs;
    src = Make(c.src);
    window = Make({1, c.kernel, c.kernel, c.src.c});
    weights = Make({c.outputs, 1, 1, c.src.c});
    first_bias =
        c.bias ? random.Gaussian(c.src.c) : std::vector<float>(c.src.c);
    second_bias =
        c.bias ? random.Gaussian(c.outputs) : std::vector<float>(c.outputs);

    Node first;
    first.op = FindOpNamed("DEPTHWISE_CONV_2D");
    first.attributes = attributes;
    const TensorId in = AddTensor(&graph, Dims(c.src));
    first.inputs = {in, AddConstant(&graph, Dims(window.shape), window.values)};
    if (c.bias)
      first.inputs.push_back(AddConstant(&graph, {c.src.c}, first_bias));
    if (c.clamps) first.post_ops = {{"clamp", {0, 1, 0, 0}}};
    first.outputs = {AddTensor(&graph, Dims(middle))};
    Node second;
    second.op = FindOpNamed("CONV_2D");
    second.attributes = Conv2dAttributes();
    second.inputs = {first.outputs[0],
                     AddConstant(&graph, Dims(weights.shape), weights.values)};
    if (c.bias)
      second.inputs.push_back(AddConstant(&graph, {c.outputs}, second_bias));
    second.outputs = {AddTensor(&graph, Dims(dst))};
    graph.inputs = {in};
    graph.outputs = second.outputs;
    graph.nodes = {first, second};
  }

  HostTensor Make(const BhwcShape& shape) {
    return {shape, random.Gaussian(shape.elements())};
  }

  Random random;
  DepthwiseConv2dAttributes attributes;
  BhwcShape middle, dst;
  HostTensor src, window, weights;
  std::vector<float> first_bias, second_bias;
  Graph graph;
};

void Fusing(int split_target, DeviceProfile* profile) {
  profile->choices.split_target = split_target;
  profile->choices.fused_depthwise_work = 1 << 20;
}

void Check(const Case& c, int split_target) {
  SCOPED_TRACE(::testing::Message()
               << c.src.ToString() << " kernel " << c.kernel << " stride "
               << c.stride << " to " << c.outputs << " split " << split_target);
  Pair pair(c);
  DeviceProfile fusing;
  fusing.limits.max_work_group_invocations = 1024;
  fusing.limits.max_shared_memory_bytes = 32 << 10;
  Fusing(split_target, &fusing);
  FuseDepthwise(&pair.graph, fusing);
  ASSERT_EQ(pair.graph.nodes.size(), 1u);
  const auto got =
      RunGraph(pair.graph, {pair.src.values},
               [&](DeviceProfile& profile) { Fusing(split_target, &profile); });
  ASSERT_TRUE(got.ok()) << got.status();

  const NaiveResult first = NaiveDepthwise(
      pair.src, pair.window, pair.first_bias, pair.attributes, pair.middle);
  HostTensor between{pair.middle, {}};
  HostTensor magnitudes{pair.middle, {}};
  for (size_t i = 0; i < first.values.size(); ++i) {
    const double v = first.values[i];
    between.values.push_back(
        static_cast<float>(c.clamps ? std::clamp(v, 0.0, 1.0) : v));
    magnitudes.values.push_back(static_cast<float>(first.magnitudes[i]));
  }
  const NaiveResult want =
      NaiveConv(between, pair.weights, pair.second_bias, {}, pair.dst);
  const NaiveResult most =
      NaiveConv(magnitudes, pair.weights, pair.second_bias, {}, pair.dst);
  // n roundings of the sum of magnitudes, n < 200 terms in a row here.
  constexpr double kUnit = 0x1p-24 * 200;
  ASSERT_EQ(got->size(), want.values.size());
  for (size_t i = 0; i < got->size(); ++i) {
    ASSERT_NEAR((*got)[i], want.values[i], kUnit * most.magnitudes[i]) << i;
  }
}

TEST(DepthwisePointwiseTest, MatchesDefinition) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int target : {1, 1 << 20}) {
    Check({{1, 5, 7, 5}}, target);
    Check({{3, 6, 5, 17}, 3, 2, 1, 0, 33}, target);
    Check({{1, 9, 9, 24}, 5, 1, 1, 2, 3, false}, target);
    Check({{2, 7, 8, 8}, 3, 1, 2, 2, 12, true, false}, target);
    Check({{1, 9, 17, 40}, 3, 1, 1, 1, 130}, target);
    Check({{1, 3, 3, 4}, 1, 1, 1, 0, 4, false, false}, target);
  }
}

// A value that is none comes through the clamp between the two, as on the CPU.
TEST(DepthwisePointwiseTest, KeepsNaN) {
  GLES_SKIP_WITHOUT_DEVICE();
  Pair pair(Case{{1, 1, 1, 4}, 1, 1, 1, 0, 4});
  pair.src.values[2] = std::numeric_limits<float>::quiet_NaN();
  DeviceProfile fusing;
  Fusing(1, &fusing);
  FuseDepthwise(&pair.graph, fusing);
  ASSERT_EQ(pair.graph.nodes.size(), 1u);
  const auto got =
      RunGraph(pair.graph, {pair.src.values},
               [](DeviceProfile& profile) { Fusing(1, &profile); });
  ASSERT_TRUE(got.ok()) << got.status();
  for (float v : *got) EXPECT_TRUE(std::isnan(v)) << v;
}

// The pair, changed, stays two nodes.
void ExpectNotFused(absl::FunctionRef<void(Pair*)> change, int work = 1 << 20) {
  Pair pair(Case{{1, 5, 7, 5}});
  change(&pair);
  DeviceProfile profile;
  Fusing(1, &profile);
  profile.choices.fused_depthwise_work = work;
  FuseDepthwise(&pair.graph, profile);
  EXPECT_EQ(pair.graph.nodes.size(), 2u);
}

TEST(FuseDepthwiseTest, LeavesOtherPairsAlone) {
  ExpectNotFused([](Pair*) {}, /*work=*/17);  // 9 taps of 2 slices are 18
  ExpectNotFused([](Pair*) {}, /*work=*/0);
  ExpectNotFused([](Pair* p) {
    p->attributes.multiplier = 2;
    p->graph.nodes[0].attributes = p->attributes;
  });
  ExpectNotFused(
      [](Pair* p) { p->graph.nodes[0].post_ops.push_back({"tanh"}); });
  ExpectNotFused([](Pair* p) {
    p->graph.outputs.push_back(p->graph.nodes[0].outputs[0]);
  });
  ExpectNotFused([](Pair* p) {  // weights computed at run time
    p->graph.tensor(p->graph.nodes[0].inputs[1]).constant = ConstantData();
  });
  ExpectNotFused([](Pair* p) {
    p->graph.tensor(p->graph.nodes[1].inputs[2]).constant = ConstantData();
  });
  ExpectNotFused([](Pair* p) {
    Conv2dAttributes strided;
    strided.stride_w = 2;
    p->graph.nodes[1].attributes = strided;
  });
  for (int node : {0, 1}) {  // what the one reads is no real value
    ExpectNotFused([node](Pair* p) { p->graph.nodes[node].on_codes = true; });
  }
  ExpectNotFused([](Pair* p) {  // read again, by a function of the second
    PostOp add{"add"};
    add.operand = p->graph.nodes[0].outputs[0];
    p->graph.nodes[1].post_ops = {add};
  });
}

}  // namespace
}  // namespace gles_delegate::testing
