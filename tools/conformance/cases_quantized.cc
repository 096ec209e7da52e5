// Ops on 8-bit tensors, int8 and uint8, against TFLite's integer kernels: no
// code may differ. Models of floats are given scales and zero points here; the
// series of other files draw hundreds of those an op.
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
  AddChoices(list);
  AddFunctions(list);
  AddQuantize(list);
  AddQuantizedConvolutionCases(list);
  AddQuantizedWindowCases(list);
  AddQuantizedJoinCases(list);
  AddInt16Cases(list);
  AddInt16PairCases(list);
}

}  // namespace gles_delegate::conformance
