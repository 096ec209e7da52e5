// labels: op quant softpipe
// Models of each kind that TFLite's tools make beside the plain 8-bit ones:
// dynamic range, 16x8, graphs that change between floats and quantized values;
// and models whose quantization is wrong, which stay on the CPU and say why.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/tflite/read_tensor.h"
#include "quant/affine.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/quantized_model.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/single_op.h"
#include "tests/testing/uniform.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

constexpr auto kInt8 = TensorType::INT8;
constexpr auto kInt16 = TensorType::INT16;

// The largest difference of the first outputs. Fails where the delegate does
// not take every node.
float Distance(const SingleOpModel& model) {
  const RunResult cpu = RunOnCpu(model);
  const RunResult gpu = RunOnDelegate(model);
  EXPECT_TRUE(cpu.status.ok()) << cpu.status;
  EXPECT_TRUE(gpu.status.ok()) << gpu.status;
  if (!cpu.status.ok() || !gpu.status.ok()) return INFINITY;
  const auto& want = cpu.outputs[0].values;
  const auto& got = gpu.outputs[0].values;
  EXPECT_EQ(want.size(), got.size());
  float max = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    max = std::max(max, std::fabs(want[i] - got[i]));
  }
  return max;
}

class QuantizedModelsTest : public DeviceTest {};

// --- Kinds of models ---------------------------------------------------------

// Dynamic range: TFLite's hybrid kernels quantize a row of activations to
// 8 bits, symmetrically, at each run, so an activation errs by up to half of
// max|x| / 127; ours keep it. The bound is the difference that this may cause.
TEST_F(QuantizedModelsTest, DynamicRangeFullyConnected) {
  constexpr int kInputs = 40, kOutputs = 7;
  constexpr float kScale = 0.01f;
  ModelBuilder b;
  const int x = b.AddInput("x", {3, kInputs});
  const auto weights = Codes<int8_t>(kInputs * kOutputs, -127, 127, 2);
  const int w =
      b.AddConstant<int8_t>("w", {kOutputs, kInputs}, weights, Q(kScale, 0));
  const int bias =
      b.AddConstant<float>("b", {kOutputs}, Uniform(kOutputs, -1, 1, 3));
  const int y = b.AddTensor("y", {3, kOutputs});
  b.AddOp(Op::FULLY_CONNECTED, 3, {x, w, bias}, {y},
          schema::FullyConnectedOptionsT());
  b.SetOutputs({y});
  float max = 0;
  for (int o = 0; o < kOutputs; ++o) {
    float sum = 0;
    for (int i = 0; i < kInputs; ++i) {
      sum += std::fabs(kScale * weights[o * kInputs + i]);
    }
    max = std::max(max, sum);
  }
  EXPECT_LE(Distance(Finish("hybrid FULLY_CONNECTED", b,
                            {Uniform(3 * kInputs, -2, 2)})),
            max * 2.0f / 127 / 2 * 1.01f);
}

TEST_F(QuantizedModelsTest, DynamicRangeConvolution) {
  constexpr int kOutputs = 6;
  ModelBuilder b;
  ModelQuantization q;
  for (int o = 0; o < kOutputs; ++o) {
    q.scale.push_back(0.002f * static_cast<float>(o + 1));
    q.zero_point.push_back(0);
  }
  const int x = b.AddInput("x", {1, 5, 6, 3});
  const int w = b.AddConstant<int8_t>(
      "w", {kOutputs, 3, 3, 3}, Codes<int8_t>(27 * kOutputs, -127, 127, 2), q);
  const int bias =
      b.AddConstant<float>("b", {kOutputs}, Uniform(kOutputs, -1, 1, 3));
  const int y = b.AddTensor("y", {1, 5, 6, kOutputs});
  schema::Conv2DOptionsT conv;
  conv.stride_w = conv.stride_h = 1;
  b.AddOp(Op::CONV_2D, 5, {x, w, bias}, {y}, conv);
  b.SetOutputs({y});
  // The largest scale, 27 weights of 127 at most.
  EXPECT_LE(Distance(Finish("hybrid CONV_2D", b, {Uniform(90, -2, 2)})),
            27 * 127 * 0.002f * kOutputs * 2.0f / 127 / 2);
}

