// Functions of one 8-bit tensor that TFLite computes in integers, or looks up:
// no code may differ, whatever the scales and zero points.
#include <algorithm>
#include <functional>
#include <type_traits>
#include <vector>

#include "tools/conformance/cases.h"
#include "tools/conformance/quantized_series.h"

namespace gles_delegate::conformance {
namespace {

const Shape& UnaryShape() {
  static const auto& shape = *new Shape{2, 4, 8, 9};
  return shape;
}

// The scale of the output may be from 2^low to 2^high times the input's.
struct Ratios {
  int low = -8;
  int high = 8;
};

template <typename Options>
void AddUnary(CaseList* list, Op op, int version, Ratios ratios,
              const std::function<Options(QuantizedBuilder&)>& options,
              SeriesTypes types = SeriesTypes::kBoth) {
  AddSeries(
      list, op, "quantized", UnaryShape(),
      [=](QuantizedBuilder& b, int) {
        const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
        const int x =
            b.InputOfQuantized("x", UnaryShape(), in, AllQuantized(b, 37));
        const float scale = DrawBeside(b, in.scale[0], ratios.low, ratios.high);
        const int y = b.Output("y", UnaryShape(), WithZeroPoint(b, scale));
        if constexpr (std::is_same<Options, std::nullptr_t>::value) {
          b.builder().AddOp(op, version, {x}, {y});
        } else {
          b.builder().AddOp(op, version, {x}, {y}, options(b));
        }
        return b.Finish({y});
      },
      types);
}

void AddPlainUnary(CaseList* list, Op op, int version, Ratios ratios = {},
                   SeriesTypes types = SeriesTypes::kBoth) {
  AddUnary<std::nullptr_t>(list, op, version, ratios, nullptr, types);
}

// For functions whose output has a quantization that TFLite prescribes.
void AddWithFixedOutput(CaseList* list, Op op, float scale,
                        int zero_above_min) {
  AddSeries(list, op, "quantized", UnaryShape(), [=](QuantizedBuilder& b, int) {
    const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
    const int x =
        b.InputOfQuantized("x", UnaryShape(), in, AllQuantized(b, 37));
    const int y =
        b.Output("y", UnaryShape(),
                 ModelQuantization::PerTensor(scale, b.min() + zero_above_min));
    b.builder().AddOp(op, 2, {x}, {y});
    return b.Finish({y});
  });
}

// No code is below the zero point: the CPU fails on the root of a negative
// number.
void AddRsqrt(CaseList* list) {
  AddSeries(
      list, Op::RSQRT, "quantized", UnaryShape(),
      [](QuantizedBuilder& b, int) {
        const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
        std::vector<int> quantized = AllQuantized(b, 37);
        for (int& code : quantized) {
          code = std::max<int>(code, static_cast<int>(in.zero_point[0]));
        }
        const int x = b.InputOfQuantized("x", UnaryShape(), in, quantized);
        const int y = b.Output("y", UnaryShape(),
                               WithZeroPoint(b, DrawBeside(b, 0.1f, -4, 4)));
        b.builder().AddOp(Op::RSQRT, 2, {x}, {y});
        return b.Finish({y});
      },
      SeriesTypes::kInt8);
}

void AddQuantizedUnaries(CaseList* list) {
  for (Op op : {Op::RELU, Op::RELU6}) AddPlainUnary(list, op, 2);
  AddPlainUnary(list, Op::RELU_N1_TO_1, 1);
  AddUnary<schema::LeakyReluOptionsT>(
      list, Op::LEAKY_RELU, 2, Ratios(), [](QuantizedBuilder& b) {
        constexpr float kAlphas[] = {0.01f, 0.1f, 0.2f, 0.3f, 0.5f,
                                     1.0f,  1.5f, 0,    -0.5f};
        schema::LeakyReluOptionsT options;
        options.alpha = kAlphas[b.random().NextInt(0, 8)];
        return options;
      });
  // The CPU refuses a finer output than this.
  AddPlainUnary(list, Op::HARD_SWISH, 1, {-6, 8});
  AddPlainUnary(list, Op::ELU, 1, Ratios(), SeriesTypes::kInt8);
  AddPlainUnary(list, Op::ABS, 2, Ratios(), SeriesTypes::kInt8);
  AddUnary<schema::GeluOptionsT>(
      list, Op::GELU, 1, Ratios(), [](QuantizedBuilder& b) {
        schema::GeluOptionsT options;
        options.approximate = b.random().NextInt(0, 1) == 1;
        return options;
      });
  AddPlainUnary(list, Op::QUANTIZE, 2);
  AddWithFixedOutput(list, Op::LOGISTIC, 1.0f / 256, 0);
  AddWithFixedOutput(list, Op::TANH, 1.0f / 128, 128);
  AddRsqrt(list);
}

}  // namespace

void AddQuantizedUnaryCases(CaseList* list) { AddQuantizedUnaries(list); }

}  // namespace gles_delegate::conformance
