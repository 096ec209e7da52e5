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
#include "delegate/passes/passes.h"
#include "quant/cpu_kernels.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/quantized_nodes.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// PAD, a convolution, a depthwise one, a residual sum, two pools, a
// concatenation, a ReLU in floats, a reshape, a matrix product.
constexpr char kNetwork[] =
    "PAD x=[2,7,7,3] pads=[4,2](0,0,1,0,0,1,0,0) -> p ; "
    "CONV_2D@3 p w=const:[8,3,3,3] b=const:[8] padding=VALID "
    "fused_activation_function=RELU6 -> c ; "
    "DEPTHWISE_CONV_2D@3 c v=const:[1,3,3,8] e=const:[8] depth_multiplier=1 "
    "-> d ; ADD@2 c d -> s ; AVERAGE_POOL_2D@2 s filter=3 -> a ; "
    "MAX_POOL_2D@2 s filter=3 -> m ; CONCATENATION@2 a m axis=3 -> j ; "
    "RELU@2 j -> r ; RESHAPE r shape=(72,16) -> f ; "
    "FULLY_CONNECTED@4 f u=const:[5,16] g=const:[5]";

TEST(IntegerPathOpsTest, WholeGraphs) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int seed = 1; seed <= 4; ++seed) {
    for (TensorType type : {TensorType::INT8, TensorType::UINT8}) {
      const SingleOpModel model = NodesOn(type, kNetwork, seed);
      for (TfLiteGlesStorage storage : kEveryStorage) {
        ExpectEveryCode(model, storage);
      }
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
  // The number of nodes that compute in integers.
  int Run(quant::CpuKernels cpu = quant::CpuKernels::kTflite) {
    int moved = 0;
    const DeviceProfile profile;
    PassContext context = {profile, cpu};
    context.nodes_on_integer_path = &moved;
    const absl::Status passed =
        testing::RunPass("integer_path", context, &graph);
    EXPECT_TRUE(passed.ok()) << passed;
    return moved;
  }
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
    EXPECT_EQ(g.Run(cpu), 1);
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
  constexpr int kHardSwishCode = 117, kRelu6Code = 21;
  const auto functions = [](int op, PostOp function) {
    ConvGraph g;
    AddFunction(&g, op, std::move(function));
    EXPECT_EQ(g.Run(), 2);
    RunPass("fuse_elementwise", &g.graph);
    EXPECT_EQ(g.graph.nodes.size(), 1u);
    std::vector<std::string> names;
    for (const PostOp& op : g.graph.nodes[0].post_ops) {
      names.push_back(op.function);
    }
    return names;
  };
  EXPECT_THAT(functions(kHardSwishCode, {"hard_swish"}),
              ::testing::ElementsAre("requantize_all", "clamp", "lookup"));
  EXPECT_THAT(functions(kRelu6Code, {"clamp", {0, 6}}),
              ::testing::ElementsAre("requantize_all", "clamp",
                                     "requantize_all", "clamp"));
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

// --- What an older runtime, or any, has no kernel of -------------------------

// Versions that TFLite 2.9 does not have yet, of its 16-bit kernels.
TEST(IntegerPathOpsTest, Int16VersionsOfNewerRuntimesAreTaken) {
  const std::vector<std::pair<Op, int>> versions = {
      {Op::SOFTMAX, 3},
      {Op::MEAN, 3},
      {Op::REDUCE_MAX, 3},
      {Op::REDUCE_MIN, 3},
      {Op::SQRT, 2},
      {Op::AVERAGE_POOL_2D, 3},
      {Op::MAX_POOL_2D, 3},
      {Op::PADV2, 5},
      {Op::PAD, 5},
      {Op::MIRROR_PAD, 3},
      {Op::CONCATENATION, 3},
      {Op::SPACE_TO_BATCH_ND, 4},
      {Op::BATCH_TO_SPACE_ND, 4},
      {Op::EQUAL, 5},
      {Op::SPLIT, 4},
      {Op::UNPACK, 4},
      {Op::PACK, 3},
  };
  for (const auto& [op, version] : versions) {
    const OpDefinition* definition = FindOp(static_cast<int>(op), "");
    ASSERT_NE(definition, nullptr) << schema::EnumNameBuiltinOperator(op);
    EXPECT_GE(definition->max_version_quantized, version)
        << schema::EnumNameBuiltinOperator(op);
  }
}

// docs/supported_ops.md: the greatest code, where the CPU's Invoke fails. Of
// the zero point, too, as on the CPU.
TEST(IntegerPathOpsTest, RsqrtBelowTheZeroPointIsTheGreatestValue) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto make = [](const char* quantized) {
    return cases::ModelOf(absl::StrCat("RSQRT@2 x=i8@(0.5,3)[1,1,1,5](",
                                       quantized, ") -> i8@(0.125,-20)"));
  };
  const SingleOpModel model = make("-128,2,3,4,127");
  EXPECT_FALSE(RunOnCpu(model).status.ok());
  const RunResult gpu = RunOnDelegate(model);
  ASSERT_TRUE(gpu.status.ok()) << gpu.status;
  const RunResult right = RunOnCpu(make("3,3,3,4,127"));
  ASSERT_TRUE(right.status.ok()) << right.status;
  EXPECT_EQ(gpu.outputs[0].values, right.outputs[0].values);
  EXPECT_EQ(gpu.outputs[0].values[0], 0.125f * (127 + 20));
}

}  // namespace
}  // namespace gles_delegate::testing