TEST_F(QuantizedModelsTest, FloatsQuantizedValuesAndFloatsAgain) {
  ModelBuilder b;
  const int x = b.AddInput("x", {1, 6, 6, 4});
  const int q = b.AddTensor("q", {1, 6, 6, 4}, kInt8, Q(0.03f, 5));
  const int w = b.AddConstant<int8_t>(
      "w", {8, 3, 3, 4}, Codes<int8_t>(8 * 36, -127, 127, 2), Q(0.01f, 0));
  const int bias = b.AddConstant<int32_t>(
      "b", {8}, Codes<int32_t>(8, -3000, 3000, 3), Q(0.0003f, 0));
  const int c = b.AddTensor("c", {1, 6, 6, 8}, kInt8, Q(0.06f, -128));
  const int f = b.AddTensor("f", {1, 6, 6, 8});
  const int e = b.AddTensor("e", {1, 6, 6, 8});
  const int y = b.AddTensor("y", {1, 6, 6, 8}, kInt8, Q(0.01f, 0));
  schema::Conv2DOptionsT conv;
  conv.stride_w = conv.stride_h = 1;
  conv.fused_activation_function = schema::ActivationFunctionType::RELU;
  b.AddOp(Op::QUANTIZE, 1, {x}, {q});
  b.AddOp(Op::CONV_2D, 3, {q, w, bias}, {c}, conv);
  b.AddOp(Op::DEQUANTIZE, 2, {c}, {f});
  b.AddOp(Op::TANH, 1, {f}, {e});
  b.AddOp(Op::QUANTIZE, 1, {e}, {y});
  b.SetOutputs({y});
  // A tanh that differs in its last bit may lie beside a tie.
  EXPECT_LE(Distance(Finish("mixed", b, {Uniform(144, -4, 4)})), 0.0101f);
}

// 16-bit activations, 8-bit weights, 64-bit biases. The CPU sums exactly and
// rounds the scaling once more: a code may differ.
TEST_F(QuantizedModelsTest, SixteenByEightConvolution) {
  ModelBuilder b;
  ModelQuantization weights, biases;
  for (int o = 0; o < 5; ++o) {
    weights.scale.push_back(0.001f * static_cast<float>(o + 1));
    weights.zero_point.push_back(0);
    biases.scale.push_back(weights.scale[o] * 1e-4f);
    biases.zero_point.push_back(0);
  }
  const int x = b.AddInput("x", {1, 5, 5, 4}, kInt16, Q(1e-4f, 0));
  const int w = b.AddConstant<int8_t>(
      "w", {5, 3, 3, 4}, Codes<int8_t>(5 * 36, -127, 127, 2), weights);
  const int bias = b.AddConstant<int64_t>(
      "b", {5}, std::vector<int64_t>{100000, -2000000, 0, 77, 500000}, biases);
  const int y = b.AddTensor("y", {1, 5, 5, 5}, kInt16, Q(5e-4f, 0));
  schema::Conv2DOptionsT conv;
  conv.stride_w = conv.stride_h = 1;
  b.AddOp(Op::CONV_2D, 4, {x, w, bias}, {y}, conv);
  b.SetOutputs({y});
  EXPECT_LE(Distance(Finish("CONV_2D 16x8", b, {Uniform(100, -3, 3)})),
            5e-4f * 1.01f);
}

TEST_F(QuantizedModelsTest, SixteenByEightFullyConnected) {
  ModelBuilder b;
  const int x = b.AddInput("x", {2, 30}, kInt16, Q(1e-4f, 0));
  const int w = b.AddConstant<int8_t>(
      "w", {6, 30}, Codes<int8_t>(180, -127, 127, 2), Q(0.005f, 0));
  const int bias = b.AddConstant<int64_t>(
      "b", {6}, std::vector<int64_t>{100000, -200000, 0, 77, 50000, 1},
      Q(5e-7f, 0));
  const int y = b.AddTensor("y", {2, 6}, kInt16, Q(4e-4f, 0));
  b.AddOp(Op::FULLY_CONNECTED, 7, {x, w, bias}, {y},
          schema::FullyConnectedOptionsT());
  b.SetOutputs({y});
  EXPECT_LE(Distance(Finish("FULLY_CONNECTED 16x8", b, {Uniform(60, -3, 3)})),
            4e-4f * 1.01f);
}

// --- 4-bit weights -----------------------------------------------------------

TEST(Int4Test, UnpacksLowBitsFirst) {
  const std::vector<uint8_t> packed = {0x21, 0xf8, 0x07};
  const auto signs = [](const std::vector<uint8_t>& bytes) {
    return std::vector<int8_t>(bytes.begin(), bytes.end());
  };
  EXPECT_THAT(signs(quant::UnpackInt4(packed, 5)),
              ElementsAre(1, 2, -8, -1, 7));
  EXPECT_THAT(signs(quant::UnpackInt2(packed, 9)),
              ElementsAre(1, 0, -2, 0, 0, -2, -1, -1, -1));
}

