// Ops on 8-bit tensors, int8 and uint8, against TFLite's integer kernels: no
// code may differ. Models of floats are given scales and zero points here; the
// series of other files draw hundreds of those an op.
#include <cmath>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tools/conformance/cases.h"
#include "tools/conformance/quantized_series.h"
#include "tools/op_models/op_builders.h"

namespace gles_delegate::conformance {
namespace {

constexpr TensorType kCodeTypes[] = {TensorType::INT8, TensorType::UINT8};

std::string QuantizedAttributes(const std::string& what, TensorType type,
                                Codes quantized) {
  return absl::StrCat(absl::AsciiStrToLower(schema::EnumNameTensorType(type)),
                      "_", what, "_", Name(quantized));
}

// Adds the float model on tensors of each type and kind of zero point.
void AddInIntegers(CaseList* list, const std::string& op,
                   const std::string& what, const Shape& shape, OutputRule rule,
                   const CaseList::Build& build) {
  for (TensorType type : kCodeTypes) {
    for (Codes quantized : kQuantized) {
      list->AddQuantized(
          op, QuantizedAttributes(what, type, quantized), shape,
          [=] { return Quantized(build(), type, quantized, rule); });
    }
  }
}

const std::vector<Shape>& QuantizedShapes() {
  static const auto& shapes =
      *new std::vector<Shape>{{1, 5, 7, 5}, {3, 4, 6, 8}, {2, 3, 1, 1}};
  return shapes;
}

// Ops that give one of several values as it is.
void AddChoices(CaseList* list) {
  for (const Shape& shape : QuantizedShapes()) {
    const auto add = [&](const char* op, const CaseList::Build& build) {
      AddInIntegers(list, op, "moved", shape, OutputRule::kSame, build);
    };
    add("REDUCE_MAX", [=] {
      return testing::Reduce(Op::REDUCE_MAX, shape, {1, 2}, true);
    });
    add("REDUCE_MIN", [=] {
      return testing::Reduce(Op::REDUCE_MIN, shape, {1, 2}, true);
    });
  }
}

void AddFunctions(CaseList* list) {
  for (const Shape& shape : QuantizedShapes()) {
    AddInIntegers(list, "SOFTMAX", "plain", shape, OutputRule::kLogistic,
                  [=] { return testing::Softmax(shape); });
    AddInIntegers(list, "LOG_SOFTMAX", "plain", shape, OutputRule::kLogSoftmax,
                  [=] { return testing::LogSoftmax(shape); });
    for (Op op : {Op::MEAN, Op::SUM}) {
      AddInIntegers(list, schema::EnumNameBuiltinOperator(op), "axes_1.2",
                    shape, OutputRule::kRange, [=] {
                      return testing::Reduce(op, shape, {1, 2}, true);
                    });
    }
  }
}

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
      return finish(b, Op::QUANTIZE, x, y);
    };
  };
  AddSeries(list, Op::QUANTIZE, "quantized", shape, build(false));
  AddInt16Series(list, Op::QUANTIZE, "quantized", shape, build(false));
  AddInt16Series(list, Op::QUANTIZE, "to_8_bits", shape, build(true));
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

}  // namespace

void AddQuantizedCases(CaseList* list) {
  AddChoices(list);
  AddFunctions(list);
  AddConversions(list);
  AddQuantizedWindowCases(list);
  AddInt16Cases(list);
  AddInt16PairCases(list);
}

}  // namespace gles_delegate::conformance
