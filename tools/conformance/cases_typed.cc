// Ops of positions, which must be exact.
#include "absl/strings/str_cat.h"
#include "tools/conformance/cases.h"
#include "tools/op_models/op_builders.h"

namespace gles_delegate::conformance {
namespace {

std::string OpName(Op op) { return schema::EnumNameBuiltinOperator(op); }

}  // namespace

void AddTypedCases(CaseList* list) {
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
  for (const Shape& shape : testing::StandardShapes()) {
    for (int k : {1, 3, 5}) {
      if (k > shape.back()) continue;
      list->Add("TOPK_V2", absl::StrCat("k", k), shape,
                [=] { return testing::TopK(shape, k); });
    }
  }
}

}  // namespace gles_delegate::conformance
