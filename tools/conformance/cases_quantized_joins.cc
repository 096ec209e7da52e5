// 8-bit ops of several tensors beside the elementwise ones: convolutions,
// FULLY_CONNECTED, BATCH_MATMUL, CONCATENATION. No code may
// differ, whatever the scales and zero points.
#include <cmath>
#include <cstdint>
#include <vector>

#include "tools/conformance/cases.h"
#include "tools/conformance/quantized_series.h"

namespace gles_delegate::conformance {
namespace {

// An output that holds most sums of `terms` products of two quantized values;
// in one case of three it saturates at many of them.
ModelQuantization OutputOfSums(QuantizedBuilder& b, float scale_of_products,
                               int terms, int number) {
  const float spread = std::sqrt(static_cast<float>(terms));
  const float part = number % 3 == 0 ? 0.3f : 1.5f;
  return WithZeroPoint(b, scale_of_products * 70 * spread * part);
}

void AddQuantizedTransposeConv(CaseList* list) {
  static const auto& shape = *new Shape{1, 4, 5, 7};
  constexpr int kOut = 6;
  AddSeries(
      list, Op::TRANSPOSE_CONV, "quantized", shape,
      [=](QuantizedBuilder& b, int number) {
        const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
        const std::vector<int32_t> to = {1, 8, 10, kOut};
        const int size = b.builder().AddConstant<int32_t>("size", {4}, to);
        std::vector<float> scales;
        const int w = b.Weights("w", {kOut, 3, 3, shape[3]}, 0, 0.05f,
                                number % 2 == 0, &scales);
        const int x = b.InputOfQuantized("x", shape, in, AllQuantized(b, 37));
        const int bias = b.Bias(kOut, in.scale[0], scales, 100);
        const int y =
            b.Output("y", {to[0], to[1], to[2], to[3]},
                     OutputOfSums(b, in.scale[0] * scales[0], 63, number));
        schema::TransposeConvOptionsT options;
        options.stride_w = options.stride_h = 2;
        b.builder().AddOp(Op::TRANSPOSE_CONV, 3, {size, w, x, bias}, {y},
                          options);
        return b.Finish({y});
      });
}

// The three ops are CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED.
void AddQuantizedProducts(CaseList* list) {
  struct Product {
    Op op;
    Shape x, w, y;
    int channels, terms;
  };
  const Product products[] = {
      {Op::CONV_2D, {2, 6, 5, 9}, {7, 3, 3, 9}, {2, 6, 5, 7}, 0, 81},
      {Op::DEPTHWISE_CONV_2D, {2, 6, 5, 9}, {1, 3, 3, 18}, {2, 6, 5, 18}, 3, 9},
      {Op::FULLY_CONNECTED, {5, 33}, {7, 33}, {5, 7}, 0, 33}};
  for (const Product& p : products) {
    AddSeries(
        list, p.op, "quantized", p.x, [p](QuantizedBuilder& b, int number) {
          constexpr Act kActs[] = {Act::NONE, Act::RELU, Act::RELU6, Act::NONE};
          const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
          std::vector<float> scales;
          const int x = b.InputOfQuantized("x", p.x, in, AllQuantized(b, 37));
          // FULLY_CONNECTED takes one scale for all channels.
          const int w = b.Weights(
              "w", p.w, p.channels, 0.05f,
              number % 2 == 0 || p.op == Op::FULLY_CONNECTED, &scales);
          const int bias = b.Bias(p.w[p.channels], in.scale[0], scales, 100);
          const int y = b.Output(
              "y", p.y,
              OutputOfSums(b, in.scale[0] * scales[0], p.terms, number));
          const auto add = [&](auto options, int version) {
            options.fused_activation_function = kActs[number % 4];
            b.builder().AddOp(p.op, version, {x, w, bias}, {y}, options);
          };
          const auto of_window = [](auto options) {
            options.stride_w = options.stride_h = 1;
            return options;
          };
          if (p.op == Op::CONV_2D) {
            add(of_window(schema::Conv2DOptionsT()), 3);
          } else if (p.op == Op::DEPTHWISE_CONV_2D) {
            auto options = of_window(schema::DepthwiseConv2DOptionsT());
            options.depth_multiplier = 2;
            add(options, 3);
          } else {
            add(schema::FullyConnectedOptionsT(), 4);
          }
          return b.Finish({y});
        });
  }
}

// int8 alone: TFLite has no uint8 kernel of BATCH_MATMUL.
void AddBatchMatMul(CaseList* list) {
  static const auto& shape = *new Shape{2, 7, 33};
  AddSeries(
      list, Op::BATCH_MATMUL, "quantized", shape,
      [=](QuantizedBuilder& b, int number) {
        const ModelQuantization of_x = WithZeroPoint(b, DrawScale(b));
        const ModelQuantization of_z = WithZeroPoint(b, DrawScale(b));
        schema::BatchMatMulOptionsT options;
        options.adj_y = number % 2 == 1;
        const Shape other =
            options.adj_y ? Shape{2, 9, shape[2]} : Shape{2, shape[2], 9};
        const int x = b.InputOfQuantized("x", shape, of_x, AllQuantized(b, 37));
        const int z = b.InputOfQuantized("z", other, of_z, AllQuantized(b, 91));
        const int y = b.Output(
            "y", {2, 7, 9},
            OutputOfSums(b, of_x.scale[0] * of_z.scale[0], shape[2], number));
        b.builder().AddOp(Op::BATCH_MATMUL, 2, {x, z}, {y}, options);
        return b.Finish({y});
      },
      SeriesTypes::kInt8);
}

// TFLite rescales uint8 quantized values, and wants int8 ones to be of one
// quantization.
void AddQuantizedConcatenation(CaseList* list) {
  static const auto& shape = *new Shape{1, 4, 9, 7};
  AddSeries(list, Op::CONCATENATION, "quantized", shape,
            [=](QuantizedBuilder& b, int number) {
              const ModelQuantization out = WithZeroPoint(b, DrawScale(b));
              const auto draw = [&] {
                return b.is_signed()
                           ? out
                           : WithZeroPoint(b,
                                           DrawBeside(b, out.scale[0], -3, 3));
              };
              const int x =
                  b.InputOfQuantized("x", shape, draw(), AllQuantized(b, 37));
              const int z =
                  b.InputOfQuantized("z", shape, draw(), AllQuantized(b, 91));
              return JoinOf(b, x, z, shape, 2 + number % 2, out);
            });
}

}  // namespace

void AddQuantizedJoinCases(CaseList* list) {
  AddQuantizedTransposeConv(list);
  AddQuantizedProducts(list);
  AddBatchMatMul(list);
  AddQuantizedConcatenation(list);
}

}  // namespace gles_delegate::conformance
