// labels: op quant softpipe
// Chains of twenty 8-bit ops, one after the other: an error of one code in any
// would grow. Every node computes on the integer path, and every code of every
// tensor on the way is TFLite's. quantized_shapes_chain_test.cc has reductions,
// rows, resizes and what moves codes.
#include <random>
#include <type_traits>
#include <vector>

#include "tests/testing/code_chain.h"
#include "tests/testing/device.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// Of tensors of one shape.
template <typename Code>
class Chain : public CodeChain<Code> {
 public:
  using Base = CodeChain<Code>;
  using Base::random;
  explicit Chain(int seed) : Base(seed, {1, 8, 8, 9}) {}

  void Conv() {
    ModelQuantization weights, bias;
    const bool is_signed = std::is_signed<Code>::value;
    const int count = is_signed ? channels() : 1;
    std::uniform_real_distribution<float> factor(0.5f, 1.0f);
    for (int i = 0; i < count; ++i) {
      weights.scale.push_back(0.003f * factor(random()));
      weights.zero_point.push_back(is_signed ? 0 : 120);
      bias.scale.push_back(weights.scale.back() * scale());
      bias.zero_point.push_back(0);
    }
    const int w = Constant({channels(), 3, 3, channels()}, weights);
    std::vector<int32_t> values(channels());
    for (int32_t& v : values) {
      v = static_cast<int32_t>(random()() % 4001) - 2000;
    }
    const int bias_id =
        b_.template AddConstant<int32_t>("b", {channels()}, values, bias);
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
    const int alpha = Constant({1, 1, channels()}, Q(0.005f));
    Next(Q(scale()), [&](int x, int y) {
      b_.AddOp(Op::PRELU, 1, {x, alpha}, {y});
    });
  }
  void AddRow() {
    Binary(Op::ADD, 2, {8, channels()}, 0.5f * scale(), 1.3f * scale(), false,
           schema::AddOptionsT());
  }
  void SubScalar() {
    Binary(Op::SUB, 2, {}, 0.3f * scale(), scale(), false,
           schema::SubOptionsT());
  }
  void SubFromChannels() {
    Binary(Op::SUB, 2, {channels()}, 0.5f * scale(), 1.3f * scale(), true,
           schema::SubOptionsT());
  }
  void MulPlane() {
    Binary(Op::MUL, 2, {1, 8, 8, 1}, 0.01f, scale(), false,
           schema::MulOptionsT());
  }
  void MulChannels() {
    Binary(Op::MUL, 2, {1, 1, 1, channels()}, 0.012f, scale(), true,
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
    const int c = Constant({channels()}, q());
    Next(q(), [&](int x, int y) { b_.AddOp(Op::MAXIMUM, 2, {x, c}, {y}); });
  }
  void AveragePool() {
    schema::Pool2DOptionsT options;
    options.filter_width = options.filter_height = 3;
    options.stride_w = options.stride_h = 1;
    Next(q(), [&](int x, int y) {
      b_.AddOp(Op::AVERAGE_POOL_2D, 2, {x}, {y}, options);
    });
  }
  void ResidualSum() {
    const int old = Before(3);
    schema::AddOptionsT options;
    options.fused_activation_function = Act::RELU_N1_TO_1;
    Next(Q(1.5f * scale()), [&](int x, int y) {
      b_.AddOp(Op::ADD, 2, {x, old}, {y}, options);
    });
  }

  static void Expect(int seed, bool all_outputs, TfLiteGlesStorage storage) {
    // Squashing functions once each at most, so that quantized values stay
    // spread.
    const ChainOps<Chain> ops = {&Chain::Conv,        &Chain::LeakyRelu,
                                 &Chain::Prelu,       &Chain::AddRow,
                                 &Chain::SubScalar,   &Chain::MulPlane,
                                 &Chain::HardSwish,   &Chain::SubFromChannels,
                                 &Chain::MulChannels, &Chain::Maximum,
                                 &Chain::Gelu,        &Chain::Requantize,
                                 &Chain::ResidualSum, &Chain::Conv,
                                 &Chain::LeakyRelu,   &Chain::AveragePool,
                                 &Chain::AddRow,      &Chain::Relu6,
                                 &Chain::Tanh,        &Chain::Logistic};
    ExpectChain(seed, ops, /*fixed=*/3, /*depth=*/20, all_outputs, storage);
  }

 private:
  using Base::b_;
  using Base::Before;
  using Base::Binary;
  using Base::channels;
  using Base::Constant;
  using Base::kLow;
  using Base::Next;
  using Base::Q;
  using Base::q;
  using Base::scale;
  using Base::Unary;
};

TEST(QuantizedChainTest, EveryTensorOnTheWay) {
  GLES_SKIP_WITHOUT_DEVICE();
  ExpectEveryTensorOnTheWay<Chain>();
}

TEST(QuantizedChainTest, FusedChains) {
  GLES_SKIP_WITHOUT_DEVICE();
  ExpectFusedChains<Chain>();
}

}  // namespace
}  // namespace gles_delegate::testing
