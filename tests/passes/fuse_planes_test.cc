// labels: op llvmpipe softpipe
// A 1x1 convolution fused with the depthwise convolution that reads it, over
// whole planes, against the definition of both; and the graphs that the pass
// must leave alone. On codes: codes_depthwise_test.cc.
#include "delegate/passes/fuse_planes.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/conv/depthwise_conv_2d.h"
#include "delegate/ops/op_list.h"
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
  int between = 8;  // channels
  int kernel = 3;
  int stride = 1;
  int dilation = 1;
  int pad = 1;
  bool clamps = true;
  bool bias = true;
};

// Both nodes, as the passes before leave them.
struct Pair {
  explicit Pair(const Case& c) : random("planes") {
    window.stride_h = window.stride_w = c.stride;
    window.dilation_h = window.dilation_w = c.dilation;
    window.pad_top = window.pad_left = c.pad;
    middle = c.src;
    middle.c = c.between;
    const int extent = (c.kernel - 1) * c.dilation + 1;
    dst = {c.src.b, (c.src.h + 2 * c.pad - extent) / c.stride + 1,
           (c.src.w + 2 * c.pad - extent) / c.stride + 1, c.between};
    src = Make(c.src);
    first_weights = Make({c.between, 1, 1, c.src.c});
    second_weights = Make({1, c.kernel, c.kernel, c.between});
    for (auto* bias : {&first_bias, &second_bias}) {
      *bias =
          c.bias ? random.Gaussian(c.between) : std::vector<float>(c.between);
    }
    const TensorId in = AddTensor(&graph, Dims(c.src));
    Node first;
    first.op = FindOpNamed("CONV_2D");
    first.attributes = Conv2dAttributes();
    if (c.clamps) first.post_ops = {{"clamp", {0, 1, 0, 0}}};
    Connect(in, first_weights, first_bias, middle, c.bias, &first);
    Node second;
    second.op = FindOpNamed("DEPTHWISE_CONV_2D");
    second.attributes = window;
    Connect(first.outputs[0], second_weights, second_bias, dst, c.bias,
            &second);
    graph.inputs = {in};
    graph.outputs = second.outputs;
    graph.nodes = {first, second};
  }

  HostTensor Make(const BhwcShape& shape) {
    return {shape, random.Gaussian(shape.elements())};
  }
  void Connect(TensorId x, const HostTensor& weights,
               const std::vector<float>& bias, const BhwcShape& out,
               bool has_bias, Node* node) {
    node->inputs = {x,
                    AddConstant(&graph, Dims(weights.shape), weights.values)};
    if (has_bias) {
      node->inputs.push_back(
          AddConstant(&graph, {static_cast<int>(bias.size())}, bias));
    }
    node->outputs = {AddTensor(&graph, Dims(out))};
  }

  Random random;
  DepthwiseConv2dAttributes window;
  BhwcShape middle, dst;
  HostTensor src, first_weights, second_weights;
  std::vector<float> first_bias, second_bias;
  Graph graph;
};

DeviceProfile Fusing(int work = 1 << 20) {
  DeviceProfile profile;
  profile.choices.fused_plane_work = work;
  profile.limits.max_work_group_invocations = 1024;
  profile.limits.max_work_group_size = {1024, 1024, 64};
  profile.limits.max_shared_memory_bytes = 32 << 10;
  return profile;
}

// `v` as the first convolution's clamp leaves it.
HostTensor Clamped(const BhwcShape& shape, const std::vector<double>& values,
                   bool clamps) {
  HostTensor tensor{shape, {}};
  for (double v : values) {
    tensor.values.push_back(
        static_cast<float>(clamps ? std::clamp(v, 0.0, 1.0) : v));
  }
  return tensor;
}

