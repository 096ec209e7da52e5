// Movements in models that tests make.
#ifndef GLES_DELEGATE_TESTS_TESTING_MOVEMENT_OPS_H_
#define GLES_DELEGATE_TESTS_TESTING_MOVEMENT_OPS_H_

#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/op_model_maker.h"
#include "tools/op_models/schema_names.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {

inline int IntsOf(OpVariant& v, const std::vector<int>& values) {
  static int count = 0;
  return v.IntConstant(absl::StrCat("ints", count++),
                       {static_cast<int>(values.size())}, values);
}
inline int Reshaped(OpVariant& v, int x, const Shape& to) {
  return v.Op(Op::RESHAPE, 1, {x, IntsOf(v, to)}, schema::ReshapeOptionsT());
}
inline int Sliced(OpVariant& v, int x, const Shape& begin, const Shape& size) {
  return v.Op(Op::SLICE, 1, {x, IntsOf(v, begin), IntsOf(v, size)},
              schema::SliceOptionsT());
}
inline int Joined(OpVariant& v, int a, int b, int axis) {
  schema::ConcatenationOptionsT options;
  options.axis = axis;
  return v.Op(Op::CONCATENATION, 1, {a, b}, options);
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_MOVEMENT_OPS_H_
