// Ops on 16-bit tensors (16x8 models) that TFLite computes in integers: no code
// may differ, whatever the scales.
#include <cstdint>
#include <functional>
#include <vector>

#include "tools/conformance/cases.h"
#include "tools/conformance/quantized_series.h"

namespace gles_delegate::conformance {
namespace {

const Shape& Int16Shape() {
  static const auto& shape = *new Shape{2, 6, 8, 9};
  return shape;
}

ModelQuantization Int16Quantization(float scale) {
  return ModelQuantization::PerTensor(scale, 0);
}

// The scale of the output, which is at least 2^low and at most 2^high times the
// input's.
using OutputScale = std::function<float(QuantizedBuilder&, float in)>;
OutputScale Beside(int low, int high) {
  return [=](QuantizedBuilder& b, float in) {
    return DrawBeside(b, in, low, high);
  };
}

// An op of one 16-bit input and one output of shape `out`.
void AddInt16(CaseList* list, Op op, const Shape& out, const OutputScale& scale,
              const std::function<void(QuantizedBuilder& b, int x, int y,
                                       int number)>& add) {
  AddInt16Series(list, op, "quantized", Int16Shape(),
                 [=](QuantizedBuilder& b, int number) {
                   const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
                   const int x = b.InputOfQuantized("x", Int16Shape(), in,
                                                    AllQuantized(b, 37));
                   const int y = b.Output(
                       "y", out, Int16Quantization(scale(b, in.scale[0])));
                   add(b, x, y, number);
                   return b.Finish({y});
                 });
}

void AddWindows(CaseList* list) {
  // The output has another scale than the input: with the same one MAX_POOL_2D
  // moves real values.
  for (Op op : {Op::AVERAGE_POOL_2D, Op::MAX_POOL_2D}) {
    AddInt16(list, op, Int16Shape(), Beside(1, 4),
             [op](QuantizedBuilder& b, int x, int y, int) {
               schema::Pool2DOptionsT options;
               options.padding = schema::Padding::SAME;
               options.filter_width = options.filter_height = 3;
               options.stride_w = options.stride_h = 1;
               b.builder().AddOp(op, 3, {x}, {y}, options);
             });
  }
  const Shape resized = {2, 9, 5, 9};
  AddInt16(list, Op::RESIZE_BILINEAR, resized, Beside(-2, 2),
           [](QuantizedBuilder& b, int x, int y, int number) {
             const int size = b.builder().AddConstant<int32_t>(
                 "size", {2}, std::vector<int32_t>{9, 5});
             schema::ResizeBilinearOptionsT options;
             options.align_corners = number % 4 == 1;
             options.half_pixel_centers = number % 4 >= 2;
             b.builder().AddOp(Op::RESIZE_BILINEAR, 4, {x, size}, {y}, options);
           });
  AddInt16(list, Op::RESIZE_NEAREST_NEIGHBOR, resized, Beside(1, 4),
           [](QuantizedBuilder& b, int x, int y, int number) {
             const int size = b.builder().AddConstant<int32_t>(
                 "size", {2}, std::vector<int32_t>{9, 5});
             schema::ResizeNearestNeighborOptionsT options;
             options.align_corners = number % 4 == 1;
             options.half_pixel_centers = number % 4 >= 2;
             b.builder().AddOp(Op::RESIZE_NEAREST_NEIGHBOR, 4, {x, size}, {y},
                               options);
           });
}

void AddInt16Pairs(CaseList* list) {
  static const auto& left = *new Shape{2, 6, 40};
  AddInt16Series(
      list, Op::BATCH_MATMUL, "quantized", left,
      [](QuantizedBuilder& b, int number) {
        const bool transposed = number % 2 == 1;
        const Shape right = transposed ? Shape{2, 7, 40} : Shape{2, 40, 7};
        const ModelQuantization p = WithZeroPoint(b, DrawScale(b));
        const ModelQuantization q = WithZeroPoint(b, DrawScale(b));
        const int x = b.InputOfQuantized("x", left, p, AllQuantized(b, 37));
        const int z = b.InputOfQuantized("z", right, q, AllQuantized(b, 1031));
        const float scale = p.scale[0] * q.scale[0] * 100000;
        const int y = b.Output("y", {2, 6, 7},
                               Int16Quantization(DrawBeside(b, scale, -1, 2)));
        schema::BatchMatMulOptionsT options;
        options.adj_y = transposed;
        b.builder().AddOp(Op::BATCH_MATMUL, 3, {x, z}, {y}, options);
        return b.Finish({y});
      });
}

}  // namespace

void AddInt16Cases(CaseList* list) {
  AddWindows(list);
  AddInt16Pairs(list);
}

}  // namespace gles_delegate::conformance