TEST(Int4Test, ConstantsOfNewerRuntimesAreReadAsInt8) {
  std::vector<uint8_t> packed = {0x21, 0xf8, 0x07};
  TfLiteIntArray* dims = TfLiteIntArrayCreate(1);
  dims->data[0] = 5;
  TfLiteTensor tensor = {};
  tensor.type = static_cast<TfLiteType>(18);  // kTfLiteInt4
  tensor.dims = dims;
  tensor.allocation_type = kTfLiteMmapRo;
  tensor.data.raw = reinterpret_cast<char*>(packed.data());
  tensor.bytes = packed.size();
  const Tensor read = ReadTensor(tensor, 0);
  EXPECT_EQ(read.type, DataType::kInt8);
  ASSERT_EQ(read.constant.bytes().size(), 5u);
  EXPECT_EQ(static_cast<int8_t>(read.constant.bytes()[2]), -8);
  // Too few bytes: no type that any op takes.
  tensor.bytes = 2;
  EXPECT_EQ(ReadTensor(tensor, 0).type, DataType::kInt4);
  TfLiteIntArrayFree(dims);
}

// --- Wrong parameters --------------------------------------------------------

// A reshape of int8 tensors, which TFLite's kernel copies whatever their
// parameters are.
SingleOpModel ReshapeModel(const ModelQuantization& q) {
  ModelBuilder b;
  const int x = b.AddInput("x", {1, 2, 2, 3}, kInt8, q);
  const int y =
      b.AddTensor("y", {1, 12}, kInt8, q.scale.size() > 1 ? Q(0.1f, 0) : q);
  schema::ReshapeOptionsT reshape;
  reshape.new_shape = {1, 12};
  b.AddOp(Op::RESHAPE, 1, {x}, {y}, reshape);
  b.SetOutputs({y});
  return Finish("RESHAPE", b, {Uniform(12, -1, 1)});
}

void ExpectStaysOnCpu(const ModelQuantization& q, const std::string& why) {
  RunOptions options;
  options.expect_delegated = false;
  const SingleOpModel model = ReshapeModel(q);
  const RunResult cpu = RunOnCpu(model);
  const RunResult result = RunOnDelegate(model, options);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(result.nodes_delegated, 0) << why;
  EXPECT_THAT(result.report, HasSubstr(why));
  ASSERT_EQ(cpu.outputs.size(), result.outputs.size());
  EXPECT_THAT(result.outputs[0].values,
              ::testing::Pointwise(::testing::NanSensitiveFloatEq(),
                                   cpu.outputs[0].values))
      << why;
}

TEST_F(QuantizedModelsTest, WrongParametersStayOnTheCpuAndSayWhy) {
  // Without parameters the bytes are plain integers: boundaries_test.
  ExpectStaysOnCpu(Q(0, 3), "not above zero");
  ExpectStaysOnCpu(Q(-0.5f, 3), "not above zero");
  ExpectStaysOnCpu(Q(INFINITY, 3), "not above zero");
  ExpectStaysOnCpu(Q(1e-40f, 3), "is denormal");
  ExpectStaysOnCpu(Q(3e38f, 3), "past what 32-bit floats hold");
  ExpectStaysOnCpu(Q(0.5f, 128), "zero point 128");
  ExpectStaysOnCpu(Q(0.5f, -129), "zero point -129");
  ExpectStaysOnCpu({{0.1f, 0.2f, 0.3f}, {0, 0, 0}, 3},
                   "only constants may have one per channel");
}

// --- The simulator -----------------------------------------------------------

// Every code's value, and what is clamped, through the shader's simulator as
// quant/ has it. Division may err by 2.5 units in the last place, which no
// code's value is near enough to a tie to feel.
TEST_F(QuantizedModelsTest, TheShadersSimulatorKeepsEveryCode) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> exponent(-20, 10);
  for (int round = 0; round < 2000; ++round) {
    const bool is_unsigned = round % 2 == 0;
    const quant::CodeRange range = quant::RangeOf(1, is_unsigned);
    const float scale = std::exp2(exponent(random));
    const int zero = range.low + static_cast<int>(random() % 256);
    std::vector<float> values;
    for (int code = range.low - 32; code < range.high + 33; ++code) {
      values.push_back(quant::Dequantize(code, scale, zero));
    }
    Graph graph;
    const int n = static_cast<int>(values.size());
    Node node;
    node.inputs = {AddTensor(&graph, {1, 1, n / 4, 4})};
    node.outputs = {AddTensor(&graph, {1, 1, n / 4, 4})};
    ElementwiseAttributes attributes;
    attributes.source_shape = graph.tensor(node.inputs[0]).shape;
    node.attributes = attributes;
    node.post_ops = {
        {"quantize",
         {scale, static_cast<float>(zero), static_cast<float>(range.low),
          static_cast<float>(range.high)}}};
    const auto got =
        RunGraphOf("RELU", node, graph, {values}, [](DeviceProfile&) {});
    ASSERT_TRUE(got.ok()) << got.status();
    for (int i = 0; i < n; ++i) {
      const int32_t code =
          quant::Quantize(values[i], scale, zero, range.low, range.high);
      ASSERT_EQ((*got)[i], quant::Dequantize(code, scale, zero))
          << "scale " << scale << ", zero point " << zero << ", code "
          << range.low - 32 + i;
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing
