// labels: op quant softpipe
// Chains of twenty 8-bit ops, one after the other: an error of one code in any
// would grow. Every node computes on codes, and every code of every tensor on
// the way is TFLite's.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/device.h"
#include "tests/testing/single_op.h"
#include "tools/common/model_builder.h"

namespace gles_delegate::testing {
namespace {

using ::testing::HasSubstr;
using Dims = ModelBuilder::Shape;
using Op = schema::BuiltinOperator;
using Act = schema::ActivationFunctionType;

// Builds a chain on tensors of one shape. Output ranges are guessed from what
// each op makes of a spread of values, so that codes stay spread.
template <typename Code>
class Chain {
 public:
  static constexpr auto kType = TensorTypeOf<Code>::kValue;
  static constexpr int kLow = std::is_signed<Code>::value ? -128 : 0;
  static constexpr int kChannels = 9;

  explicit Chain(int seed) : random_(seed) {
    const Dims dims = {1, 8, 8, kChannels};
    q_ = Q(0.005f);
    x_ = b_.AddInput("x", dims, kType, q_);
    std::vector<float> values(8 * 8 * kChannels);
    for (float& v : values) {
      v = q_.scale[0] * static_cast<float>(static_cast<int>(random_() % 256) +
                                           kLow - q_.zero_point[0]);
    }
    model_.inputs.push_back(std::move(values));
  }

  // A scale of about so much, and a zero point about the middle.
  ModelQuantization Q(float scale) {
    std::uniform_real_distribution<float> factor(0.8f, 1.25f);
    return ModelQuantization::PerTensor(
        scale * factor(random_), kLow + 100 + static_cast<int>(random_() % 56));
  }
  float scale() const { return q_.scale[0]; }

  int Constant(const Dims& dims, const ModelQuantization& q) {
    size_t n = 1;
    for (int d : dims) n *= static_cast<size_t>(d);
    std::vector<Code> codes(n);
    for (Code& c : codes) c = static_cast<Code>(random_() >> 24);
    return b_.AddConstant<Code>("c", dims, codes, q);
  }
  // The next tensor, which `node` writes from the last.
  void Next(const ModelQuantization& q,
            const std::function<void(int x, int y)>& node) {
    const int y = b_.AddTensor(absl::StrCat("t", outputs_.size()),
                               {1, 8, 8, kChannels}, kType, q);
    node(x_, y);
    outputs_.push_back(y);
    x_ = y;
    q_ = q;
  }
  void Unary(Op op, int version, float gain) {
    Next(Q(gain * scale()),
         [&](int x, int y) { b_.AddOp(op, version, {x}, {y}); });
  }
  template <typename Options>
  void Binary(Op op, const Dims& dims, float other_scale, float out_scale,
              bool constant_first, Options options) {
    const int c = Constant(dims, Q(other_scale));
    Next(Q(out_scale), [&](int x, int y) {
      b_.AddOp(op, 2,
               constant_first ? std::vector<int>{c, x} : std::vector<int>{x, c},
               {y}, options);
    });
  }

  void Conv() {
    ModelQuantization weights, bias;
    const bool is_signed = std::is_signed<Code>::value;
    const int count = is_signed ? kChannels : 1;
    std::uniform_real_distribution<float> factor(0.5f, 1.0f);
    for (int i = 0; i < count; ++i) {
      weights.scale.push_back(0.003f * factor(random_));
      weights.zero_point.push_back(is_signed ? 0 : 120);
      bias.scale.push_back(weights.scale.back() * scale());
      bias.zero_point.push_back(0);
    }
    const int w = Constant({kChannels, 3, 3, kChannels}, weights);
    std::vector<int32_t> values(kChannels);
    for (int32_t& v : values) v = static_cast<int32_t>(random_() % 4001) - 2000;
    const int bias_id = b_.AddConstant<int32_t>("b", {kChannels}, values, bias);
    schema::Conv2DOptionsT options;
    options.stride_w = options.stride_h = 1;
    Next(Q(1.2f * scale()), [&](int x, int y) {
      b_.AddOp(Op::CONV_2D, 3, {x, w, bias_id}, {y}, options);
    });
  }
  void LeakyRelu() {
    schema::LeakyReluOptionsT options;
    options.alpha = 0.3f;
    Next(Q(scale()),
         [&](int x, int y) { b_.AddOp(Op::LEAKY_RELU, 2, {x}, {y}, options); });
  }
  void Prelu() {
    const int alpha = Constant({1, 1, kChannels}, Q(0.005f));
    Next(Q(scale()), [&](int x, int y) {
      b_.AddOp(Op::PRELU, 1, {x, alpha}, {y});
    });
  }
  void AddRow() {
    Binary(Op::ADD, {8, kChannels}, 0.5f * scale(), 1.3f * scale(), false,
           schema::AddOptionsT());
  }
  void SubScalar() {
    Binary(Op::SUB, {}, 0.3f * scale(), scale(), false, schema::SubOptionsT());
  }
  void SubFromChannels() {
    Binary(Op::SUB, {kChannels}, 0.5f * scale(), 1.3f * scale(), true,
           schema::SubOptionsT());
  }
  void MulPlane() {
    Binary(Op::MUL, {1, 8, 8, 1}, 0.01f, scale(), false, schema::MulOptionsT());
  }
  void MulChannels() {
    Binary(Op::MUL, {1, 1, 1, kChannels}, 0.012f, scale(), true,
           schema::MulOptionsT());
  }
  void HardSwish() { Unary(Op::HARD_SWISH, 1, 1.0f); }
  void Relu6() { Unary(Op::RELU6, 2, 1.0f); }
  void Gelu() {
    schema::GeluOptionsT options;
    Next(Q(scale()),
         [&](int x, int y) { b_.AddOp(Op::GELU, 1, {x}, {y}, options); });
  }
  void Tanh() {
    const auto q = ModelQuantization::PerTensor(1.0f / 128, kLow + 128);
    Next(q, [&](int x, int y) { b_.AddOp(Op::TANH, 2, {x}, {y}); });
  }
  void Logistic() {
    const auto q = ModelQuantization::PerTensor(1.0f / 256, kLow);
    Next(q, [&](int x, int y) { b_.AddOp(Op::LOGISTIC, 2, {x}, {y}); });
  }
  void Requantize() { Unary(Op::QUANTIZE, 2, 0.9f); }
  void Maximum() {
    const int c = Constant({kChannels}, q_);
    Next(q_, [&](int x, int y) { b_.AddOp(Op::MAXIMUM, 2, {x, c}, {y}); });
  }
  void AveragePool() {
    schema::Pool2DOptionsT options;
    options.filter_width = options.filter_height = 3;
    options.stride_w = options.stride_h = 1;
    Next(q_, [&](int x, int y) {
      b_.AddOp(Op::AVERAGE_POOL_2D, 2, {x}, {y}, options);
    });
  }
  void ResidualSum() {
    const int old = outputs_.size() > 4 ? outputs_[outputs_.size() - 4] : x_;
    schema::AddOptionsT options;
    options.fused_activation_function = Act::RELU_N1_TO_1;
    Next(Q(1.5f * scale()), [&](int x, int y) {
      b_.AddOp(Op::ADD, 2, {x, old}, {y}, options);
    });
  }

