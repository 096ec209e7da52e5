// labels: op quant softpipe
// 8-bit models through the float view, against TFLite's integer kernels.
#include "delegate/graph/float_view.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/quantized_model.h"
#include "tests/testing/single_op.h"
#include "tests/testing/uniform.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

constexpr auto kInt8 = TensorType::INT8;
constexpr auto kUint8 = TensorType::UINT8;

// At most `quantized values` apart, `scale` a code.
void ExpectWithinQuantized(const SingleOpModel& model, float scale,
                           int quantized) {
  const RunResult cpu = RunOnCpu(model);
  const RunResult gpu = RunOnDelegate(model);
  ASSERT_TRUE(cpu.status.ok()) << cpu.status;
  ASSERT_TRUE(gpu.status.ok()) << gpu.status;
  ASSERT_EQ(cpu.outputs.size(), gpu.outputs.size());
  for (size_t o = 0; o < cpu.outputs.size(); ++o) {
    const auto& want = cpu.outputs[o].values;
    const auto& got = gpu.outputs[o].values;
    ASSERT_EQ(want.size(), got.size());
    for (size_t i = 0; i < want.size(); ++i) {
      ASSERT_LE(std::fabs(want[i] - got[i]), (quantized + 0.01f) * scale)
          << model.description << ", element " << i << ": " << got[i]
          << ", CPU " << want[i];
    }
  }
}

class FloatViewTest : public DeviceTest {};

// The simulator against its specification: QUANTIZE is it and nothing else, so
// no code may differ. Values on the ties are left out: x / scale of the shader
// may be one unit off there (GLSL ES 3.10, 4.7.1: division has 2.5 ULP).
TEST_F(FloatViewTest, QuantizeGivesTheCpusValues) {
  for (const auto& [scale, zero] : std::vector<std::pair<float, int>>{
           {0.05f, 0}, {0.0123f, -128}, {0.7f, 127}, {3e-5f, 17}}) {
    ModelBuilder b;
    const int x = b.AddInput("x", {1, 5, 7, 5});
    const int y = b.AddTensor("y", {1, 5, 7, 5}, kInt8, Q(scale, zero));
    b.AddOp(Op::QUANTIZE, 1, {x}, {y});
    b.SetOutputs({y});
    std::vector<float> values = Uniform(175, -200 * scale, 200 * scale);
    for (float& v : values) {
      const float steps = std::fabs(v / scale);
      if (std::fabs(steps - std::floor(steps) - 0.5f) < 1e-3f) v = 0;
    }
    ExpectWithinQuantized(
        Finish(absl::StrCat("QUANTIZE by ", scale), b, {values}), scale, 0);
  }
}

TEST_F(FloatViewTest, EveryCodeSurvivesTheRoundTrip) {
  for (auto type : {kInt8, kUint8}) {
    const int low = type == kInt8 ? -128 : 0;
    const float scale = 0.0371f;
    const int zero = low + 100;
    ModelBuilder b;
    const int x = b.AddInput("x", {1, 1, 64, 4}, type, Q(scale, zero));
    const int y = b.AddTensor("y", {1, 1, 64, 4});
    b.AddOp(Op::DEQUANTIZE, 2, {x}, {y});
    b.SetOutputs({y});
    std::vector<float> values(256);
    for (int i = 0; i < 256; ++i) {
      values[i] = scale * static_cast<float>(low + i - zero);
    }
    ExpectWithinQuantized(Finish("DEQUANTIZE", b, {values}), scale, 0);
  }
}

TEST_F(FloatViewTest, AddOfTwoQuantizations) {
  ModelBuilder b;
  const int x = b.AddInput("x", {1, 4, 5, 6}, kInt8, Q(0.05f, 3));
  const int z = b.AddInput("z", {1, 4, 5, 6}, kInt8, Q(0.02f, -7));
  const int y = b.AddTensor("y", {1, 4, 5, 6}, kInt8, Q(0.06f, 1));
  b.AddOp(Op::ADD, 2, {x, z}, {y}, schema::AddOptionsT());
  b.SetOutputs({y});
  // The integer kernel rounds each operand's rescaling: one code may differ.
  ExpectWithinQuantized(
      Finish("ADD int8", b, {Uniform(120, -6, 6, 1), Uniform(120, -2, 2, 2)}),
      0.06f, 1);
}

