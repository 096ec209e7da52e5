// labels: op quant llvmpipe oldest_tflite
// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED of 16-bit
// quantized values and 8-bit weights beside TFLite's own kernels: every code is
// the CPU's.
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tensorflow/lite/c/c_api.h"
#include "tests/testing/device_test.h"
#include "tests/testing/int16_values.h"
#include "tests/testing/oldest_tflite.h"
#include "tools/op_models/schema_names.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {
namespace {

using Shape = ModelBuilder::Shape;
constexpr auto kInt16 = TensorType::INT16;

// The shapes of a product of `channels` input channels.
struct ProductShapes {
  Shape in, weights, out;
  int outs = 0;
  int channel_dimension = 0;  // of the weights: the output's
};
ProductShapes ShapesOf(Op op, int channels) {
  switch (op) {
    case Op::FULLY_CONNECTED:
      return {{5, channels}, {7, channels}, {5, 7}, 7, 0};
    case Op::DEPTHWISE_CONV_2D:
      return {{2, 6, 5, channels},
              {1, 3, 3, 2 * channels},
              {2, 6, 5, 2 * channels},
              2 * channels,
              3};
    case Op::TRANSPOSE_CONV:
      return {{2, 6, 5, channels}, {7, 3, 3, channels}, {2, 12, 10, 7}, 7, 0};
    default:
      return {{2, 6, 5, channels}, {7, 3, 3, channels}, {2, 6, 5, 7}, 7, 0};
  }
}

// Quantizations of weights, of one scale or one a channel, and of their biases.
struct ProductScales {
  ModelQuantization weights, biases;
};
ProductScales DrawScales(std::mt19937& random, float in_scale,
                         const ProductShapes& shapes, bool one_scale) {
  ProductScales q;
  q.weights.dimension = shapes.channel_dimension;
  for (int o = 0; o < (one_scale ? 1 : shapes.outs); ++o) {
    const float scale = 1e-3f * static_cast<float>(1 + random() % 20);
    q.weights.scale.push_back(scale);
    q.weights.zero_point.push_back(0);
    q.biases.scale.push_back(scale * in_scale);
    q.biases.zero_point.push_back(0);
  }
  return q;
}

// Constant weights, and biases up to `max_bias`.
struct ProductConstants {
  std::vector<int8_t> weights;
  std::vector<int64_t> bias;
};
ProductConstants DrawConstants(std::mt19937& random,
                               const ProductShapes& shapes, int64_t max_bias) {
  ProductConstants c;
  c.weights.resize(ElementCount(shapes.weights));
  for (int8_t& code : c.weights) {
    code = static_cast<int8_t>(static_cast<int>(random() % 255) - 127);
  }
  c.bias.resize(shapes.outs);
  for (int64_t& b : c.bias) {
    b = static_cast<int64_t>((uint64_t{random()} << 20) %
                             static_cast<uint64_t>(2 * max_bias + 1)) -
        max_bias;
  }
  return c;
}

// `w` and `bias`: constants.
void AddProduct(Op op, const ProductShapes& shapes, bool relu, int x, int w,
                int bias, int y, ModelBuilder* b) {
  const auto activation = relu ? schema::ActivationFunctionType::RELU6
                               : schema::ActivationFunctionType::NONE;
  if (op == Op::FULLY_CONNECTED) {
    schema::FullyConnectedOptionsT options;
    options.fused_activation_function = activation;
    b->AddOp(op, 7, {x, w, bias}, {y}, options);
  } else if (op == Op::TRANSPOSE_CONV) {
    schema::TransposeConvOptionsT options;
    options.stride_w = options.stride_h = 2;
    const int size = b->AddConstant<int32_t>(
        "s", {4}, std::vector<int32_t>(shapes.out.begin(), shapes.out.end()));
    b->AddOp(op, 3, {size, w, x, bias}, {y}, options);
  } else if (op == Op::DEPTHWISE_CONV_2D) {
    schema::DepthwiseConv2DOptionsT options;
    options.stride_w = options.stride_h = 1;
    options.depth_multiplier = 2;
    options.fused_activation_function = activation;
    b->AddOp(op, 5, {x, w, bias}, {y}, options);
  } else {
    schema::Conv2DOptionsT options;
    options.stride_w = options.stride_h = 1;
    options.fused_activation_function = activation;
    b->AddOp(op, 4, {x, w, bias}, {y}, options);
  }
}

// One of random weights and of biases up to `max_bias`. Returns how many
// quantized values it is off by.
float ProductApart(Op op, int seed, int channels, bool relu,
                   TfLiteGlesQuantizedCompute compute,
                   int64_t max_bias = 10000000) {
  std::mt19937 random(seed);
  const ProductShapes shapes = ShapesOf(op, channels);
  const float in_scale = std::exp2(-13.0f + static_cast<float>(random() % 5));
  const ProductScales q =
      DrawScales(random, in_scale, shapes,
                 /*one_scale=*/op == Op::FULLY_CONNECTED || seed % 3 == 0);
  const ProductConstants c = DrawConstants(random, shapes, max_bias);
  ModelBuilder b;
  const int x = b.AddInput("x", shapes.in, kInt16, WideScale(in_scale));
  const int w =
      b.AddConstant<int8_t>("w", shapes.weights, c.weights, q.weights);
  const int bias = b.AddConstant<int64_t>("b", {shapes.outs}, c.bias, q.biases);
  // Sums that mostly fit, some that saturate.
  const float magnitude = std::sqrt(static_cast<float>(c.weights.size()) /
                                    static_cast<float>(shapes.outs));
  const float out_scale = in_scale * q.weights.scale[0] * 60 * magnitude *
                          (seed % 4 == 1 ? 0.3f : 2.0f);
  const int y = b.AddTensor("y", shapes.out, kInt16, WideScale(out_scale));
  AddProduct(op, shapes, relu, x, w, bias, y, &b);
  b.SetOutputs({y});
  // Not vacuous: the integers are what ran.
  const bool integer = compute != kTfLiteGlesQuantizedFloat;
  return QuantizedApart(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), " seed ", seed), b,
      {Int16Values(ElementCount(shapes.in), in_scale, seed)}, out_scale,
      compute, integer ? "\"nodes_on_integer_path\": 1" : "");
}

