// QUANTIZE and DEQUANTIZE on 8- and 16-bit tensors, against TFLite's integer
// kernels: no code may differ.
#include <cmath>
#include <cstdint>
#include <vector>

#include "tools/conformance/cases.h"
#include "tools/conformance/quantized_series.h"

namespace gles_delegate::conformance {
namespace {

// Floats at the ties between two quantized values, and the next floats beside
// them; or any. And 0.
std::vector<float> FloatsFor(QuantizedBuilder& b, float scale, size_t count,
                             bool ties) {
  std::vector<float> values =
      b.random().Uniform(count, -200 * scale, 200 * scale);
  for (size_t i = 0; i < count && ties; ++i) {
    const int code = static_cast<int>(i / 3) - 130;
    const float tie = (static_cast<float>(code) + 0.5f) * scale;
    const float beside = i % 3 == 1 ? -1e9f : 1e9f;
    values[i] = i % 3 == 0 ? tie : std::nextafter(tie, beside);
  }
  values[0] = 0;
  return values;
}

}  // namespace

// QUANTIZE from scale to scale, from 16 bits to 8 and from floats, and
// DEQUANTIZE; TFLite has no such models of floats.
void AddQuantizedCases(CaseList* list) {
  const Shape shape = {2, 6, 8, 9};
  const auto finish = [](QuantizedBuilder& b, Op op, int x, int y) {
    b.builder().AddOp(op, 2, {x}, {y});
    return b.Finish({y});
  };
  // `to_other`: the other 8-bit type; of 16 bits, int8.
  const auto build = [=](bool to_other) {
    return [=](QuantizedBuilder& b, int) {
      const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
      const int x = b.InputOfQuantized("x", shape, in, AllQuantized(b, 37));
      const bool to_uint8 = b.is_signed() == to_other && !b.is_int16();
      const int min = to_uint8 ? 0 : -128;
      const int zeros[] = {min, min + 255, b.random().NextInt(min, min + 255)};
      const bool narrows = b.is_int16() && to_other;
      const float scale =
          DrawBeside(b, in.scale[0], narrows ? -2 : -8, narrows ? 9 : 8);
      const int zero =
          b.is_int16() && !to_other ? 0 : zeros[b.random().NextInt(0, 2)];
      const int y = b.OutputOf("y", shape,
                               !to_other  ? b.type()
                               : to_uint8 ? TensorType::UINT8
                                          : TensorType::INT8,
                               ModelQuantization::PerTensor(scale, zero));
      return finish(b, Op::QUANTIZE, x, y);
    };
  };
  AddSeries(list, Op::QUANTIZE, "quantized", shape, build(false));
  AddSeries(list, Op::QUANTIZE, "to_other", shape, build(true));
  AddInt16Series(list, Op::QUANTIZE, "quantized", shape, build(false));
  AddInt16Series(list, Op::QUANTIZE, "to_8_bits", shape, build(true));
  AddInt16Series(
      list, Op::QUANTIZE, "to_32_bits", shape,
      [=](QuantizedBuilder& b, int) {
        const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
        const int x = b.InputOfQuantized("x", shape, in, AllQuantized(b, 37));
        const int y = b.OutputOf(
            "y", shape, TensorType::INT32,
            ModelQuantization::PerTensor(DrawBeside(b, in.scale[0], -12, 9),
                                         b.random().NextInt(-100000, 100000)));
        return finish(b, Op::QUANTIZE, x, y);
      },
      kFamilies, /*integer_path=*/false);
  const auto add = [=](Op op, const char* what, const BuildOne& one) {
    AddSeries(list, op, what, shape, one, SeriesTypes::kBoth, kFamilies,
              /*integer_path=*/false);
  };
  add(Op::QUANTIZE, "from_floats", [=](QuantizedBuilder& b, int number) {
    const ModelQuantization q = WithZeroPoint(b, DrawScale(b));
    const int x = b.FloatInput(
        "x", shape,
        FloatsFor(b, q.scale[0], testing::ElementCount(shape), number % 3 > 0));
    return finish(b, Op::QUANTIZE, x, b.Output("y", shape, q));
  });
  add(Op::DEQUANTIZE, "quantized", [=](QuantizedBuilder& b, int) {
    const ModelQuantization q = WithZeroPoint(b, DrawScale(b));
    const int x = b.InputOfQuantized("x", shape, q, AllQuantized(b, 37));
    return finish(b, Op::DEQUANTIZE, x, b.builder().AddTensor("y", shape));
  });
}

}  // namespace gles_delegate::conformance
