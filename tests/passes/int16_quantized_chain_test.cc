// labels: op quant softpipe
// Chains of ops on int16 values (16x8 models), twenty nodes and more, one after
// the other. Every node computes TFLite's integers, and every code of every
// tensor on the way is TFLite's.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/testing/code_chain.h"
#include "tests/testing/device.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// Each function ends in a tensor of the shape that it began with.
class Chain : public CodeChain<int16_t> {
 public:
  static constexpr int kSide = 8, kChannels = 9;
  explicit Chain(int seed) : CodeChain(seed, {1, kSide, kSide, kChannels}) {}

  void Conv() { Convolution(Op::CONV_2D, kChannels, 1.2f); }
  void DepthwiseConv() { Convolution(Op::DEPTHWISE_CONV_2D, 1, 0.5f); }
  void FullyConnected() {
    ModelQuantization weights, bias;
    const int w = Weights({kChannels, kChannels}, 1, 0, &weights, &bias);
    const int b = Bias(bias);
    schema::FullyConnectedOptionsT options;
    options.keep_num_dims = true;
    Next(Q(0.6f * scale()), [&](int x, int y) {
      b_.AddOp(Op::FULLY_CONNECTED, 7, {x, w, b}, {y}, options);
    });
  }
  // Of all pixels of a row by one another, and back to the channels.
  void BatchMatMul() {
    schema::BatchMatMulOptionsT by_transposed;
    by_transposed.adj_y = true;
    const int rows = x();
    const float rows_scale = scale();
    Next(Q(scale() * scale() * 40000), {1, kSide, kSide, kSide},
         [&](int x, int y) {
           b_.AddOp(Op::BATCH_MATMUL, 3, {x, x}, {y}, by_transposed);
         });
    Next(Q(scale() * rows_scale * 40000), {1, kSide, kSide, kChannels},
         [&](int x, int y) {
           b_.AddOp(Op::BATCH_MATMUL, 3, {x, rows}, {y},
                    schema::BatchMatMulOptionsT());
         });
  }

  void AddRow() {
    schema::AddOptionsT options;
    options.pot_scale_int16 = false;
    Binary(Op::ADD, 3, {1, 1, kSide, kChannels}, 0.5f * scale(), 1.3f * scale(),
           false, options);
  }
  void SubFromChannels() {
    schema::SubOptionsT options;
    options.pot_scale_int16 = false;
    Binary(Op::SUB, 5, {kChannels}, 0.5f * scale(), 1.3f * scale(), true,
           options);
  }
  void MulPlane() {
    Binary(Op::MUL, 4, {1, kSide, kSide, 1}, 0.01f * kCode, scale(), false,
           schema::MulOptionsT());
  }
  void Maximum() {
    const int c = Constant({kChannels}, q());
    Next(q(), [&](int x, int y) { b_.AddOp(Op::MAXIMUM, 3, {x, c}, {y}); });
  }
  void LeakyRelu() {
    schema::LeakyReluOptionsT options;
    options.alpha = 0.3f;
    Next(Q(scale()),
         [&](int x, int y) { b_.AddOp(Op::LEAKY_RELU, 2, {x}, {y}, options); });
  }
  void Requantize() { Unary(Op::QUANTIZE, 2, 0.9f); }
  void Relu6() { Unary(Op::RELU6, 3, 1.0f); }
  void Tanh() { Fraction(Op::TANH); }
  void Logistic() { Fraction(Op::LOGISTIC); }
  void Softmax() {
    schema::SoftmaxOptionsT options;
    options.beta = 1.0f;
    Next(ModelQuantization::PerTensor(1.0f / 32768, 0),
         [&](int x, int y) { b_.AddOp(Op::SOFTMAX, 3, {x}, {y}, options); });
    Spread();
  }

  void AveragePool() {
    schema::Pool2DOptionsT options;
    options.filter_width = options.filter_height = 3;
    options.stride_w = options.stride_h = 1;
    Next(q(), [&](int x, int y) {
      b_.AddOp(Op::AVERAGE_POOL_2D, 3, {x}, {y}, options);
    });
  }
  void MeanOfPlane() {
    Reduce({1, 2}, {1, 1, 1, kChannels}, Q(0.3f * scale()));
  }
  void MeanOfChannels() {
    Reduce({3}, {1, kSide, kSide, 1}, Q(0.5f * scale()));
  }
  void Bilinear() {
    schema::ResizeBilinearOptionsT options;
    options.half_pixel_centers = true;
    Shaped(Op::RESIZE_BILINEAR, 4, q(), {1, 15, 13, kChannels},
           {Ints({15, 13})}, options);
    options.half_pixel_centers = false;
    Shaped(Op::RESIZE_BILINEAR, 4, q(), {1, kSide, kSide, kChannels},
           {Ints({kSide, kSide})}, options);
  }
  // Codes as they are, to tensors of other scales.
  void Transpose() {
    for (int i = 0; i < 2; ++i) {
      const Dims to = i == 0 ? Dims{1, kChannels, kSide, kSide}
                             : Dims{1, kSide, kSide, kChannels};
      Shaped(Op::TRANSPOSE, 2, Q(scale()), to, {Ints({0, 3, 2, 1})},
             schema::TransposeOptionsT());
    }
  }