void Check(const Case& c) {
  SCOPED_TRACE(::testing::Message()
               << c.src.ToString() << " to " << c.between << " kernel "
               << c.kernel << " stride " << c.stride);
  Pair pair(c);
  FusePlanes(&pair.graph, Fusing());
  ASSERT_EQ(pair.graph.nodes.size(), 1u);
  const auto got =
      RunGraph(pair.graph, {pair.src.values}, [](DeviceProfile&) {});
  ASSERT_TRUE(got.ok()) << got.status();

  const NaiveResult first =
      NaiveConv(pair.src, pair.first_weights, pair.first_bias, {}, pair.middle);
  const NaiveResult want = NaiveDepthwise(
      Clamped(pair.middle, first.values, c.clamps), pair.second_weights,
      pair.second_bias, pair.window, pair.dst);
  const NaiveResult most = NaiveDepthwise(
      Clamped(pair.middle, first.magnitudes, false), pair.second_weights,
      pair.second_bias, pair.window, pair.dst);
  // n roundings of the sum of magnitudes, n < 200 terms in a row here.
  constexpr double kUnit = 0x1p-24 * 200;
  ASSERT_EQ(got->size(), want.values.size());
  for (size_t i = 0; i < got->size(); ++i) {
    ASSERT_NEAR((*got)[i], want.values[i], kUnit * most.magnitudes[i]) << i;
  }
}

TEST(PointwiseDepthwiseTest, MatchesDefinition) {
  GLES_SKIP_WITHOUT_DEVICE();
  Check({{1, 5, 7, 5}});
  Check({{3, 6, 5, 17}, 33, 3, 2, 1, 0});
  Check({{1, 9, 9, 24}, 3, 5, 1, 1, 2, false});
  Check({{2, 7, 8, 8}, 12, 3, 1, 2, 2, true, false});
  Check({{1, 14, 14, 130}, 40});
  Check({{1, 3, 3, 4}, 4, 1, 1, 1, 0, false, false});
  Check({{1, 19, 19, 6}, 9, 2, 2});
}

// The pair, changed, stays two nodes.
void ExpectNotFused(absl::FunctionRef<void(Pair*)> change,
                    const DeviceProfile& profile = Fusing()) {
  Pair pair(Case{{1, 5, 7, 5}});
  change(&pair);
  FusePlanes(&pair.graph, profile);
  EXPECT_EQ(pair.graph.nodes.size(), 2u);
}

TEST(FusePlanesTest, LeavesOtherPairsAlone) {
  ExpectNotFused([](Pair*) {}, Fusing(/*work=*/69));  // 35 pixels, 2 slices
  ExpectNotFused([](Pair*) {}, Fusing(/*work=*/0));
  DeviceProfile small = Fusing();
  small.limits.max_shared_memory_bytes = 16 * 2 * 35;  // the planes alone
  ExpectNotFused([](Pair*) {}, small);
  ExpectNotFused([](Pair* p) {
    p->window.multiplier = 2;
    p->graph.nodes[1].attributes = p->window;
  });
  ExpectNotFused(
      [](Pair* p) { p->graph.nodes[0].post_ops.push_back({"tanh"}); });
  ExpectNotFused([](Pair* p) {
    p->graph.outputs.push_back(p->graph.nodes[0].outputs[0]);
  });
  for (int node : {0, 1}) {
    ExpectNotFused([node](Pair* p) {  // weights computed at run time
      p->graph.tensor(p->graph.nodes[node].inputs[1]).constant = ConstantData();
    });
    ExpectNotFused([node](Pair* p) { p->graph.nodes[node].on_codes = true; });
  }
  ExpectNotFused([](Pair* p) {
    Conv2dAttributes strided;
    strided.stride_w = 2;
    p->graph.nodes[0].attributes = strided;
  });
  ExpectNotFused([](Pair* p) {  // read again, by a function of the second
    PostOp add{"add"};
    add.operand = p->graph.nodes[0].outputs[0];
    p->graph.nodes[1].post_ops = {add};
  });
}

}  // namespace
}  // namespace gles_delegate::testing
