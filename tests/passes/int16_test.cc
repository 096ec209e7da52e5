// labels: op quant llvmpipe
// Ops on int16 values (16x8 models) beside TFLite's own kernels: every code is
// the CPU's. `int16_quantized_test.cc` has those of one input, many to a model;
// `int16_products_test.cc` has sums of products.
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/op_list.h"
#include "gmock/gmock.h"
#include "tests/testing/device_test.h"
#include "tests/testing/int16_values.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using Shape = ModelBuilder::Shape;
constexpr auto kInt16 = TensorType::INT16;
constexpr float kScale = 1e-3f;

class Int16Test : public DeviceTest {};

constexpr int kSeeds = 3;

TEST_F(Int16Test, Pooling) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    for (Op op : {Op::MAX_POOL_2D, Op::AVERAGE_POOL_2D}) {
      ModelBuilder b;
      const int x = b.AddInput("x", {2, 7, 6, 5}, kInt16, WideScale(kScale));
      const int y = b.AddTensor("y", {2, 3, 3, 5}, kInt16, WideScale(kScale));
      schema::Pool2DOptionsT pool;
      pool.stride_w = pool.stride_h = pool.filter_width = 2;
      pool.filter_height = 3;
      pool.padding = schema::Padding::VALID;
      b.AddOp(op, 3, {x}, {y}, pool);
      b.SetOutputs({y});
      EXPECT_EQ(QuantizedApart("pooling", b, {Int16Values(420, kScale, seed)},
                               kScale),
                0);
    }
  }
}

TEST_F(Int16Test, WhatMovesQuantizedValuesGivesEveryCode) {
  const std::vector<std::vector<float>> one = {Int16Values(48, kScale, 1)};
  {
    ModelBuilder b;
    const int x = b.AddInput("x", {1, 4, 4, 3}, kInt16, WideScale(kScale));
    const int z = b.AddInput("z", {1, 4, 4, 3}, kInt16, WideScale(kScale));
    const int y = b.AddTensor("y", {1, 4, 4, 6}, kInt16, WideScale(kScale));
    schema::ConcatenationOptionsT options;
    options.axis = 3;
    b.AddOp(Op::CONCATENATION, 3, {x, z}, {y}, options);
    b.SetOutputs({y});
    EXPECT_EQ(QuantizedApart("CONCATENATION", b,
                             {one[0], Int16Values(48, kScale, 2)}, kScale),
              0);
  }
  {
    ModelBuilder b;
    const int x = b.AddInput("x", {1, 4, 4, 3}, kInt16, WideScale(kScale));
    const int pads = b.AddConstant<int32_t>(
        "p", {4, 2}, std::vector<int32_t>{0, 0, 1, 1, 2, 1, 0, 0});
    const int y = b.AddTensor("y", {1, 6, 7, 3}, kInt16, WideScale(kScale));
    b.AddOp(Op::PAD, 3, {x, pads}, {y}, schema::PadOptionsT());
    b.SetOutputs({y});
    EXPECT_EQ(QuantizedApart("PAD", b, one, kScale), 0);
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
  const int x = b.AddInput("x", full, kInt16, WideScale(a_scale));
  std::vector<std::vector<float>> inputs = {Int16Values(420, a_scale, seed)};
  int z = x;
  if (seed % 3 == 2) {
    std::vector<int16_t> quantized(7);
    for (int16_t& code : quantized) code = static_cast<int16_t>(random() >> 16);
    z = b.AddConstant<int16_t>("z", row, quantized, WideScale(b_scale));
  } else {
    const bool broadcast = seed % 3 == 1;
    z = b.AddInput("z", broadcast ? row : full, kInt16, WideScale(b_scale));
    inputs.push_back(Int16Values(broadcast ? 7 : 420, b_scale, seed + 1));
  }
  const float out_scale =
      (op == Op::MUL ? a_scale * b_scale * 30000 : a_scale + b_scale) *
      (0.6f + 0.01f * static_cast<float>(random() % 50));
  const int y = b.AddTensor("y", full, kInt16, WideScale(out_scale));
  const std::vector<int> operands =
      seed % 2 == 0 ? std::vector<int>{x, z} : std::vector<int>{z, x};
  const auto activation = seed % 5 == 3 ? schema::ActivationFunctionType::RELU
                                        : schema::ActivationFunctionType::NONE;
  if (op == Op::MUL) {
    schema::MulOptionsT options;
    options.fused_activation_function = activation;
    b.AddOp(op, 4, operands, {y}, options);
  } else {
    AddInt16Sum(&b, op, operands, y, activation, /*shifts=*/false);
  }
  b.SetOutputs({y});
  const bool integer = compute != kTfLiteGlesQuantizedFloat;
  return QuantizedApart(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), " seed ", seed), b,
      std::move(inputs), out_scale, compute,
      integer ? "\"nodes_on_integer_path\": 1" : "");
}

TEST_F(Int16Test, FunctionsOfTwoAreTheCpusIntegers) {
  for (Op op : {Op::ADD, Op::SUB, Op::MUL}) {
    for (int seed = 0; seed < 200; ++seed) {
      EXPECT_EQ(FunctionApart(op, seed, kTfLiteGlesQuantizedInteger), 0)
          << schema::EnumNameBuiltinOperator(op) << " " << seed;
    }
  }
}

// Versions that TFLite 2.9 does not have yet, of its 16-bit kernels.
TEST(Int16VersionTest, OfNewerRuntimesAreTaken) {
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
