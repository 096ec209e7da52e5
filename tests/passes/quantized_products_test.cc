// labels: op quant softpipe
// Convolutions and matrix products in integers: TFLite's integer kernels' own
// quantized values, every one.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "tests/testing/code_model.h"
#include "tests/testing/device_test.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using Dims = ModelBuilder::Shape;

struct ConvCase {
  Dims input;  // BHWC
  int outputs;
  int window;
  int stride = 1;
  int dilation = 1;
  schema::Padding padding = schema::Padding::SAME;
  schema::ActivationFunctionType activation =
      schema::ActivationFunctionType::NONE;
  bool per_channel = true;
};

int OutSize(int in, const ConvCase& c) {
  const int window = (c.window - 1) * c.dilation + 1;
  return c.padding == schema::Padding::SAME ? (in + c.stride - 1) / c.stride
                                            : (in - window) / c.stride + 1;
}

template <typename Code>
void ExpectConv(const ConvCase& c, int seed) {
  CodeModel<Code> m(seed);
  const ModelQuantization in = m.Draw(0.05f);
  const int channels = c.input[3];
  const int x = m.Input(c.input, in);
  const int w =
      m.Weights({c.outputs, c.window, c.window, channels}, 0, c.per_channel);
  const int bias = m.Bias(c.outputs, in.scale[0]);
  const float spread =
      0.01f * std::sqrt(static_cast<float>(channels) * c.window * c.window);
  const int y = m.Output(
      {c.input[0], OutSize(c.input[1], c), OutSize(c.input[2], c), c.outputs},
      m.Draw(spread));
  schema::Conv2DOptionsT options;
  options.padding = c.padding;
  options.stride_h = options.stride_w = c.stride;
  options.dilation_h_factor = options.dilation_w_factor = c.dilation;
  options.fused_activation_function = c.activation;
  m.b.AddOp(Op::CONV_2D, 3, {x, w, bias}, {y}, options);
  m.ExpectQuantized(absl::StrCat("CONV_2D case ", seed));
}

class IntegerPathOpsTest : public DeviceTest {};

TEST_F(IntegerPathOpsTest, Conv2d) {
  const ConvCase cases[] = {
      {{1, 5, 6, 3}, 8, 3},
      {{1, 5, 6, 3}, 5, 3, 2, 1, schema::Padding::VALID, Act::RELU},
      {{3, 4, 9, 4}, 17, 1, 1, 1, schema::Padding::SAME, Act::RELU6},
      {{1, 7, 7, 5},
       4,
       3,
       1,
       2,
       schema::Padding::SAME,
       Act::RELU_N1_TO_1,
       false},
      {{1, 1, 1, 64}, 33, 1},
      {{2, 9, 3, 8}, 1, 2},
      {{1, 12, 40, 16}, 24, 1, 1, 1, schema::Padding::SAME, Act::RELU6, true},
  };
  int seed = 0;
  for (const ConvCase& c : cases) {
    ExpectConv<int8_t>(c, ++seed);
    ExpectConv<uint8_t>(c, seed);
  }
}

template <typename Code>
void ExpectDepthwise(const ConvCase& c, int multiplier, int seed) {
  CodeModel<Code> m(seed);
  const ModelQuantization in = m.Draw(0.05f);
  const int outputs = c.input[3] * multiplier;
  const int x = m.Input(c.input, in);
  const int w = m.Weights({1, c.window, c.window, outputs}, 3, c.per_channel);
  const int bias = m.Bias(outputs, in.scale[0]);
  const int y = m.Output(
      {c.input[0], OutSize(c.input[1], c), OutSize(c.input[2], c), outputs},
      m.Draw(0.01f * static_cast<float>(c.window)));
  schema::DepthwiseConv2DOptionsT options;
  options.padding = c.padding;
  options.stride_h = options.stride_w = c.stride;
  options.dilation_h_factor = options.dilation_w_factor = c.dilation;
  options.depth_multiplier = multiplier;
  options.fused_activation_function = c.activation;
  m.b.AddOp(Op::DEPTHWISE_CONV_2D, 3, {x, w, bias}, {y}, options);
  m.ExpectQuantized(absl::StrCat("DEPTHWISE_CONV_2D case ", seed));
}

TEST_F(IntegerPathOpsTest, DepthwiseConv2d) {
  int seed = 0;
  for (const auto& [c, multiplier] : std::vector<std::pair<ConvCase, int>>{
           {{{1, 6, 7, 8}, 0, 3}, 1},
           {{{1, 6, 7, 5}, 0, 3, 2, 1, schema::Padding::SAME, Act::RELU6}, 1},
           {{{2, 5, 5, 3}, 0, 3, 1, 2, schema::Padding::SAME, Act::RELU, false},
            1},
           {{{1, 4, 6, 3}, 0, 2, 1, 1, schema::Padding::VALID}, 3},
           {{{1, 8, 8, 17}, 0, 6}, 1}}) {
    ExpectDepthwise<int8_t>(c, multiplier, ++seed);
    ExpectDepthwise<uint8_t>(c, multiplier, seed);
  }
}