  // `all_outputs`: each tensor on the way is an output, which nothing fuses
  // over; else only the last.
  SingleOpModel Finish(bool all_outputs) {
    b_.SetOutputs(all_outputs ? outputs_ : std::vector<int>{outputs_.back()});
    model_.bytes = b_.Finish();
    return model_;
  }

  std::mt19937& random() { return random_; }

 private:
  std::mt19937 random_;
  ModelBuilder b_;
  SingleOpModel model_;
  ModelQuantization q_;  // of x_
  int x_ = 0;
  std::vector<int> outputs_;
};

constexpr int kDepth = 20;

template <typename Code>
SingleOpModel Draw(int seed, bool all_outputs) {
  Chain<Code> chain(seed);
  using C = Chain<Code>;
  // Squashing functions once each at most, so that codes stay spread.
  std::vector<void (C::*)()> ops = {
      &C::Conv,        &C::LeakyRelu, &C::Prelu,     &C::AddRow,
      &C::SubScalar,   &C::MulPlane,  &C::HardSwish, &C::SubFromChannels,
      &C::MulChannels, &C::Maximum,   &C::Gelu,      &C::Requantize,
      &C::ResidualSum, &C::Conv,      &C::LeakyRelu, &C::AveragePool,
      &C::AddRow,      &C::Relu6,     &C::Tanh,      &C::Logistic};
  static_assert(kDepth == 20);
  std::shuffle(ops.begin(), ops.end() - 3, chain.random());
  for (const auto op : ops) (chain.*op)();
  return chain.Finish(all_outputs);
}

int DistinctValues(const TensorValue& value) {
  return static_cast<int>(
      std::set<float>(value.values.begin(), value.values.end()).size());
}

template <typename Code>
void ExpectEveryCode(int seed, bool all_outputs, TfLiteGlesStorage storage) {
  SCOPED_TRACE(absl::StrCat("chain ", seed,
                            std::is_signed<Code>::value ? " int8" : " uint8"));
  const SingleOpModel model = Draw<Code>(seed, all_outputs);
  RunOptions options;
  options.storage = storage;
  const RunResult cpu = RunOnCpu(model);
  ASSERT_TRUE(cpu.status.ok()) << cpu.status;
  const RunResult gpu = RunOnDelegate(model, options);
  ASSERT_TRUE(gpu.status.ok()) << gpu.status;
  EXPECT_THAT(gpu.report, HasSubstr(absl::StrCat("\"nodes\": ", kDepth)));
  EXPECT_THAT(gpu.report,
              HasSubstr(absl::StrCat("\"nodes_on_codes\": ", kDepth)));
  ASSERT_EQ(cpu.outputs.size(), gpu.outputs.size());
  for (size_t o = 0; o < cpu.outputs.size(); ++o) {
    EXPECT_GT(DistinctValues(cpu.outputs[o]), 15) << "tensor " << o;
    EXPECT_EQ(cpu.outputs[o].values, gpu.outputs[o].values) << "tensor " << o;
  }
}

TEST(CodesChainTest, EveryTensorOnTheWay) {
  GLES_SKIP_WITHOUT_DEVICE();
  ExpectEveryCode<int8_t>(1, true, kTfLiteGlesStorageTextureArray);
  ExpectEveryCode<uint8_t>(2, true, kTfLiteGlesStorageBuffer);
}

TEST(CodesChainTest, FusedChains) {
  GLES_SKIP_WITHOUT_DEVICE();
  ExpectEveryCode<int8_t>(3, false, kTfLiteGlesStorageTexture2d);
  ExpectEveryCode<uint8_t>(3, false, kTfLiteGlesStorageAuto);
  ExpectEveryCode<int8_t>(4, false, kTfLiteGlesStorageAuto);
  ExpectEveryCode<uint8_t>(5, false, kTfLiteGlesStorageTextureArray);
}

}  // namespace
}  // namespace gles_delegate::testing