TEST_F(FloatViewTest, ConvolutionWithPerChannelWeightsAndInt32Bias) {
  ModelBuilder b;
  const int channels = 5;
  std::vector<float> scales, bias_scales;
  for (int c = 0; c < channels; ++c) {
    scales.push_back(0.01f * static_cast<float>(c + 1));
    bias_scales.push_back(scales[c] * 0.04f);
  }
  const std::vector<int64_t> zeros(channels, 0);
  const int x = b.AddInput("x", {1, 6, 7, 3}, kInt8, Q(0.04f, -5));
  const int w = b.AddConstant<int8_t>(
      "w", {channels, 3, 3, 3}, Codes<int8_t>(channels * 27, -127, 127, 3),
      ModelQuantization{scales, zeros, 0});
  const int bias = b.AddConstant<int32_t>(
      "b", {channels}, std::vector<int32_t>{100, -2000, 0, 500, 9},
      ModelQuantization{bias_scales, zeros, 0});
  const int y = b.AddTensor("y", {1, 6, 7, channels}, kInt8, Q(0.2f, 10));
  schema::Conv2DOptionsT conv;
  conv.padding = schema::Padding::SAME;
  conv.stride_w = conv.stride_h = 1;
  conv.fused_activation_function = schema::ActivationFunctionType::RELU6;
  b.AddOp(Op::CONV_2D, 3, {x, w, bias}, {y}, conv);
  b.SetOutputs({y});
  ExpectWithinQuantized(
      Finish("CONV_2D int8 per channel", b, {Uniform(126, -5, 5)}), 0.2f, 1);
}

TEST_F(FloatViewTest, MovesKeepQuantizedValues) {
  ModelBuilder b;
  const int x = b.AddInput("x", {1, 6, 6, 3}, kUint8, Q(0.1f, 128));
  const int y = b.AddTensor("y", {1, 3, 3, 3}, kUint8, Q(0.1f, 128));
  schema::Pool2DOptionsT pool;
  pool.stride_w = pool.stride_h = pool.filter_width = pool.filter_height = 2;
  pool.padding = schema::Padding::VALID;
  b.AddOp(Op::MAX_POOL_2D, 1, {x}, {y}, pool);
  b.SetOutputs({y});
  ExpectWithinQuantized(Finish("MAX_POOL_2D uint8", b, {Uniform(108, -12, 12)}),
                        0.1f, 0);
}

TEST_F(FloatViewTest, TheOptionTurnsItOff) {
  ModelBuilder b;
  const int x = b.AddInput("x", {1, 4, 4, 4}, kInt8, Q(0.1f, 0));
  const int y = b.AddTensor("y", {1, 4, 4, 4}, kInt8, Q(0.1f, 0));
  b.AddOp(Op::ADD, 2, {x, x}, {y}, schema::AddOptionsT());
  b.SetOutputs({y});
  RunOptions options;
  options.expect_delegated = false;
  options.configure = [](TfLiteGlesDelegateOptions& o) {
    o.quantized_compute = kTfLiteGlesQuantizedCpu;
  };
  const RunResult result =
      RunOnDelegate(Finish("ADD", b, {Uniform(64, -5, 5)}), options);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(result.nodes_delegated, 0);
  EXPECT_THAT(result.report, HasSubstr("quantized_compute is cpu"));
}

// --- What no float view is given --------------------------------------------

Tensor Activation(std::vector<float> scale, std::vector<int64_t> zero) {
  Tensor t;
  t.name = "x";
  t.type = DataType::kInt8;
  t.dims = {1, 2, 2, 3};
  t.shape = gles_delegate::Shape::FromDims(t.dims);
  t.quantization = {std::move(scale), std::move(zero), 3};
  return t;
}

TEST(CheckQuantizationTest, RefusesWhatItCannotCarry) {
  const auto why = [](const Tensor& t) {
    return std::string(CheckQuantization(t).message());
  };
  EXPECT_EQ(why(Activation({0.1f}, {0})), "");
  EXPECT_THAT(why(Activation({}, {})), HasSubstr("no quantization parameters"));
  EXPECT_THAT(why(Activation({0.0f}, {0})), HasSubstr("not above zero"));
  EXPECT_THAT(why(Activation({-1.0f}, {0})), HasSubstr("not above zero"));
  EXPECT_THAT(why(Activation({INFINITY}, {0})), HasSubstr("not above zero"));
  EXPECT_THAT(why(Activation({0.1f}, {200})), HasSubstr("zero point 200"));
  EXPECT_THAT(why(Activation({0.1f, 0.2f, 0.3f}, {0, 0, 0})),
              HasSubstr("only constants may have one per channel"));
  EXPECT_EQ(why(Activation({1000.0f}, {0})), "");
  Tensor weights = Activation({0.1f, 0.2f}, {0, 0});
  weights.constant = ConstantData::Own(std::vector<uint8_t>(12));
  EXPECT_THAT(why(weights), HasSubstr("do not fit dimension 3"));
}

}  // namespace
}  // namespace gles_delegate::testing
