// Ops on 8-bit tensors, int8 and uint8, against TFLite's integer kernels: no
// code may differ. Models of floats are given scales and zero points here; the
// series of other files draw hundreds of those an op.
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tools/conformance/cases.h"
#include "tools/conformance/quantized_models.h"
#include "tools/op_models/op_builders.h"

namespace gles_delegate::conformance {
namespace {

using testing::UnaryOp;

constexpr TensorType kCodeTypes[] = {TensorType::INT8, TensorType::UINT8};

std::string QuantizedAttributes(const std::string& what, TensorType type,
                                Codes quantized) {
  return absl::StrCat(absl::AsciiStrToLower(schema::EnumNameTensorType(type)),
                      "_", what, "_", Name(quantized));
}

// Adds the float model on tensors of each type and kind of zero point. `types`
// has a bit for int8 and one for uint8, where TFLite's kernel takes them.
constexpr int kInt8 = 1, kUint8 = 2, kBoth = 3;
void AddInIntegers(CaseList* list, const std::string& op,
                   const std::string& what, const Shape& shape, OutputRule rule,
                   const CaseList::Build& build, int types = kBoth) {
  for (TensorType type : kCodeTypes) {
    const int bit = type == TensorType::INT8 ? kInt8 : kUint8;
    if ((types & bit) == 0) continue;
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
    for (testing::BinaryOp op :
         {testing::BinaryOp::kMaximum, testing::BinaryOp::kMinimum}) {
      testing::BinaryParams params;
      params.op = op;
      params.a = params.b = shape;
      add(testing::BinaryOpName(op).c_str(), [=] { return Binary(params); });
    }
  }
}

void AddFunctions(CaseList* list) {
  for (const Shape& shape : QuantizedShapes()) {
    const auto add = [&](UnaryOp op, OutputRule rule, int types = kBoth) {
      AddInIntegers(
          list, testing::UnaryOpName(op), "plain", shape, rule,
          [=] { return testing::Unary(op, shape); }, types);
    };
    add(UnaryOp::kRelu, OutputRule::kRange);
    add(UnaryOp::kRelu6, OutputRule::kRange);
    add(UnaryOp::kReluN1To1, OutputRule::kRange);
    add(UnaryOp::kLeakyRelu, OutputRule::kRange);
    add(UnaryOp::kHardSwish, OutputRule::kCoarseRange);
    add(UnaryOp::kElu, OutputRule::kRange, kInt8);
    add(UnaryOp::kLogistic, OutputRule::kLogistic);
    add(UnaryOp::kTanh, OutputRule::kSymmetric);
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
    AddInIntegers(list, "PRELU", "alpha_per_channel", shape, OutputRule::kRange,
                  [=] {
                    return testing::Prelu(shape, {1, 1, shape[3]});
                  });
  }
}

void AddPairsInIntegers(CaseList* list) {
  using testing::BinaryOp;
  for (BinaryOp op : {BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul,
                      BinaryOp::kSquaredDifference}) {
    const int types = op == BinaryOp::kSquaredDifference ? kInt8 : kBoth;
    for (const Shape& a : QuantizedShapes()) {
      for (const Shape& b : {a, Shape{a[3]}}) {
        testing::BinaryParams params;
        params.op = op;
        params.a = a;
        params.b = b;
        AddInIntegers(
            list, testing::BinaryOpName(op),
            absl::StrCat("with_", ShapeString(b)), a, OutputRule::kRange,
            [=] { return Binary(params); }, types);
      }
    }
  }
}

}  // namespace

void AddQuantizedCases(CaseList* list) {
  AddChoices(list);
  AddFunctions(list);
  AddPairsInIntegers(list);
  AddQuantizedConvolutionCases(list);
  AddQuantizedUnaryCases(list);
  AddQuantizedBinaryCases(list);
  AddQuantizedWindowCases(list);
  AddQuantizedJoinCases(list);
  AddInt16Cases(list);
  AddInt16PairCases(list);
}

}  // namespace gles_delegate::conformance
