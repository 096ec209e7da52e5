// Ops of integers and bools, which must be exact.
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tools/conformance/cases.h"
#include "tools/op_models/of_type.h"
#include "tools/op_models/op_builders.h"

namespace gles_delegate::conformance {
namespace {

using testing::Constant;
using testing::IntegerBinaryParams;
using testing::SelectParams;

std::string TypeName(TensorType type) {
  return absl::AsciiStrToLower(schema::EnumNameTensorType(type));
}

std::string OpName(Op op) { return schema::EnumNameBuiltinOperator(op); }

const std::vector<Shape>& TypedShapes() {
  static const auto& shapes = *new std::vector<Shape>{
      {},           {7},          {3, 5},        {2, 3, 5},
      {1, 1, 1, 3}, {1, 7, 9, 5}, {1, 6, 67, 4}, {3, 5, 4, 17}};
  return shapes;
}

// Shapes that broadcast to 2x4x3x5.
const std::vector<Shape>& Narrow() {
  static const auto& shapes =
      *new std::vector<Shape>{{}, {5}, {3, 1}, {2, 1, 1, 5}, {4, 1, 5}};
  return shapes;
}
const Shape kWide = {2, 4, 3, 5};

void AddCasts(CaseList* list) {
  for (TensorType from :
       {TensorType::FLOAT32, TensorType::INT32, TensorType::BOOL}) {
    for (TensorType to :
         {TensorType::FLOAT32, TensorType::INT32, TensorType::BOOL}) {
      for (const Shape& shape : TypedShapes()) {
        list->Add("CAST", absl::StrCat(TypeName(from), "_to_", TypeName(to)),
                  shape, [=] { return testing::Cast(from, to, shape); });
      }
    }
  }
}

// Types that only the host has.
void AddHostCasts(CaseList* list) {
  for (const auto& [from, to] : std::vector<std::pair<TensorType, TensorType>>{
           {TensorType::FLOAT64, TensorType::FLOAT32},
           {TensorType::FLOAT32, TensorType::FLOAT64},
           {TensorType::UINT16, TensorType::FLOAT32},
           {TensorType::UINT16, TensorType::INT32},
           {TensorType::INT32, TensorType::UINT16}}) {
    list->Add("CAST", absl::StrCat(TypeName(from), "_to_", TypeName(to)),
              {2, 3, 5}, [from = from, to = to] {
                return testing::Cast(from, to, {2, 3, 5});
              });
  }
}

void AddInteger(CaseList* list, const std::string& attributes,
                const IntegerBinaryParams& params) {
  list->Add(OpName(params.op),
            absl::StrCat("int32_", attributes, "_with_", ShapeString(params.b)),
            params.a, [=] { return IntegerBinary(params); });
}

// Int64 goes through the shaders of int32: what is tried is the way there.
void AddInt64(CaseList* list) {
  for (Op op : {Op::ADD, Op::SUB, Op::MAXIMUM, Op::MINIMUM, Op::FLOOR_MOD}) {
    for (Constant constant : {Constant::kNone, Constant::kSecond}) {
      list->Add(OpName(op),
                constant == Constant::kNone ? "int64" : "int64_constant", kWide,
                [=] {
                  return testing::OfInt64(
                      testing::IntegerBinary({op, kWide, {5}, 1000, constant}),
                      /*constants=*/true);
                });
    }
  }
  list->Add("LESS", "int64", kWide, [=] {
    return testing::OfInt64(
        testing::ComparisonOp(Op::LESS, TensorType::INT32, kWide, {5}),
        /*constants=*/true);
  });
}

void AddStablehlo(CaseList* list) {
  for (const Shape& shape : TypedShapes()) {
    for (Op op : {Op::STABLEHLO_ADD, Op::STABLEHLO_MULTIPLY,
                  Op::STABLEHLO_MAXIMUM, Op::STABLEHLO_MINIMUM}) {
      AddInteger(list, "plain", {op, shape, shape});
      list->Add(OpName(op), "int64", shape, [=] {
        return testing::OfInt64(testing::IntegerBinary({op, shape, shape}),
                                /*constants=*/false);
      });
    }
    list->Add("STABLEHLO_AND", "plain", shape, [=] {
      return testing::Logical(Op::STABLEHLO_AND, shape, shape);
    });
  }
}

void AddArithmetic(CaseList* list) {
  for (Op op : {Op::ADD, Op::SUB, Op::MUL, Op::DIV, Op::MAXIMUM, Op::MINIMUM,
                Op::FLOOR_DIV, Op::FLOOR_MOD, Op::SQUARED_DIFFERENCE,
                Op::BITWISE_XOR, Op::RIGHT_SHIFT}) {
    for (const Shape& shape : TypedShapes()) {
      AddInteger(list, "plain", {op, shape, shape});
    }
    for (const Shape& narrow : Narrow()) {
      AddInteger(list, "first_constant",
                 {op, kWide, narrow, 1000, Constant::kFirst});
      AddInteger(list, "swapped", {op, narrow, kWide});
      AddInteger(list, "second_constant",
                 {op, kWide, narrow, 1000, Constant::kSecond});
    }
    AddInteger(list, "great_values", {op, {2, 3, 5}, {2, 3, 5}, 2147483646});
    AddInteger(list, "great_scalar",
               {op, {2, 3, 5}, {1}, 2147483646, Constant::kSecond});
  }
  for (const Shape& shape : TypedShapes()) {
    AddInteger(list, "plain", {Op::POW, shape, shape});
  }
  for (const Shape& narrow : Narrow()) {
    AddInteger(list, "second_constant",
               {Op::POW, kWide, narrow, 1000, Constant::kSecond});
  }
  for (const Shape& shape : TypedShapes()) {
    list->Add("NEG", "int32", shape,
              [=] { return testing::IntegerNeg(shape); });
    list->Add("LOGICAL_NOT", "plain", shape,
              [=] { return testing::LogicalNot(shape); });
  }
}

void AddLogic(CaseList* list) {
  for (Op op : {Op::LOGICAL_AND, Op::LOGICAL_OR}) {
    for (const Shape& shape : TypedShapes()) {
      list->Add(OpName(op), "plain", shape,
                [=] { return testing::Logical(op, shape, shape); });
    }
    for (const Shape& narrow : Narrow()) {
      for (bool constant : {false, true}) {
        list->Add(OpName(op),
                  absl::StrCat(constant ? "constant" : "runtime", "_with_",
                               ShapeString(narrow)),
                  kWide, [=] {
                    return testing::Logical(op, kWide, narrow, constant);
                  });
      }
    }
  }
}

void AddComparisons(CaseList* list) {
  for (Op op : {Op::EQUAL, Op::NOT_EQUAL, Op::LESS, Op::GREATER,
                Op::GREATER_EQUAL, Op::LESS_EQUAL}) {
    for (TensorType type : {TensorType::FLOAT32, TensorType::INT32}) {
      for (const Shape& shape : TypedShapes()) {
        list->Add(OpName(op), TypeName(type), shape, [=] {
          return testing::ComparisonOp(op, type, shape, shape);
        });
      }
      for (const Shape& narrow : Narrow()) {
        for (Constant constant : {Constant::kNone, Constant::kSecond}) {
          list->Add(OpName(op),
                    absl::StrCat(TypeName(type), "_", ConstantName(constant),
                                 "_with_", ShapeString(narrow)),
                    kWide, [=] {
                      return testing::ComparisonOp(op, type, kWide, narrow,
                                                   constant);
                    });
        }
      }
    }
  }
  for (Op op : {Op::EQUAL, Op::NOT_EQUAL}) {
    list->Add(OpName(op), "bool", kWide, [=] {
      return testing::ComparisonOp(op, TensorType::BOOL, kWide, kWide);
    });
  }
}

void AddTypedSelect(CaseList* list, const SelectParams& params) {
  list->Add(
      OpName(params.op),
      absl::StrCat("by_", ShapeString(params.condition), "_else_",
                   ShapeString(params.y), "_constant", params.constant + 1),
      params.x, [=] { return Select(params); });
}

void AddSelects(CaseList* list) {
  for (Op op : {Op::SELECT, Op::SELECT_V2}) {
    for (const Shape& shape : testing::StandardShapes()) {
      AddTypedSelect(list, {op, shape, shape, shape});
    }
    for (int constant = 0; constant < 3; ++constant) {
      AddTypedSelect(list, {op, kWide, kWide, kWide, constant});
    }
  }
  AddTypedSelect(list, {Op::SELECT, {}, kWide, kWide});
  AddTypedSelect(list, {Op::SELECT, {2}, kWide, kWide});
  for (const Shape& narrow : Narrow()) {
    AddTypedSelect(list, {Op::SELECT_V2, narrow, kWide, kWide});
    AddTypedSelect(list, {Op::SELECT_V2, kWide, narrow, kWide});
    AddTypedSelect(list, {Op::SELECT_V2, kWide, kWide, narrow});
  }
}

void AddIndices(CaseList* list) {
  for (Op op : {Op::ARG_MAX, Op::ARG_MIN}) {
    for (const Shape& shape : testing::StandardShapes()) {
      for (int axis : {1, 2, 3}) {
        list->Add(OpName(op), absl::StrCat("axis", axis), shape,
                  [=] { return testing::ArgExtreme(op, shape, axis); });
      }
    }
    for (int axis : {0, 1, -1}) {
      list->Add(OpName(op), absl::StrCat("int32_axis", axis), {3, 4, 5}, [=] {
        return testing::ArgExtreme(op, {3, 4, 5}, axis, TensorType::INT32);
      });
    }
  }
  AddInt64(list);
  for (const Shape& shape : testing::StandardShapes()) {
    for (int k : {1, 3, 5}) {
      if (k > shape.back()) continue;
      list->Add("TOPK_V2", absl::StrCat("k", k), shape,
                [=] { return testing::TopK(shape, k); });
    }
  }
}

}  // namespace

void AddTypedCases(CaseList* list) {
  AddCasts(list);
  AddHostCasts(list);
  AddStablehlo(list);
  AddArithmetic(list);
  AddLogic(list);
  AddComparisons(list);
  AddSelects(list);
  AddIndices(list);
}

}  // namespace gles_delegate::conformance
