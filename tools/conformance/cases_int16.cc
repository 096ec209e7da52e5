// Ops on 16-bit tensors (16x8 models) that TFLite computes in integers: no code
// may differ, whatever the scales.
#include <cstdint>
#include <functional>
#include <vector>

#include "tools/conformance/cases.h"
#include "tools/conformance/quantized_series.h"

namespace gles_delegate::conformance {
namespace {

constexpr float kFraction = 1.0f / 32768;

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
float FractionScale(QuantizedBuilder&, float) { return kFraction; }

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
  AddInt16(list, Op::SOFTMAX, Int16Shape(), FractionScale,
           [](QuantizedBuilder& b, int x, int y, int number) {
             constexpr float kBetas[] = {1, 0.5f, 2.7f, 0};
             schema::SoftmaxOptionsT options;
             options.beta = kBetas[number % 4];
             b.builder().AddOp(Op::SOFTMAX, 3, {x}, {y}, options);
           });
  for (const bool keep : {true, false}) {
    AddInt16Series(
        list, Op::MEAN, keep ? "kept" : "dropped", Int16Shape(),
        [=](QuantizedBuilder& b, int number) {
          const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
          const int x =
              b.InputOfQuantized("x", Int16Shape(), in, AllQuantized(b, 37));
          const int axes = b.builder().AddConstant<int32_t>(
              "axes", {2}, std::vector<int32_t>{1, 2});
          const float scale =
              number % 4 == 0 ? in.scale[0] : DrawBeside(b, in.scale[0], -5, 2);
          const int y = b.Output("y", keep ? Shape{2, 1, 1, 9} : Shape{2, 9},
                                 Int16Quantization(scale));
          schema::ReducerOptionsT options;
          options.keep_dims = keep;
          b.builder().AddOp(Op::MEAN, 2, {x, axes}, {y}, options);
          return b.Finish({y});
        });
  }
}

}  // namespace

void AddInt16Cases(CaseList* list) { AddWindows(list); }

}  // namespace gles_delegate::conformance
