// Functions of two tensors, with every broadcast, constants on either side,
// fused activations and pairs of special values.
#include "absl/strings/str_cat.h"
#include "tools/conformance/cases.h"
#include "tools/conformance/special_values.h"
#include "tools/op_models/op_builders.h"

namespace gles_delegate::conformance {
namespace {

using testing::Activation;
using testing::BinaryOp;
using testing::BinaryParams;
using testing::Constant;

constexpr BinaryOp kBinaryOps[] = {
    BinaryOp::kAdd,      BinaryOp::kSub,
    BinaryOp::kMul,      BinaryOp::kDiv,
    BinaryOp::kMaximum,  BinaryOp::kMinimum,
    BinaryOp::kPow,      BinaryOp::kSquaredDifference,
    BinaryOp::kFloorDiv, BinaryOp::kFloorMod};

constexpr BinaryOp kStablehloOps[] = {
    BinaryOp::kStablehloAdd, BinaryOp::kStablehloMultiply,
    BinaryOp::kStablehloMaximum, BinaryOp::kStablehloMinimum};

// Shapes that TFLite broadcasts: a channel vector, a scalar, a row, a column, a
// tensor of a lower rank, and both sides at once.
const std::vector<std::pair<Shape, Shape>>& Broadcasts() {
  static const auto& pairs = *new std::vector<std::pair<Shape, Shape>>{
      {{3, 2, 3, 5}, {5}},          {{3, 2, 3, 5}, {}},
      {{3, 2, 3, 5}, {3, 1}},       {{3, 2, 3, 5}, {3, 5}},
      {{3, 2, 3, 5}, {3, 2, 3, 1}}, {{3, 2, 3, 5}, {3, 1, 1, 5}},
      {{3, 2, 3, 5}, {1, 2, 1, 1}}, {{3, 2, 3, 5}, {1, 2, 3, 5}},
      {{2, 3, 5}, {2, 1, 1}},       {{3, 5}, {3, 1}},
      {{3, 2, 1, 5}, {1, 1, 4, 1}}, {{3, 1, 4, 1}, {1, 2, 1, 9}},
      {{1, 4, 1, 1}, {3, 1, 2, 8}}, {{4, 1}, {2, 1, 9}},
  };
  return pairs;
}

void AddPair(CaseList* list, const std::string& attributes,
             const BinaryParams& params) {
  list->Add(testing::BinaryOpName(params.op),
            absl::StrCat(attributes, "_with_", ShapeString(params.b)), params.a,
            [=] { return Binary(params); });
}

void AddBroadcasts(CaseList* list, BinaryOp op) {
  // SUB is tried with all of them, as it gives something else where its
  // operands are exchanged. The others share its code and take one in three.
  const bool all = op == BinaryOp::kSub;
  // TFLite's other kernels end the process at six axes.
  for (const Shape& part : {Shape{2, 1, 2, 1, 2, 5}, {1, 3, 1, 3, 2, 1}}) {
    if (!all) break;
    AddPair(list, "rank6", {op, {2, 3, 2, 3, 2, 5}, part});
  }
  int turn = 0;
  for (const auto& [wide, narrow] : Broadcasts()) {
    for (Constant constant :
         {Constant::kNone, Constant::kFirst, Constant::kSecond}) {
      for (bool swapped : {false, true}) {
        if (!all && turn++ % 3 != 0) continue;
        BinaryParams params;
        params.op = op;
        params.a = swapped ? narrow : wide;
        params.b = swapped ? wide : narrow;
        params.constant = constant;
        AddPair(list, ConstantName(constant), params);
      }
    }
  }
}

void AddActivations(CaseList* list) {
  for (BinaryOp op :
       {BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kDiv}) {
    for (Activation activation : testing::kActivations) {
      if (activation == Activation::kNone) continue;
      for (const Shape& b : {Shape{3, 2, 3, 5}, {3, 5}, {1}}) {
        BinaryParams params;
        params.op = op;
        params.a = {3, 2, 3, 5};
        params.b = b;
        params.activation = activation;
        AddPair(list, ActivationName(activation), params);
      }
    }
  }
}

// TFLite's FLOOR_DIV fails where it divides by zero, which a shader cannot do.
std::vector<float> PairValues(BinaryOp op) {
  if (op == BinaryOp::kFloorDiv) return {};
  return FunctionValues();
}

void AddBinaryPairs(CaseList* list, BinaryOp op) {
  const std::vector<float> values = PairValues(op);
  if (values.empty()) return;
  BinaryParams params;
  params.op = op;
  params.a = params.b = {PairCount(values)};
  list->Add(testing::BinaryOpName(op), "pairs_of_special_values", params.a,
            [=] { return WithPairs(Binary(params), values); });
}

}  // namespace

std::string ConstantName(Constant constant) {
  switch (constant) {
    case Constant::kNone:
      return "runtime";
    case Constant::kFirst:
      return "first_constant";
    case Constant::kSecond:
      return "second_constant";
  }
  return "?";
}

void AddElementwiseBinaryCases(CaseList* list) {
  for (BinaryOp op : kBinaryOps) {
    for (const Shape& shape : testing::StandardShapes()) {
      BinaryParams params;
      params.op = op;
      params.a = params.b = shape;
      AddPair(list, "plain", params);
    }
    AddBroadcasts(list, op);
    AddBinaryPairs(list, op);
  }
  for (BinaryOp op : kStablehloOps) {
    for (const Shape& shape : testing::StandardShapes()) {
      for (Constant constant : {Constant::kNone, Constant::kSecond}) {
        AddPair(list, ConstantName(constant), {op, shape, shape, {}, constant});
      }
    }
    AddBinaryPairs(list, op);
  }
  AddActivations(list);
  for (const Shape& shape : testing::StandardShapes()) {
    for (int count : {2, 5}) {
      list->Add("ADD_N", absl::StrCat("of", count), shape,
                [=] { return testing::AddN(shape, count); });
    }
  }
}

}  // namespace gles_delegate::conformance
