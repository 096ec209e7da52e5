// labels: op llvmpipe softpipe
// The multiplication of a squeeze-excite block inside the 1x1 convolution that
// reads it, against the definition of both; and the graphs that the pass must
// leave alone.
#include "delegate/passes/fuse_channel_scales.h"

#include <cmath>
#include <vector>

#include "delegate/passes/fuse_depthwise.h"
#include "tests/testing/device.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"
#include "tests/testing/naive_conv.h"
#include "tests/testing/run_graph.h"
#include "tools/op_models/random.h"

namespace gles_delegate::testing {
namespace {

struct Case {
  std::vector<int> dims = {1, 5, 7, 6};
  int outputs = 9;
  bool add = false;
  bool bias = true;
};

// x * channel scale (+ addend), and the convolution that reads it. The graph's
// inputs are these three, in order.
struct Block {
  explicit Block(const Case& c) : random("block") {
    const BhwcShape shape = BhwcShape::FromDims(c.dims);
    x = b.Input(c.dims);
    channel_scale = b.Input({1, 1, 1, shape.c});
    values = {random.Gaussian(shape.elements()), random.Gaussian(shape.c)};
    PostOp mul{"mul"};
    mul.operand = channel_scale;
    std::vector<PostOp> ops = {mul};
    if (c.add) {
      addend = b.Input(c.dims);
      values.push_back(random.Gaussian(shape.elements()));
      PostOp add{"add"};
      add.operand = addend;
      ops.push_back(add);
    }
    product = b.Node("MUL", {x, channel_scale}, c.dims, b.Plain(x, 0), ops);
    weights = {{c.outputs, 1, 1, shape.c},
               random.Gaussian(int64_t{1} * c.outputs * shape.c)};
    bias = c.bias ? random.Gaussian(c.outputs) : std::vector<float>(c.outputs);
    std::vector<TensorId> inputs = {
        product,
        AddConstant(&b.graph, {c.outputs, 1, 1, shape.c}, weights.values)};
    if (c.bias) inputs.push_back(AddConstant(&b.graph, {c.outputs}, bias));
    std::vector<int> out = c.dims;
    out.back() = c.outputs;
    b.graph.outputs = {b.Node("CONV_2D", inputs, out, Conv2dAttributes())};
  }

  Node& mul() { return b.graph.nodes[0]; }
  Node& conv() { return b.graph.nodes[1]; }

  Random random;
  GraphBuilder b;
  TensorId x, channel_scale, product;
  TensorId addend = kNoTensor;
  std::vector<std::vector<float>> values;
  HostTensor weights;
  std::vector<float> bias;
};

DeviceProfile Fusing() {
  DeviceProfile profile = RoomyProfile();
  profile.choices.read_through = 1;
  return profile;
}

void Check(const Case& c, int split_k_target) {
  SCOPED_TRACE(::testing::Message()
               << BhwcShape::FromDims(c.dims).ToString() << " to " << c.outputs
               << (c.add ? " added" : "") << " split " << split_k_target);
  Block block(c);
  FuseChannelScales(&block.b.graph, Fusing());
  ASSERT_THAT(block.b.Ops(), ElementsAre("CONV_2D"));
  const auto got =
      RunGraph(block.b.graph, block.values, [&](DeviceProfile& profile) {
        profile.choices.split_k_target = split_k_target;
      });
  ASSERT_TRUE(got.ok()) << got.status();

  HostTensor between{BhwcShape::FromDims(c.dims), {}};
  HostTensor magnitudes = between;
  for (size_t i = 0; i < block.values[0].size(); ++i) {
    const double v =
        double{block.values[0][i]} * block.values[1][i % between.shape.c];
    const double added = c.add ? block.values[2][i] : 0;
    between.values.push_back(static_cast<float>(v + added));
    magnitudes.values.push_back(
        static_cast<float>(std::abs(v) + std::abs(added)));
  }
  const BhwcShape dst = block.b.graph.tensor(block.b.graph.outputs[0]).shape;
  const auto of = [&](const HostTensor& product) {
    return NaiveConv({product, block.weights, block.bias}, {}, dst);
  };
  ExpectWithinRoundings(*got, {of(between).values, of(magnitudes).magnitudes});
}

TEST(FuseChannelScalesTest, MatchesDefinition) {
  GLES_SKIP_WITHOUT_DEVICE();
  // 0: conv_1x1.comp; else conv_shared.comp, if it fits the device.
  for (int target : {0, 1, 1 << 20}) {
    for (bool add : {false, true}) {
      Check({{1, 5, 7, 6}, 9, add}, target);
      Check({{1, 3, 3, 17}, 5, add, /*bias=*/false}, target);
      Check({{1, 9, 4, 64}, 70, add}, target);
      Check({{1, 1, 8, 1}, 4, add}, target);
    }
  }
}

// The block, changed, keeps its MUL.
void ExpectNotFused(absl::FunctionRef<void(Block*)> change,
                    const Case& c = Case(),
                    const DeviceProfile& profile = Fusing()) {
  Block block(c);
  change(&block);
  FuseChannelScales(&block.b.graph, profile);
  EXPECT_EQ(block.b.Ops()[0], "MUL");
}

void Nothing(Block*) {}

TEST(FuseChannelScalesTest, OtherReaders) {
  ExpectNotFused([](Block* b) { b->b.graph.outputs.push_back(b->product); });
  ExpectNotFused([](Block* b) { b->b.Relu(b->product); });
  ExpectNotFused([](Block* b) {  // the convolution itself, at its end
    PostOp add{"add"};
    add.operand = b->product;
    b->conv().post_ops = {add};
  });
  // A concatenation in place leaves no node behind.
  ExpectNotFused([](Block* b) {
    b->b.graph.tensor(b->product).view.of = b->b.Tensor({1, 5, 7, 12});
  });
}

TEST(FuseChannelScalesTest, OtherFunctions) {
  ExpectNotFused([](Block* b) { b->mul().post_ops[0].function = "add"; });
  ExpectNotFused([](Block* b) {
    b->mul().post_ops.push_back({"clamp", {0, 6, 0, 0}});
  });
  ExpectNotFused(
      [](Block* b) {  // a third function
        b->mul().post_ops.push_back(b->mul().post_ops[1]);
      },
      {{1, 5, 7, 6}, 9, /*add=*/true});
  ExpectNotFused(
      [](Block* b) {  // of another shape
        b->mul().post_ops[1].operand = b->channel_scale;
      },
      {{1, 5, 7, 6}, 9, /*add=*/true});
}

TEST(FuseChannelScalesTest, NoGates) {
  ExpectNotFused([](Block* b) {  // of each element
    b->b.graph.tensor(b->channel_scale).shape = {1, 5, 7, 6};
  });
  ExpectNotFused([](Block* b) {  // one for all channels
    b->b.graph.tensor(b->channel_scale).shape = {1, 1, 1, 1};
  });
  ExpectNotFused([](Block* b) {  // FoldScales has its way with those
    b->b.graph.tensor(b->channel_scale).constant =
        ConstantData::Own(std::vector<uint8_t>(24));
  });
  ExpectNotFused(Nothing, {{2, 5, 7, 6}, 9});
  ExpectNotFused(
      [](Block* b) { b->b.graph.tensor(b->x).quantized = DataType::kInt8; });
  ExpectNotFused([](Block* b) { b->mul().integer_path = true; });
}

TEST(FuseChannelScalesTest, OtherConvolutions) {
  ExpectNotFused([](Block* b) {
    Conv2dAttributes strided;
    strided.stride_w = 2;
    b->conv().attributes = strided;
  });
  ExpectNotFused([](Block* b) {
    Conv2dAttributes padded;
    padded.pad_left = 1;
    b->conv().attributes = padded;
  });
  ExpectNotFused(
      [](Block* b) { b->b.graph.tensor(b->conv().inputs[1]).shape.w = 3; });
  ExpectNotFused([](Block* b) {  // weights computed at run time
    b->b.graph.tensor(b->conv().inputs[1]).constant = ConstantData();
  });
  ExpectNotFused([](Block* b) { b->conv().integer_path = true; });
  ExpectNotFused(Nothing, {{1, 1, 7, 6}, 9});  // gemv_by_lanes.comp's
}

TEST(FuseChannelScalesTest, AsFarAsTheProfileAllows) {
  ExpectNotFused(Nothing, {{1, 5, 7, 6}, 4097});
  DeviceProfile profile = Fusing();
  profile.choices.read_through = 0;
  ExpectNotFused(Nothing, {{1, 5, 7, 6}, 8}, profile);
  profile = Fusing();
  profile.limits.max_buffers = profile.limits.max_images = 4;
  ExpectNotFused(Nothing, Case(), profile);
}

// A depthwise convolution whose result a concatenation reads in place must be
// written, though its only node of a reader is a convolution.
TEST(FuseDepthwiseTest, LeavesViewsAlone) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 5, 7, 4});
  DepthwiseConv2dAttributes depthwise;
  depthwise.pad_top = depthwise.pad_left = 1;
  const TensorId middle =
      b.Node("DEPTHWISE_CONV_2D", {x, b.Constant({1, 3, 3, 4})}, {1, 5, 7, 4},
             depthwise);
  b.graph.outputs = {b.Conv(middle)};
  b.graph.tensor(middle).view.of = b.Tensor({1, 5, 7, 8});
  DeviceProfile profile;
  profile.choices.split_k_target = 1;
  profile.choices.fused_depthwise_work = 1 << 20;
  FuseDepthwise(&b.graph, profile);
  EXPECT_THAT(b.Ops(), ElementsAre("DEPTHWISE_CONV_2D", "CONV_2D"));
  b.graph.tensor(middle).view = {};
  FuseDepthwise(&b.graph, profile);
  EXPECT_THAT(b.Ops(), ElementsAre("DEPTHWISE_CONV_2D+CONV_2D"));
}

}  // namespace
}  // namespace gles_delegate::testing
