// QUANTIZE against TFLite's integer kernels: no code may differ.
#include "tools/conformance/cases.h"
#include "tools/conformance/quantized_series.h"

namespace gles_delegate::conformance {
namespace {

// From scale to scale, and of 16 bits to 8; TFLite has no such model of floats.
void AddQuantize(CaseList* list) {
  const Shape shape = {2, 6, 8, 9};
  const auto build = [=](bool to_int8) {
    return [=](QuantizedBuilder& b, int) {
      const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
      const int x = b.InputOfQuantized("x", shape, in, AllQuantized(b, 37));
      const float scale = DrawBeside(b, in.scale[0], -8, 8);
      const int y =
          to_int8 ? b.OutputOf("y", shape, TensorType::INT8,
                               ModelQuantization::PerTensor(
                                   DrawBeside(b, in.scale[0], -2, 9),
                                   b.random().NextInt(-128, 127)))
          : b.is_int16()
              ? b.Output("y", shape, ModelQuantization::PerTensor(scale, 0))
              : b.Output("y", shape, WithZeroPoint(b, scale));
      b.builder().AddOp(Op::QUANTIZE, 2, {x}, {y});
      return b.Finish({y});
    };
  };
  AddSeries(list, Op::QUANTIZE, "quantized", shape, build(false));
  AddInt16Series(list, Op::QUANTIZE, "quantized", shape, build(false));
  AddInt16Series(list, Op::QUANTIZE, "to_8_bits", shape, build(true));
}

}  // namespace

void AddQuantizedCases(CaseList* list) {
  AddQuantize(list);
  AddQuantizedConvolutionCases(list);
  AddQuantizedWindowCases(list);
  AddQuantizedJoinCases(list);
  AddInt16Cases(list);
  AddInt16PairCases(list);
}

}  // namespace gles_delegate::conformance
