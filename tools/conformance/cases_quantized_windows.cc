// 8-bit reductions and functions of rows: no code may differ, whatever the
// scales and zero points.
#include <algorithm>
#include <cmath>
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

// The axes take turns: the plane, kept and dropped, the channels, and rows with
// images. `same`: TFLite wants input and output to be of one quantization.
void AddReduction(CaseList* list, Op op, bool same) {
  AddSeries(list, op, "quantized", WindowShape(),
            [=](QuantizedBuilder& b, int number) {
              const std::vector<std::vector<int32_t>> axes = {
                  {1, 2}, {1, 2}, {3}, {0, 1}};
              const std::vector<Shape> shapes = {
                  {2, 1, 1, 9}, {2, 9}, {2, 6, 5, 1}, {5, 9}};
              const int kind = number % 4;
              const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
              const int x = b.InputOfQuantized("x", WindowShape(), in,
                                               AllQuantized(b, 37));
              const int over = b.builder().AddConstant<int32_t>(
                  "axes", {static_cast<int>(axes[kind].size())}, axes[kind]);
              const bool one = same || number % 3 == 0;
              const int y =
                  b.Output("y", shapes[kind], one ? in : OutputBeside(b, in));
              schema::ReducerOptionsT options;
              options.keep_dims = kind % 2 == 0;
              b.builder().AddOp(op, 2, {x, over}, {y}, options);
              return b.Finish({y});
            });
}

// Each product is of a whole line or plane; the output's scale spreads them
// over the codes. TFLite has no uint8 kernel.
void AddQuantizedReduceProduct(CaseList* list) {
  AddSeries(
      list, Op::REDUCE_PROD, "quantized", WindowShape(),
      [](QuantizedBuilder& b, int number) {
        const bool of_channels = number % 2 == 0;
        const float count = of_channels ? 9 : 30;
        const float in_scale = b.random().NextUniform(0.01f, 0.03f);
        const float product = std::pow(40 * in_scale, count) / 40;
        const int x =
            b.InputOfQuantized("x", WindowShape(), WithZeroPoint(b, in_scale),
                               AllQuantized(b, 37));
        const std::vector<int32_t> over =
            of_channels ? std::vector<int32_t>{3} : std::vector<int32_t>{1, 2};
        const int axes = b.builder().AddConstant<int32_t>(
            "axes", {static_cast<int>(over.size())}, over);
        const int y = b.Output("y", of_channels ? Shape{2, 6, 5} : Shape{2, 9},
                               WithZeroPoint(b, std::min(product, 200.0f)));
        b.builder().AddOp(Op::REDUCE_PROD, 2, {x, axes}, {y},
                          schema::ReducerOptionsT());
        return b.Finish({y});
      },
      SeriesTypes::kInt8);
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

// `zero_above_min`: the zero point, counted from the least code, of the
// output that TFLite asks for; `scale` is its scale.
void AddRows(CaseList* list, Op op, float scale, int zero_above_min) {
  static const auto& shape = *new Shape{1, 2, 4, 70};
  AddSeries(list, op, "quantized", shape, [=](QuantizedBuilder& b, int number) {
    const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
    const int x = b.InputOfQuantized("x", shape, in, AllQuantized(b, 37));
    const int y =
        b.Output("y", shape,
                 ModelQuantization::PerTensor(scale, b.min() + zero_above_min));
    if (op == Op::SOFTMAX) {
      constexpr float kBetas[] = {1, 0.5f, 2.7f, 0};
      schema::SoftmaxOptionsT options;
      options.beta = kBetas[number % 4];
      b.builder().AddOp(op, 2, {x}, {y}, options);
    } else if (op == Op::LOG_SOFTMAX) {
      b.builder().AddOp(op, 2, {x}, {y}, schema::LogSoftmaxOptionsT());
    } else {
      b.builder().AddOp(op, 2, {x}, {y}, schema::L2NormOptionsT());
    }
    return b.Finish({y});
  });
}

}  // namespace

void AddQuantizedWindowCases(CaseList* list) {
  AddReduction(list, Op::MEAN, /*same=*/false);
  AddReduction(list, Op::SUM, /*same=*/false);
  AddReduction(list, Op::REDUCE_MAX, /*same=*/true);
  AddReduction(list, Op::REDUCE_MIN, /*same=*/true);
  AddQuantizedReduceProduct(list);
  AddArgExtreme<schema::ArgMaxOptionsT>(list, Op::ARG_MAX);
  AddArgExtreme<schema::ArgMinOptionsT>(list, Op::ARG_MIN);
  AddTopK(list);
  AddRows(list, Op::SOFTMAX, 1.0f / 256, 0);
  AddRows(list, Op::LOG_SOFTMAX, 16.0f / 256, 255);
  AddRows(list, Op::L2_NORMALIZATION, 1.0f / 128, 128);
}

}  // namespace gles_delegate::conformance