template <typename Code>
void ExpectFullyConnected(int rows, int k, int outputs, int seed) {
  CodeModel<Code> m(seed);
  const ModelQuantization in = m.Draw(0.05f);
  const int x = m.Input({rows, k}, in);
  const int w = m.Weights({outputs, k}, 0, /*per_channel=*/false);
  const int bias = m.Bias(outputs, in.scale[0]);
  const int y = m.Output({rows, outputs},
                         m.Draw(0.01f * std::sqrt(static_cast<float>(k))));
  m.b.AddOp(Op::FULLY_CONNECTED, 4, {x, w, bias}, {y},
            schema::FullyConnectedOptionsT());
  m.ExpectQuantized(
      absl::StrCat("FULLY_CONNECTED ", rows, "x", k, "x", outputs));
}

TEST_F(IntegerPathOpsTest, FullyConnected) {
  int seed = 0;
  for (const auto& [rows, k, outputs] : std::vector<std::tuple<int, int, int>>{
           {1, 100, 10}, {3, 17, 5}, {12, 64, 33}}) {
    ExpectFullyConnected<int8_t>(rows, k, outputs, ++seed);
    ExpectFullyConnected<uint8_t>(rows, k, outputs, seed);
  }
}

// Weights with a zero point, constant ones and ones that another node makes.
template <typename Code>
void ExpectUnevenWeights(int rows, int k, int outputs, bool constant,
                         int seed) {
  CodeModel<Code> m(seed);
  const ModelQuantization weights = m.Draw(0.01f);
  const int x = m.Input({rows, k}, m.Draw(0.01f));
  const int w =
      constant ? m.b.template AddConstant<Code>(
                     "w", {outputs, k},
                     RandomQuantized<Code>(size_t{1} * outputs * k, m.random()),
                     weights)
               : m.Input({outputs, k}, weights);
  const int y = m.Output({rows, outputs},
                         m.Draw(0.01f * std::sqrt(static_cast<float>(k))));
  m.b.AddOp(Op::FULLY_CONNECTED, 4, {x, w, -1}, {y},
            schema::FullyConnectedOptionsT());
  m.ExpectQuantized(absl::StrCat("FULLY_CONNECTED ", rows, "x", k, "x", outputs,
                                 constant ? "" : " run-time weights"));
}

TEST_F(IntegerPathOpsTest, FullyConnectedByWeightsWithAZeroPoint) {
  int seed = 0;
  for (const bool constant : {false, true}) {
    for (const auto& [rows, k, outputs] :
         std::vector<std::tuple<int, int, int>>{
             {1, 100, 10}, {3, 17, 5}, {64, 32, 64}}) {
      ExpectUnevenWeights<int8_t>(rows, k, outputs, constant, ++seed);
      ExpectUnevenWeights<uint8_t>(rows, k, outputs, constant, seed);
    }
  }
}

// The relation of b to a.
template <typename Code>
void ExpectTransposeConv(int channels, int outputs, int stride, int seed) {
  CodeModel<Code> m(seed);
  const ModelQuantization in = m.Draw(0.05f);
  const std::vector<int32_t> out = {1, 4 * stride, 3 * stride, outputs};
  const int shape = m.b.template AddConstant<int32_t>("shape", {4}, out);
  const int x = m.Input({1, 4, 3, channels}, in);
  const int w = m.Weights({outputs, 3, 3, channels}, 0, /*per_channel=*/true);
  const int bias = m.Bias(outputs, in.scale[0]);
  const int y =
      m.Output(out, m.Draw(0.02f * std::sqrt(static_cast<float>(channels))));
  schema::TransposeConvOptionsT options;
  options.padding = schema::Padding::SAME;
  options.stride_w = options.stride_h = stride;
  m.b.AddOp(Op::TRANSPOSE_CONV, 3, {shape, w, x, bias}, {y}, options);
  m.ExpectQuantized(absl::StrCat("TRANSPOSE_CONV case ", seed));
}

TEST_F(IntegerPathOpsTest, TransposeConv) {
  for (int seed = 1; seed <= 4; ++seed) {
    ExpectTransposeConv<int8_t>(2 + 3 * seed, 3 * seed, 1 + seed % 2, seed);
    ExpectTransposeConv<uint8_t>(2 + 3 * seed, 3 * seed, 1 + seed % 2, seed);
  }
}

// Pooling with the input's quantization for its output's.
}  // namespace
}  // namespace gles_delegate::testing
