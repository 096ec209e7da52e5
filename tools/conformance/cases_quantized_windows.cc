// 8-bit positions, pooling and resizes: no code may differ, whatever the scales
// and zero points.
#include <cstdint>
#include <vector>

#include "tools/conformance/cases.h"
#include "tools/conformance/quantized_series.h"

namespace gles_delegate::conformance {
namespace {

const Shape& WindowShape() {
  static const auto& shape = *new Shape{2, 6, 5, 9};
  return shape;
}

ModelQuantization OutputBeside(QuantizedBuilder& b,
                               const ModelQuantization& in) {
  return WithZeroPoint(b, DrawBeside(b, in.scale[0], -3, 5));
}

// The values are few, so that many are equal, of which the first counts.
template <typename Options>
void AddArgExtreme(CaseList* list, Op op) {
  AddSeries(list, op, "quantized", WindowShape(),
            [=](QuantizedBuilder& b, int number) {
              std::vector<int> quantized = AllQuantized(b, 37);
              const int kept = number % 4 == 0 ? 256 : 1 + number % 4;
              for (int& code : quantized) {
                code = number % 3 == 0 ? b.max() - (code - b.min()) % kept
                                       : b.min() + (code - b.min()) % kept;
              }
              const int x =
                  b.InputOfQuantized("x", WindowShape(),
                                     WithZeroPoint(b, DrawScale(b)), quantized);
              const bool of_channels = number % 2 == 0;
              const int axis = b.builder().AddConstant<int32_t>(
                  "axis", {}, std::vector<int32_t>{of_channels ? 3 : 1});
              const int y =
                  b.OutputOf("y", of_channels ? Shape{2, 6, 5} : Shape{2, 5, 9},
                             TensorType::INT32, {});
              Options options;
              options.output_type = TensorType::INT32;
              b.builder().AddOp(op, 2, {x, axis}, {y}, options);
              return b.Finish({y});
            });
}

// TOPK_V2 gives the greatest quantized values and their places, of equal ones
// the first.
void AddTopK(CaseList* list) {
  static const auto& shape = *new Shape{2, 5, 13};
  AddSeries(list, Op::TOPK_V2, "quantized", shape,
            [](QuantizedBuilder& b, int number) {
              const ModelQuantization q = WithZeroPoint(b, DrawScale(b));
              std::vector<int> quantized = AllQuantized(b, 37);
              if (number % 2 == 0) {
                for (int& code : quantized) code = b.min() + (code & 7);
              }
              const int x = b.InputOfQuantized("x", shape, q, quantized);
              const int k = b.builder().AddConstant<int32_t>(
                  "k", {}, std::vector<int32_t>{4});
              const int places =
                  b.OutputOf("places", {2, 5, 4}, TensorType::INT32, {});
              const int y = b.Output("y", {2, 5, 4}, q);
              b.builder().AddOp(Op::TOPK_V2, 2, {x, k}, {y, places},
                                schema::TopKV2OptionsT());
              return b.Finish({y, places});
            });
}

// int8 alone: TFLite has no uint8 kernel.
void AddFill(CaseList* list) {
  static const auto& shape = *new Shape{1, 3, 2, 5};
  AddSeries(
      list, Op::FILL, "quantized", shape,
      [](QuantizedBuilder& b, int number) {
        const ModelQuantization q = WithZeroPoint(b, DrawScale(b));
        const int quantized[] = {b.min(), b.max(),
                                 b.random().NextInt(b.min(), b.max())};
        const std::vector<int> code = {quantized[number % 3]};
        const int dims = b.builder().AddConstant<int32_t>("dims", {4}, shape);
        const int value = number % 2 == 0
                              ? b.Constant("v", {}, q, code)
                              : b.InputOfQuantized("v", {}, q, code);
        const int y = b.Output("y", shape, q);
        b.builder().AddOp(Op::FILL, 3, {dims, value}, {y},
                          schema::FillOptionsT());
        return b.Finish({y});
      },
      SeriesTypes::kInt8);
}

// TFLite pools quantized values without a look at the quantizations.
void AddQuantizedPool(CaseList* list, Op op) {
  AddSeries(list, op, "quantized", WindowShape(),
            [=](QuantizedBuilder& b, int number) {
              const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
              const int x = b.InputOfQuantized("x", WindowShape(), in,
                                               AllQuantized(b, 37));
              const int y =
                  b.Output("y", WindowShape(),
                           number % 3 == 0 ? OutputBeside(b, in) : in);
              schema::Pool2DOptionsT options;
              options.padding = schema::Padding::SAME;
              options.filter_width = options.filter_height = 3;
              options.stride_w = options.stride_h = 1;
              b.builder().AddOp(op, 2, {x}, {y}, options);
              return b.Finish({y});
            });
}

void AddQuantizedResize(CaseList* list, Op op) {
  AddSeries(
      list, op, "quantized", WindowShape(),
      [=](QuantizedBuilder& b, int number) {
        const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
        const int x =
            b.InputOfQuantized("x", WindowShape(), in, AllQuantized(b, 37));
        const std::vector<int32_t> to = {9, 4};
        const int size = b.builder().AddConstant<int32_t>("size", {2}, to);
        const int y = b.Output("y", {2, to[0], to[1], 9},
                               number % 3 == 0 ? OutputBeside(b, in) : in);
        const auto add = [&](auto options) {
          options.align_corners = number % 4 == 1;
          options.half_pixel_centers = number % 4 >= 2;
          b.builder().AddOp(op, 3, {x, size}, {y}, options);
        };
        if (op == Op::RESIZE_BILINEAR) {
          add(schema::ResizeBilinearOptionsT());
        } else {
          add(schema::ResizeNearestNeighborOptionsT());
        }
        return b.Finish({y});
      });
}

}  // namespace

void AddQuantizedWindowCases(CaseList* list) {
  AddArgExtreme<schema::ArgMaxOptionsT>(list, Op::ARG_MAX);
  AddArgExtreme<schema::ArgMinOptionsT>(list, Op::ARG_MIN);
  AddTopK(list);
  AddFill(list);
  AddQuantizedPool(list, Op::AVERAGE_POOL_2D);
  AddQuantizedPool(list, Op::MAX_POOL_2D);
  AddQuantizedResize(list, Op::RESIZE_BILINEAR);
  AddQuantizedResize(list, Op::RESIZE_NEAREST_NEIGHBOR);
}

}  // namespace gles_delegate::conformance
