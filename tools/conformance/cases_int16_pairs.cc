// Ops on 16-bit tensors (16x8 models) of several tensors: sums of products and
// joins. No code may differ from TFLite's integer kernels, whatever the scales.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "tools/conformance/cases.h"
#include "tools/conformance/quantized_series.h"

namespace gles_delegate::conformance {
namespace {

ModelQuantization Int16QuantizationOf(float scale) {
  return ModelQuantization::PerTensor(scale, 0);
}

// --- Sums of products --------------------------------------------------------

// The op with 16-bit activations `x` and `y` and 8-bit weights `w`.
struct Product {
  Op op = Op::CONV_2D;
  Shape x, w, y;
  int channels = 0;  // the dimension of the weights that is the output's
  int terms = 0;
};

void AddProductNode(const Product& p, Act activation, std::vector<int> inputs,
                    int y, QuantizedBuilder& b) {
  const auto add = [&](auto options, int version) {
    options.fused_activation_function = activation;
    b.builder().AddOp(p.op, version, std::move(inputs), {y}, options);
  };
  const auto of_window = [](auto options, int stride) {
    options.padding = schema::Padding::SAME;
    options.stride_w = options.stride_h = stride;
    return options;
  };
  switch (p.op) {
    case Op::FULLY_CONNECTED:
      return add(schema::FullyConnectedOptionsT(), 7);
    case Op::DEPTHWISE_CONV_2D: {
      auto options = of_window(schema::DepthwiseConv2DOptionsT(), 1);
      options.depth_multiplier = p.y[3] / p.x[3];
      return add(options, 5);
    }
    case Op::TRANSPOSE_CONV: {
      const std::vector<int32_t> to(p.y.begin(), p.y.end());
      inputs = {b.builder().AddConstant<int32_t>("size", {4}, to), inputs[1],
                inputs[0], inputs[2]};
      b.builder().AddOp(p.op, 3, std::move(inputs), {y},
                        of_window(schema::TransposeConvOptionsT(), 2));
      return;
    }
    default:
      return add(of_window(schema::Conv2DOptionsT(), 1), 4);
  }
}

void AddInt16Product(CaseList* list, const Product& p) {
  AddInt16Series(
      list, p.op, "quantized", p.x, [=](QuantizedBuilder& b, int number) {
        constexpr Act kActs[] = {Act::NONE, Act::RELU, Act::RELU6, Act::NONE};
        const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
        std::vector<float> scales;
        const int x = b.InputOfQuantized("x", p.x, in, AllQuantized(b, 37));
        // FULLY_CONNECTED takes one scale for all channels.
        const int w = b.Weights(
            "w", p.w, p.channels, b.random().NextUniform(0.001f, 0.05f),
            number % 3 == 0 || p.op == Op::FULLY_CONNECTED, &scales);
        // Most sums fit the output, and some saturate.
        const float scale = in.scale[0] * scales[0] * 60 *
                            std::sqrt(static_cast<float>(p.terms)) *
                            (number % 4 == 1 ? 0.3f : 2.0f);
        const int bias =
            b.Bias(p.w[p.channels], in.scale[0], scales, 3000 * scale);
        const int y = b.Output("y", p.y, Int16QuantizationOf(scale));
        AddProductNode(p, kActs[number % 4], {x, w, bias}, y, b);
        return b.Finish({y});
      });
}

void AddInt16Products(CaseList* list) {
  AddInt16Product(
      list, {Op::CONV_2D, {2, 6, 5, 9}, {7, 3, 3, 9}, {2, 6, 5, 7}, 0, 81});
  AddInt16Product(list, {Op::DEPTHWISE_CONV_2D,
                         {2, 6, 5, 9},
                         {1, 3, 3, 18},
                         {2, 6, 5, 18},
                         3,
                         9});
  AddInt16Product(
      list,
      {Op::TRANSPOSE_CONV, {1, 4, 5, 7}, {6, 3, 3, 7}, {1, 8, 10, 6}, 0, 63});
  AddInt16Product(list, {Op::FULLY_CONNECTED, {5, 33}, {7, 33}, {5, 7}, 0, 33});
}

// Sums of this many terms exceed 32 bits.
void AddDeepBatchMatMul(CaseList* list) {
  static const auto& left = *new Shape{6, 1500};
  AddInt16Series(
      list, Op::BATCH_MATMUL, "deep", left,
      [](QuantizedBuilder& b, int number) {
        schema::BatchMatMulOptionsT options;
        options.adj_y = number % 2 == 1;
        const Shape right = options.adj_y ? Shape{7, 1500} : Shape{1500, 7};
        const ModelQuantization p = WithZeroPoint(b, DrawScale(b));
        const ModelQuantization q = WithZeroPoint(b, DrawScale(b));
        const int x = b.InputOfQuantized("x", left, p, AllQuantized(b, 37));
        const int z =
            Operand(b, "z", right, q, /*constant=*/number % 3 == 0, 1031);
        const int y =
            b.Output("y", {6, 7},
                     Int16QuantizationOf(DrawBeside(
                         b, p.scale[0] * q.scale[0] * 600000, -1, 2)));
        b.builder().AddOp(Op::BATCH_MATMUL, 3, {x, z}, {y}, options);
        return b.Finish({y});
      });
}

// --- Joins -------------------------------------------------------------------

void AddJoins(CaseList* list) {
  static const auto& shape = *new Shape{1, 4, 9, 7};
  const auto other = [](QuantizedBuilder& b, const ModelQuantization& out,
                        int number) {
    // No two scales that are drawn differ by this factor.
    return number % 4 == 0 ? out : WithZeroPoint(b, 1.37f * DrawScale(b));
  };
  AddInt16Series(list, Op::CONCATENATION, "quantized", shape,
                 [=](QuantizedBuilder& b, int number) {
                   const ModelQuantization out = WithZeroPoint(b, DrawScale(b));
                   const int x = b.InputOfQuantized(
                       "x", shape, other(b, out, number), AllQuantized(b, 37));
                   const int z =
                       Operand(b, "z", shape, other(b, out, number + 2),
                               /*constant=*/number % 3 == 0, 1031);
                   return JoinOf(b, x, z, shape, 2 + number % 2, out);
                 });
}

}  // namespace

void AddInt16PairCases(CaseList* list) {
  AddInt16Products(list);
  AddDeepBatchMatMul(list);
  AddJoins(list);
}

}  // namespace gles_delegate::conformance