// Newer kernels of FULLY_CONNECTED keep 31 bits of the multiplier: their
// quantized values are nearly always those of floats, and large sums times such
// multipliers do not fit 64 bits, so that floats are computed.
bool RowsKeep31Bits() { return !OnOldestTflite(); }

class Int16ProductsTest : public DeviceTest {};

TEST_F(Int16ProductsTest, AreTheCpusIntegers) {
  for (Op op : {Op::CONV_2D, Op::DEPTHWISE_CONV_2D, Op::FULLY_CONNECTED,
                Op::TRANSPOSE_CONV}) {
    for (int seed = 0; seed < 50; ++seed) {
      const int channels = seed % 10 == 9 ? 40 : 1 + seed % 13;
      EXPECT_EQ(ProductApart(op, seed, channels, seed % 5 == 2,
                             kTfLiteGlesQuantizedInteger),
                0)
          << schema::EnumNameBuiltinOperator(op) << " " << seed;
    }
    // The cases tell these integers from a sum of floats, rounded once.
    if (op == Op::FULLY_CONNECTED && RowsKeep31Bits()) continue;
    EXPECT_GT(ProductApart(op, 0, 8, false, kTfLiteGlesQuantizedFloat), 0);
  }
}

// Sums past 2^30, which the CPU adds up in 64 bits; past 2^32 as well.
// TRANSPOSE and plain convolutions of nine taps.
TEST_F(Int16ProductsTest, LargeSumsAreTheCpusIntegers) {
  for (Op op : {Op::CONV_2D, Op::DEPTHWISE_CONV_2D, Op::FULLY_CONNECTED,
                Op::TRANSPOSE_CONV}) {
    if (op == Op::FULLY_CONNECTED && RowsKeep31Bits()) continue;
    for (int seed = 0; seed < 50; ++seed) {
      // Channels whose magnitudes are below 2^17, and past it.
      const int depth = seed % 2 == 0 ? 1200 : 3000;
      const int channels = op == Op::FULLY_CONNECTED     ? depth
                           : op == Op::DEPTHWISE_CONV_2D ? 5
                                                         : depth / 9;
      // A depthwise sum is large by its bias alone.
      const int64_t max_bias = op == Op::DEPTHWISE_CONV_2D || seed % 7 == 3
                                   ? int64_t{1} << (31 + seed % 3)
                                   : 10000000;
      EXPECT_EQ(ProductApart(op, seed, channels, seed % 5 == 2,
                             kTfLiteGlesQuantizedInteger, max_bias),
                0)
          << schema::EnumNameBuiltinOperator(op) << " " << seed;
    }
  }
}

// Channels whose weights' magnitudes are past 2^21.
TEST_F(Int16ProductsTest, SumsOfManyWeightsAreTheCpusIntegers) {
  for (Op op : {Op::CONV_2D, Op::FULLY_CONNECTED}) {
    if (op == Op::FULLY_CONNECTED && RowsKeep31Bits()) continue;
    for (int seed = 0; seed < 3; ++seed) {
      const int channels = op == Op::CONV_2D ? 4501 : 40001 + seed;
      EXPECT_EQ(ProductApart(op, seed, channels, seed % 2 == 1,
                             kTfLiteGlesQuantizedInteger),
                0)
          << schema::EnumNameBuiltinOperator(op) << " " << seed;
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing
