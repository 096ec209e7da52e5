// labels: op quant llvmpipe
// Ops on 16-bit codes (16x8 models) beside TFLite's own kernels: every code is
// the CPU's. `wide_codes_test.cc` has those of one input, many to a model.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/op_list.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/device_test.h"
#include "tests/testing/single_op.h"
#include "tools/common/model_builder.h"

namespace gles_delegate::testing {
namespace {

using Op = schema::BuiltinOperator;
using Shape = ModelBuilder::Shape;
constexpr auto kInt16 = schema::TensorType::INT16;
constexpr float kScale = 1e-3f;

ModelQuantization Q(float scale) {
  return ModelQuantization::PerTensor(scale, 0);
}

// Every value on a code of `scale`.
std::vector<float> Values(size_t n, float scale, int seed) {
  std::mt19937 random(seed);
  std::vector<float> values(n);
  for (float& v : values) {
    v = scale * static_cast<float>(static_cast<int>(random() % 65536) - 32768);
  }
  return values;
}

// The most codes of `scale` that an output is off by. Fails where the delegate
// leaves the node to the CPU.
float CodesApart(const std::string& what, const ModelBuilder& builder,
                 std::vector<std::vector<float>> inputs, float scale,
                 TfLiteGlesQuantizedCompute compute = kTfLiteGlesQuantizedAuto,
                 const char* in_report = "") {
  SingleOpModel model;
  model.description = what;
  model.bytes = builder.Finish();
  model.inputs = std::move(inputs);
  const RunResult cpu = RunOnCpu(model);
  RunOptions options;
  options.configure = [compute](TfLiteGlesDelegateOptions& o) {
    o.quantized_compute = compute;
  };
  const RunResult gpu = RunOnDelegate(model, options);
  EXPECT_THAT(gpu.report, ::testing::HasSubstr(in_report)) << what;
  EXPECT_TRUE(cpu.status.ok()) << what << ": " << cpu.status;
  EXPECT_TRUE(gpu.status.ok()) << what << ": " << gpu.status;
  if (!cpu.status.ok() || !gpu.status.ok()) return INFINITY;
  float most = 0;
  for (size_t o = 0; o < cpu.outputs.size(); ++o) {
    const auto& want = cpu.outputs[o].values;
    const auto& got = gpu.outputs[o].values;
    EXPECT_EQ(want.size(), got.size());
    for (size_t i = 0; i < want.size(); ++i) {
      most = std::max(most, std::fabs(want[i] - got[i]) / scale);
    }
  }
  return std::round(most * 100) / 100;
}

class SixteenBitTest : public DeviceTest {};

constexpr int kSeeds = 3;

TEST_F(SixteenBitTest, Pooling) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    for (Op op : {Op::MAX_POOL_2D, Op::AVERAGE_POOL_2D}) {
      ModelBuilder b;
      const int x = b.AddInput("x", {2, 7, 6, 5}, kInt16, Q(kScale));
      const int y = b.AddTensor("y", {2, 3, 3, 5}, kInt16, Q(kScale));
      schema::Pool2DOptionsT pool;
      pool.stride_w = pool.stride_h = pool.filter_width = 2;
      pool.filter_height = 3;
      pool.padding = schema::Padding::VALID;
      b.AddOp(op, 3, {x}, {y}, pool);
      b.SetOutputs({y});
      EXPECT_EQ(CodesApart("pooling", b, {Values(420, kScale, seed)}, kScale),
                0);
    }
  }
}

TEST_F(SixteenBitTest, Reductions) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    for (Op op : {Op::MEAN, Op::REDUCE_MAX, Op::REDUCE_MIN}) {
      const bool mean = op == Op::MEAN;
      const float scale = mean ? kScale / 4 : kScale;
      ModelBuilder b;
      const int x = b.AddInput("x", {2, 7, 6, 5}, kInt16, Q(kScale));
      const int axes =
          b.AddConstant<int32_t>("axes", {2}, std::vector<int32_t>{1, 2});
      const int y = b.AddTensor("y", {2, 1, 1, 5}, kInt16, Q(scale));
      schema::ReducerOptionsT options;
      options.keep_dims = true;
      b.AddOp(op, mean ? 2 : 3, {x, axes}, {y}, options);
      b.SetOutputs({y});
      EXPECT_EQ(CodesApart("reduction", b, {Values(420, kScale, seed)}, scale),
                0);
    }
  }
}

TEST_F(SixteenBitTest, Softmax) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    ModelBuilder b;
    constexpr float kCode = 1.0f / 32768;
    const int x = b.AddInput("x", {6, 11}, kInt16, Q(1e-4f));
    const int y = b.AddTensor("y", {6, 11}, kInt16, Q(kCode));
    schema::SoftmaxOptionsT options;
    options.beta = 1;
    b.AddOp(Op::SOFTMAX, 3, {x}, {y}, options);
    b.SetOutputs({y});
    EXPECT_EQ(CodesApart("softmax", b, {Values(66, 1e-4f, seed)}, kCode), 0);
  }
}

TEST_F(SixteenBitTest, WhatMovesCodesGivesEveryCode) {
  const std::vector<std::vector<float>> one = {Values(48, kScale, 1)};
  {
    ModelBuilder b;
    const int x = b.AddInput("x", {1, 4, 4, 3}, kInt16, Q(kScale));
    const int z = b.AddInput("z", {1, 4, 4, 3}, kInt16, Q(kScale));
    const int y = b.AddTensor("y", {1, 4, 4, 6}, kInt16, Q(kScale));
    schema::ConcatenationOptionsT options;
    options.axis = 3;
    b.AddOp(Op::CONCATENATION, 3, {x, z}, {y}, options);
    b.SetOutputs({y});
    EXPECT_EQ(
        CodesApart("CONCATENATION", b, {one[0], Values(48, kScale, 2)}, kScale),
        0);
  }
  {
    ModelBuilder b;
    const int x = b.AddInput("x", {1, 4, 4, 3}, kInt16, Q(kScale));
    const int pads = b.AddConstant<int32_t>(
        "p", {4, 2}, std::vector<int32_t>{0, 0, 1, 1, 2, 1, 0, 0});
    const int y = b.AddTensor("y", {1, 6, 7, 3}, kInt16, Q(kScale));
    b.AddOp(Op::PAD, 3, {x, pads}, {y}, schema::PadOptionsT());
    b.SetOutputs({y});
    EXPECT_EQ(CodesApart("PAD", b, one, kScale), 0);
  }
}

// --- Convolutions and matrix products ----------------------------------------

// One of random weights and of biases up to `most_bias`. Returns how many codes
// it is off by.
float ProductApart(Op op, int seed, int channels, bool relu,
                   TfLiteGlesQuantizedCompute compute,
                   int64_t most_bias = 10000000) {
  std::mt19937 random(seed);
  const bool depthwise = op == Op::DEPTHWISE_CONV_2D;
  const bool full = op == Op::FULLY_CONNECTED;
  const bool transposed = op == Op::TRANSPOSE_CONV;
  const int outs = depthwise ? channels * 2 : 7;
  const float in_scale = std::exp2(-13.0f + static_cast<float>(random() % 5));
  ModelQuantization weights, biases;
  const int scales = full || seed % 3 == 0 ? 1 : outs;
  weights.dimension = depthwise ? 3 : 0;
  for (int o = 0; o < scales; ++o) {
    const float scale = 1e-3f * static_cast<float>(1 + random() % 20);
    weights.scale.push_back(scale);
    weights.zero_point.push_back(0);
    biases.scale.push_back(scale * in_scale);
    biases.zero_point.push_back(0);
  }
  const Shape shape = full        ? Shape{outs, channels}
                      : depthwise ? Shape{1, 3, 3, outs}
                                  : Shape{outs, 3, 3, channels};
  size_t count = 1;
  for (int d : shape) count *= static_cast<size_t>(d);
  std::vector<int8_t> codes(count);
  for (int8_t& code : codes) {
    code = static_cast<int8_t>(static_cast<int>(random() % 255) - 127);
  }
  std::vector<int64_t> bias(outs);
  for (int64_t& b : bias) {
    b = static_cast<int64_t>((uint64_t{random()} << 20) %
                             static_cast<uint64_t>(2 * most_bias + 1)) -
        most_bias;
  }
  ModelBuilder b;
  const Shape in = full ? Shape{5, channels} : Shape{2, 6, 5, channels};
  const Shape out = full         ? Shape{5, outs}
                    : transposed ? Shape{2, 12, 10, outs}
                                 : Shape{2, 6, 5, outs};
  const int x = b.AddInput("x", in, kInt16, Q(in_scale));
  const int w = b.AddConstant<int8_t>("w", shape, codes, weights);
  const int bi = b.AddConstant<int64_t>("b", {outs}, bias, biases);
  // Sums that mostly fit, some that saturate.
  const float magnitude =
      std::sqrt(static_cast<float>(count) / static_cast<float>(outs));
  const float out_scale = in_scale * weights.scale[0] * 60 * magnitude *
                          (seed % 4 == 1 ? 0.3f : 2.0f);
  const int y = b.AddTensor("y", out, kInt16, Q(out_scale));
  const auto activation = relu ? schema::ActivationFunctionType::RELU6
                               : schema::ActivationFunctionType::NONE;
  if (full) {
    schema::FullyConnectedOptionsT options;
    options.fused_activation_function = activation;
    b.AddOp(op, 7, {x, w, bi}, {y}, options);
  } else if (transposed) {
    schema::TransposeConvOptionsT options;
    options.stride_w = options.stride_h = 2;
    const int size = b.AddConstant<int32_t>(
        "s", {4}, std::vector<int32_t>(out.begin(), out.end()));
    b.AddOp(op, 3, {size, w, x, bi}, {y}, options);
  } else if (depthwise) {
    schema::DepthwiseConv2DOptionsT options;
    options.stride_w = options.stride_h = 1;
    options.depth_multiplier = 2;
    options.fused_activation_function = activation;
    b.AddOp(op, 5, {x, w, bi}, {y}, options);
  } else {
    schema::Conv2DOptionsT options;
    options.stride_w = options.stride_h = 1;
    options.fused_activation_function = activation;
    b.AddOp(op, 4, {x, w, bi}, {y}, options);
  }
  b.SetOutputs({y});
  size_t elements = 1;
  for (int d : in) elements *= static_cast<size_t>(d);
  // Not vacuous: the integers are what ran.
  const bool integer = compute != kTfLiteGlesQuantizedFloat;
  return CodesApart(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), " seed ", seed), b,
      {Values(elements, in_scale, seed)}, out_scale, compute,
      integer ? "\"nodes_on_codes\": 1" : "");
}

TEST_F(SixteenBitTest, ProductsAreTheCpusIntegers) {
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
    EXPECT_GT(ProductApart(op, 0, 8, false, kTfLiteGlesQuantizedFloat), 0);
  }
}

// Sums past 2^30, which the CPU adds up in 64 bits; past 2^32 as well.
// TRANSPOSE and plain convolutions of nine taps.
TEST_F(SixteenBitTest, LargeSumsAreTheCpusIntegers) {
  for (Op op : {Op::CONV_2D, Op::DEPTHWISE_CONV_2D, Op::FULLY_CONNECTED,
                Op::TRANSPOSE_CONV}) {
    for (int seed = 0; seed < 50; ++seed) {
      // Channels whose magnitudes are below 2^17, and past it.
      const int depth = seed % 2 == 0 ? 1200 : 3000;
      const int channels = op == Op::FULLY_CONNECTED     ? depth
                           : op == Op::DEPTHWISE_CONV_2D ? 5
                                                         : depth / 9;
      // A depthwise sum is large by its bias alone.
      const int64_t most_bias = op == Op::DEPTHWISE_CONV_2D || seed % 7 == 3
                                    ? int64_t{1} << (31 + seed % 3)
                                    : 10000000;
      EXPECT_EQ(ProductApart(op, seed, channels, seed % 5 == 2,
                             kTfLiteGlesQuantizedInteger, most_bias),
                0)
          << schema::EnumNameBuiltinOperator(op) << " " << seed;
    }
  }
}

// --- Functions of two --------------------------------------------------------

// Of random scales; of two tensors, of a broadcast one, or of a constant.
float FunctionApart(Op op, int seed, TfLiteGlesQuantizedCompute compute) {
  std::mt19937 random(seed);
  const auto scale = [&random] {
    return std::exp2(-14.0f + 0.01f * static_cast<float>(random() % 500));
  };
  const float a_scale = scale(), b_scale = scale();
  const Shape full = {2, 6, 5, 7}, row = {1, 1, 1, 7};
  ModelBuilder b;
  const int x = b.AddInput("x", full, kInt16, Q(a_scale));
  std::vector<std::vector<float>> inputs = {Values(420, a_scale, seed)};
  int z = x;
  if (seed % 3 == 2) {
    std::vector<int16_t> codes(7);
    for (int16_t& code : codes) code = static_cast<int16_t>(random() >> 16);
    z = b.AddConstant<int16_t>("z", row, codes, Q(b_scale));
  } else {
    const bool broadcast = seed % 3 == 1;
    z = b.AddInput("z", broadcast ? row : full, kInt16, Q(b_scale));
    inputs.push_back(Values(broadcast ? 7 : 420, b_scale, seed + 1));
  }
  const float out_scale =
      (op == Op::MUL ? a_scale * b_scale * 30000 : a_scale + b_scale) *
      (0.6f + 0.01f * static_cast<float>(random() % 50));
  const int y = b.AddTensor("y", full, kInt16, Q(out_scale));
  const std::vector<int> operands =
      seed % 2 == 0 ? std::vector<int>{x, z} : std::vector<int>{z, x};
  const auto activation = seed % 5 == 3 ? schema::ActivationFunctionType::RELU
                                        : schema::ActivationFunctionType::NONE;
  if (op == Op::ADD) {
    schema::AddOptionsT options;
    options.pot_scale_int16 = false;
    options.fused_activation_function = activation;
    b.AddOp(op, 3, operands, {y}, options);
  } else if (op == Op::SUB) {
    schema::SubOptionsT options;
    options.pot_scale_int16 = false;
    options.fused_activation_function = activation;
    b.AddOp(op, 5, operands, {y}, options);
  } else {
    schema::MulOptionsT options;
    options.fused_activation_function = activation;
    b.AddOp(op, 4, operands, {y}, options);
  }
  b.SetOutputs({y});
  const bool integer = compute != kTfLiteGlesQuantizedFloat;
  return CodesApart(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), " seed ", seed), b,
      std::move(inputs), out_scale, compute,
      integer ? "\"nodes_on_codes\": 1" : "");
}

TEST_F(SixteenBitTest, FunctionsOfTwoAreTheCpusIntegers) {
  for (Op op : {Op::ADD, Op::SUB, Op::MUL}) {
    for (int seed = 0; seed < 200; ++seed) {
      EXPECT_EQ(FunctionApart(op, seed, kTfLiteGlesQuantizedInteger), 0)
          << schema::EnumNameBuiltinOperator(op) << " " << seed;
    }
  }
}

// Versions that TFLite 2.9 does not have yet, of its 16-bit kernels.
TEST(SixteenBitVersionTest, OfNewerRuntimesAreTaken) {
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

}  // namespace
}  // namespace gles_delegate::testing
