// labels: op quant softpipe
// The pass on whole graphs: every code is that of TFLite's integer kernels; and
// which nodes the pass takes. Ops one by one: the quantized_*_test.cc beside
// this.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/op_list.h"
#include "delegate/passes/all_passes.h"
#include "quant/cpu_kernels.h"
#include "tests/testing/code_model.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using Dims = ModelBuilder::Shape;

// PAD, a convolution, a depthwise one, a residual sum, a branch through a pool
// and a ReLU in floats, a concatenation, a reshape, a matrix product.
template <typename Code>
SingleOpModel Network(int seed) {
  CodeModel<Code> m(seed);
  ModelBuilder& b = m.b;
  constexpr auto kType = TensorTypeOf<Code>::kValue;
  const auto tensor = [&](const char* name, const Dims& dims,
                          const ModelQuantization& q) {
    return b.AddTensor(name, dims, kType, q);
  };
  const ModelQuantization in = m.Draw(0.05f), mid = m.Draw(0.05f),
                          sum_q = m.Draw(0.08f);
  const int x = m.Input({2, 7, 7, 3}, in);
  const int paddings = b.AddConstant<int32_t>(
      "p", {4, 2}, std::vector<int32_t>{0, 0, 1, 0, 0, 1, 0, 0});
  const int padded = tensor("padded", {2, 8, 8, 3}, in);
  b.AddOp(Op::PAD, 1, {x, paddings}, {padded}, schema::PadOptionsT());
  schema::Conv2DOptionsT conv;
  conv.stride_w = conv.stride_h = 1;
  conv.padding = schema::Padding::VALID;
  conv.fused_activation_function = schema::ActivationFunctionType::RELU6;
  const int c = tensor("conv", {2, 6, 6, 8}, mid);
  const int cw = m.Weights({8, 3, 3, 3}, 0, true);
  b.AddOp(Op::CONV_2D, 3, {padded, cw, m.Bias(8, in.scale[0])}, {c}, conv);
  schema::DepthwiseConv2DOptionsT depthwise;
  depthwise.stride_w = depthwise.stride_h = depthwise.depth_multiplier = 1;
  const int d = tensor("depthwise", {2, 6, 6, 8}, mid);
  const int dw = m.Weights({1, 3, 3, 8}, 3, true);
  b.AddOp(Op::DEPTHWISE_CONV_2D, 3, {c, dw, m.Bias(8, mid.scale[0])}, {d},
          depthwise);
  const int sum = tensor("sum", {2, 6, 6, 8}, sum_q);
  b.AddOp(Op::ADD, 2, {c, d}, {sum}, schema::AddOptionsT());
  schema::Pool2DOptionsT pool;
  pool.filter_width = pool.filter_height = 3;
  pool.stride_w = pool.stride_h = 1;
  const int pooled = tensor("pooled", {2, 6, 6, 8}, sum_q);
  b.AddOp(Op::AVERAGE_POOL_2D, 2, {sum}, {pooled}, pool);
  const int max = tensor("most", {2, 6, 6, 8}, sum_q);
  b.AddOp(Op::MAX_POOL_2D, 2, {sum}, {max}, pool);
  const int relu = tensor("relu", {2, 6, 6, 8}, sum_q);
  b.AddOp(Op::RELU, 2, {pooled}, {relu});
  const int joined = tensor("joined", {2, 6, 6, 16}, sum_q);
  schema::ConcatenationOptionsT concat;
  concat.axis = 3;
  b.AddOp(Op::CONCATENATION, 2, {relu, max}, {joined}, concat);
  const int flat = tensor("flat", {2, 576}, sum_q);
  schema::ReshapeOptionsT reshape;
  reshape.new_shape = {2, 576};
  b.AddOp(Op::RESHAPE, 1, {joined}, {flat}, reshape);
  const int fw = m.Weights({5, 576}, 0, /*per_channel=*/false);
  const int y = m.Output({2, 5}, m.Draw(0.6f));
  b.AddOp(Op::FULLY_CONNECTED, 4, {flat, fw, m.Bias(5, sum_q.scale[0])}, {y},
          schema::FullyConnectedOptionsT());
  b.SetOutputs({y, joined, c});
  SingleOpModel model = m.model();
  model.description = absl::StrCat("network ", seed);
  model.bytes = b.Finish();
  return model;
}

void ExpectEveryCode(const SingleOpModel& model, TfLiteGlesStorage storage) {
  RunOptions options;
  options.storage = storage;
  const RunResult cpu = RunOnCpu(model);
  const RunResult gpu = RunOnDelegate(model, options);
  ASSERT_TRUE(cpu.status.ok()) << cpu.status;
  ASSERT_TRUE(gpu.status.ok()) << gpu.status;
  EXPECT_THAT(gpu.report, HasSubstr("\"nodes_on_integer_path\": 10"));
  ASSERT_EQ(cpu.outputs.size(), gpu.outputs.size());
  for (size_t o = 0; o < cpu.outputs.size(); ++o) {
    EXPECT_EQ(cpu.outputs[o].values, gpu.outputs[o].values)
        << model.description << " " << o;
  }
}

TEST(IntegerPathOpsTest, WholeGraphs) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int seed = 1; seed <= 4; ++seed) {
    for (TfLiteGlesStorage storage : kEveryStorage) {
      ExpectEveryCode(Network<int8_t>(seed), storage);
      ExpectEveryCode(Network<uint8_t>(seed), storage);
    }
  }
}

// --- Which nodes the pass takes ---------------------------------------------

// One convolution as the reader leaves it: int8, one scale for the weights.
struct ConvGraph {
  Graph graph;
  TensorId x, w, bias, y;

  ConvGraph() {
    x = Add("x", {1, 4, 4, 4}, DataType::kInt8, 0.1f, 3);
    w = Add("w", {4, 1, 1, 4}, DataType::kInt8, 0.02f, 0);
    graph.tensor(w).constant = ConstantData::Own(std::vector<uint8_t>(16, 1));
    bias = Add("b", {4}, DataType::kInt32, 0.002f, 0);
    graph.tensor(bias).constant =
        ConstantData::Own(std::vector<uint8_t>(16, 0));
    y = Add("y", {1, 4, 4, 4}, DataType::kInt8, 0.05f, -7);
    graph.inputs = {x};
    graph.outputs = {y};
    Node node;
    node.op = FindOp(3, "");
    node.inputs = {x, w, bias};
    node.outputs = {y};
    node.attributes = Conv2dAttributes();
    node.post_ops = {{"clamp", {0, 6, 0, 0}},
                     {"quantize", {0.05f, -7, -128, 127}}};
    graph.nodes = {node};
  }
  TensorId Add(const char* name, std::vector<int> dims, DataType quantized,
               float scale, int zero) {
    Tensor t;
    t.name = name;
    t.dims = std::move(dims);
    t.shape = gles_delegate::Shape::FromDims(t.dims);
    t.quantized = quantized;
    t.quantization = {{scale}, {zero}, 0};
    t.tflite_index = static_cast<int>(graph.tensors.size());
    return graph.AddTensor(std::move(t));
  }
  int Run() { return UseIntegerPath(&graph, DeviceProfile()); }
};

TEST(IntegerPathTest, AConvolutionScalesItsSumAndClampsToItsActivation) {
  ConvGraph g;
  ASSERT_EQ(g.Run(), 1);
  const Node& node = g.graph.nodes[0];
  EXPECT_TRUE(node.integer_path);
  EXPECT_TRUE(g.graph.tensor(g.x).holds_quantized);
  EXPECT_TRUE(g.graph.tensor(g.y).holds_quantized);
  EXPECT_FALSE(g.graph.tensor(g.w).holds_quantized);
  EXPECT_EQ(g.graph.tensor(node.inputs[1]).quantization.scale[0], 1);
  ASSERT_EQ(node.post_ops.size(), 2u);
  EXPECT_EQ(node.post_ops[0].function, "requantize_all");
  EXPECT_EQ(node.post_ops[1].function, "clamp");
  EXPECT_EQ(node.post_ops[1].params[0], 0);
  EXPECT_EQ(node.post_ops[1].params[1], 120);  // 6 / 0.05; 127 + 7 is past it
}