 private:
  // int8 weights of 0.003 or so, `count` scales of them along `dimension`, and
  // what the bias is to be of.
  int Weights(const Dims& dims, int count, int dimension,
              ModelQuantization* weights, ModelQuantization* bias) {
    std::uniform_real_distribution<float> factor(0.5f, 1.0f);
    weights->dimension = dimension;
    for (int i = 0; i < count; ++i) {
      weights->scale.push_back(0.003f * factor(random()));
      weights->zero_point.push_back(0);
      bias->scale.push_back(weights->scale.back() * scale());
      bias->zero_point.push_back(0);
    }
    size_t elements = 1;
    for (int d : dims) elements *= static_cast<size_t>(d);
    std::vector<int8_t> quantized(elements);
    for (int8_t& c : quantized) {
      c = static_cast<int8_t>(static_cast<int>(random()() % 255) - 127);
    }
    return b_.AddConstant<int8_t>("w", dims, quantized, *weights);
  }
  int Bias(const ModelQuantization& q) {
    std::vector<int64_t> values(kChannels);
    for (int64_t& v : values) {
      v = static_cast<int64_t>(random()() % 1000001) - 500000;
    }
    return b_.AddConstant<int64_t>("b", {kChannels}, values, q);
  }
  // 3x3, of `depth` weights a tap and channel of the output.
  void Convolution(Op op, int depth, float gain) {
    const bool depthwise = op == Op::DEPTHWISE_CONV_2D;
    ModelQuantization weights, bias;
    const Dims dims =
        depthwise ? Dims{depth, 3, 3, kChannels} : Dims{kChannels, 3, 3, depth};
    const int w = Weights(dims, kChannels, depthwise ? 3 : 0, &weights, &bias);
    const int b = Bias(bias);
    Next(Q(gain * scale()), [&](int x, int y) {
      if (depthwise) {
        schema::DepthwiseConv2DOptionsT options;
        options.stride_w = options.stride_h = options.depth_multiplier = 1;
        b_.AddOp(op, 5, {x, w, b}, {y}, options);
      } else {
        schema::Conv2DOptionsT options;
        options.stride_w = options.stride_h = 1;
        b_.AddOp(op, 4, {x, w, b}, {y}, options);
      }
    });
  }
  void Fraction(Op op) {
    Next(ModelQuantization::PerTensor(1.0f / 32768, 0),
         [&](int x, int y) { b_.AddOp(op, 3, {x}, {y}); });
    Spread();
  }
  // To a finer scale, less a constant, so that what was squashed is spread.
  void Spread() {
    schema::SubOptionsT options;
    options.pot_scale_int16 = false;
    Binary(Op::SUB, 5, {kChannels}, 0.3f * scale(), 0.9f * scale(), false,
           options);
  }
  // A mean, and what is reduced less that. `dims`: of the mean.
  void Reduce(const std::vector<int32_t>& axes, const Dims& dims,
              const ModelQuantization& to) {
    const int whole = x();
    const float whole_scale = scale();
    schema::ReducerOptionsT options;
    options.keep_dims = true;
    Shaped(Op::MEAN, 2, to, dims, {Ints(axes)}, options);
    Next(Q(1.3f * std::max(whole_scale, scale())), {1, kSide, kSide, kChannels},
         [&](int x, int y) {
           schema::SubOptionsT options;
           options.pot_scale_int16 = false;
           b_.AddOp(Op::SUB, 5, {whole, x}, {y}, options);
         });
  }
};

void Expect(int seed, bool all_outputs, TfLiteGlesStorage storage) {
  const ChainOps<Chain> ops = {
      &Chain::Conv,           &Chain::DepthwiseConv, &Chain::FullyConnected,
      &Chain::BatchMatMul,    &Chain::AddRow,        &Chain::SubFromChannels,
      &Chain::MulPlane,       &Chain::Maximum,       &Chain::LeakyRelu,
      &Chain::Requantize,     &Chain::AveragePool,   &Chain::MeanOfPlane,
      &Chain::MeanOfChannels, &Chain::Bilinear,      &Chain::Transpose,
      &Chain::Relu6,          &Chain::Tanh,          &Chain::Logistic,
      &Chain::Softmax};
  ExpectChain(seed, ops, /*fixed=*/4, /*depth=*/27, all_outputs, storage);
}

TEST(Int16QuantizedChainTest, EveryTensorOnTheWay) {
  GLES_SKIP_WITHOUT_DEVICE();
  Expect(1, true, kTfLiteGlesStorageTextureArray);
}

TEST(Int16QuantizedChainTest, FusedChain) {
  GLES_SKIP_WITHOUT_DEVICE();
  Expect(2, false, kTfLiteGlesStorageBuffer);
}

}  // namespace
}  // namespace gles_delegate::testing
