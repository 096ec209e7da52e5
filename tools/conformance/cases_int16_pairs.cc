// Reductions of 16-bit tensors (16x8 models). No code may differ from TFLite's
// integer kernels, whatever the scales.
#include <cmath>
#include <cstdint>
#include <vector>

#include "tools/conformance/cases.h"
#include "tools/conformance/quantized_series.h"

namespace gles_delegate::conformance {
namespace {

ModelQuantization Int16QuantizationOf(float scale) {
  return ModelQuantization::PerTensor(scale, 0);
}

// SUM of one scale, of which TFLite keeps the low 16 bits; REDUCE_PROD; and
// REDUCE_MAX and REDUCE_MIN, which are of one scale and so move real values.
void AddInt16Reductions(CaseList* list) {
  static const auto& shape = *new Shape{2, 4, 5, 6};
  for (Op op : {Op::SUM, Op::REDUCE_PROD, Op::REDUCE_MAX, Op::REDUCE_MIN}) {
    AddInt16Series(
        list, op, "quantized", shape,
        [=](QuantizedBuilder& b, int number) {
          const bool of_channels = number % 2 == 0;
          const float count = of_channels ? 6 : 20;
          const ModelQuantization in =
              op == Op::REDUCE_PROD
                  ? Int16QuantizationOf(1e-4f * b.random().NextUniform(0.5f, 1))
                  : WithZeroPoint(b, DrawScale(b));
          const float product = std::pow(10000 * in.scale[0], count) / 10000;
          const int x = b.InputOfQuantized("x", shape, in, AllQuantized(b, 37));
          const std::vector<int32_t> over = of_channels
                                                ? std::vector<int32_t>{3}
                                                : std::vector<int32_t>{1, 2};
          const int axes = b.builder().AddConstant<int32_t>(
              "axes", {static_cast<int>(over.size())}, over);
          const int y = b.Output(
              "y", of_channels ? Shape{2, 4, 5} : Shape{2, 6},
              op == Op::REDUCE_PROD ? Int16QuantizationOf(product) : in);
          b.builder().AddOp(op, 2, {x, axes}, {y}, schema::ReducerOptionsT());
          return b.Finish({y});
        },
        2 * kFamilies, /*integer_path=*/op == Op::SUM || op == Op::REDUCE_PROD);
  }
}

}  // namespace

void AddInt16PairCases(CaseList* list) { AddInt16Reductions(list); }

}  // namespace gles_delegate::conformance
