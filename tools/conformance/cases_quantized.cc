// QUANTIZE, DEQUANTIZE and ops that give positions, on 8- and 16-bit tensors,
// against TFLite's integer kernels: no code may differ.
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

// QUANTIZE from scale to scale, from 16 bits to 8 and from floats, and
// DEQUANTIZE; TFLite has no such models of floats.
void AddConversions(CaseList* list) {
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

const Shape& WindowShape() {
  static const auto& shape = *new Shape{2, 6, 5, 9};
  return shape;
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

}  // namespace

void AddQuantizedCases(CaseList* list) {
  AddConversions(list);
  AddArgExtreme<schema::ArgMaxOptionsT>(list, Op::ARG_MAX);
  AddArgExtreme<schema::ArgMinOptionsT>(list, Op::ARG_MIN);
  AddTopK(list);
}

}  // namespace gles_delegate::conformance