TEST(IntegerPathTest, AConvolutionIsScaledAsTheRuntimesKernelDoes) {
  const auto scaling = [](quant::CpuKernels cpu) {
    ConvGraph g;
    EXPECT_EQ(UseIntegerPath(&g.graph, DeviceProfile(), cpu), 1);
    return g.graph.nodes[0].post_ops[0];
  };
  const PostOp ruy = scaling(quant::CpuKernels::kTflite);
  EXPECT_EQ(ruy.function, "requantize_all");
  EXPECT_EQ(ruy.params[3], 1);  // ties up
  const PostOp reference = scaling(quant::CpuKernels::kReference);
  EXPECT_EQ(reference.function, "requantize_all");
  EXPECT_EQ(reference.params[3], 0);
  const PostOp xnnpack = scaling(quant::CpuKernels::kXnnpack);
  EXPECT_EQ(xnnpack.function, "requantize_float_all");
  EXPECT_EQ(xnnpack.params[0], 0.1f * 0.02f / 0.05f);
}

// A node of `op` that reads g.y, with its function and its simulator.
TensorId AddFunction(ConvGraph* g, int op, PostOp function) {
  const TensorId z = g->Add("z", {1, 4, 4, 4}, DataType::kInt8, 0.07f, 3);
  Node node;
  node.op = FindOp(op, "");
  node.inputs = {g->y};
  node.outputs = {z};
  ElementwiseAttributes attributes;
  attributes.source_shape = g->graph.tensor(g->y).shape;
  node.attributes = attributes;
  node.post_ops = {std::move(function), {"quantize", {0.07f, 3, -128, 127}}};
  g->graph.nodes.push_back(std::move(node));
  g->graph.outputs = {z};
  return z;
}

TEST(IntegerPathTest, AnActivationInIntegersFusesIntoTheConvolutionBeforeIt) {
  constexpr int kHardSwishCode = 117, kLeakyReluCode = 98;
  const auto functions = [](int op, PostOp function) {
    ConvGraph g;
    AddFunction(&g, op, std::move(function));
    EXPECT_EQ(g.Run(), 2);
    FuseElementwise(&g.graph, /*max_tensors=*/4);
    EXPECT_EQ(g.graph.nodes.size(), 1u);
    std::vector<std::string> names;
    for (const PostOp& op : g.graph.nodes[0].post_ops) {
      names.push_back(op.function);
    }
    return names;
  };
  EXPECT_THAT(functions(kHardSwishCode, {"hard_swish"}),
              ::testing::ElementsAre("requantize_all", "clamp", "lookup"));
  EXPECT_THAT(functions(kLeakyReluCode, {"leaky_relu", {0.1f}}),
              ::testing::ElementsAre("requantize_all", "clamp",
                                     "leaky_requantize", "clamp"));
}

TEST(IntegerPathTest, WhatTfliteComputesOtherwiseStaysInTheFloatView) {
  const auto taken = [](auto change) {
    ConvGraph g;
    change(g);
    return g.Run();
  };
  EXPECT_EQ(taken([](ConvGraph&) {}), 1);
  // TFLite ignores the zero point of int8 weights.
  EXPECT_EQ(taken([](ConvGraph& g) {
              g.graph.tensor(g.w).quantization.zero_point[0] = 5;
            }),
            0);
  EXPECT_EQ(taken([](ConvGraph& g) {
              g.graph.tensor(g.w).constant = ConstantData();
            }),
            0);
  EXPECT_EQ(taken([](ConvGraph& g) {
              g.graph.tensor(g.w).quantized = DataType::kUint8;
            }),
            0);
  EXPECT_EQ(taken([](ConvGraph& g) {
              // Scales along the input's channels.
              Quantization& q = g.graph.tensor(g.w).quantization;
              q.scale.assign(4, 0.02f);
              q.zero_point.assign(4, 0);
              q.dimension = 3;
            }),
            0);
  EXPECT_EQ(taken([](ConvGraph& g) {
              g.graph.tensor(g.x).quantized = DataType::kInt16;
            }),
            0);
  EXPECT_EQ(taken([](ConvGraph& g) {
              g.graph.tensor(g.bias).quantized = DataType::kOther;
            }),
            0);
  EXPECT_EQ(taken([](ConvGraph& g) {
              g.graph.nodes[0].post_ops[0].function = "tanh";
            }),
            0);
  // Sums that are scaled up by more than 2^6.
  EXPECT_EQ(taken([](ConvGraph& g) {
              g.graph.tensor(g.y).quantization.scale[0] = 1e-5f;
            }),
            0);
  // No simulator: its values are on no codes.
  EXPECT_EQ(taken([](ConvGraph& g) { g.graph.nodes[0].post_ops.pop_back(); }),
            0);
}

}  // namespace
}  // namespace gles_delegate::testing
