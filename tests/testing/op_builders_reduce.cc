// Builders for reductions, LOG_SOFTMAX and ADD_N.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/testing/op_variant.h"

namespace gles_delegate::testing {
namespace {

using Op = schema::BuiltinOperator;

}  // namespace

SingleOpModel Reduce(Op op, const Shape& shape, const std::vector<int>& axes,
                     bool keep_dims) {
  Accuracy accuracy;
  size_t terms = 1;
  std::vector<bool> seen(shape.size(), false);
  for (int axis : axes) {
    const size_t at = axis < 0 ? axis + shape.size() : axis;
    if (!seen[at]) terms *= shape[at];
    seen[at] = true;
  }
  const bool moves = op == Op::REDUCE_MAX || op == Op::REDUCE_MIN;
  accuracy.terms = moves ? 0 : static_cast<int>(terms);
  accuracy.ulps = 8;
  // A product's roundings multiply: 2^-24 for each factor.
  if (op == Op::REDUCE_PROD) accuracy.ulps = 2.0f * terms;
  const bool sums = op == Op::MEAN || op == Op::SUM;
  return MakeModel(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), " ", ShapeString(shape),
                   " over ", absl::StrJoin(axes, ","),
                   keep_dims ? " kept" : ""),
      accuracy, /*with_magnitude=*/sums, [&](OpVariant& v) {
        // Products of many factors stay near 1.
        const bool product = op == Op::REDUCE_PROD;
        const int x = v.Input(
            "x", shape,
            product ? v.random().Uniform(ElementCount(shape), 0.7f, 1.4f)
                    : v.random().Gaussian(ElementCount(shape), 0.5f, 2));
        const int over =
            v.IntConstant("axes", {static_cast<int>(axes.size())}, axes);
        schema::ReducerOptionsT options;
        options.keep_dims = keep_dims;
        return v.Op(op, 1, {x, over}, options);
      });
}

SingleOpModel LogSoftmax(const Shape& shape) {
  Accuracy accuracy;
  accuracy.terms = shape.back();
  // The logarithm of a sum of exponentials: GLSL's log is within 2^-21 absolute
  // in [0.5, 2] and 3 ULP elsewhere, exp as in Softmax(), whose relative error
  // is this one's absolute error.
  accuracy.ulps = 64;
  accuracy.absolute = 8e-6f;
  accuracy.magnitude_of_inputs = true;
  return MakeModel(
      absl::StrCat("LOG_SOFTMAX ", ShapeString(shape)), accuracy,
      [&](OpVariant& v) {
        const int x =
            v.Input("x", shape, v.random().Gaussian(ElementCount(shape), 0, 3));
        return v.Op(schema::BuiltinOperator::LOG_SOFTMAX, 1, {x},
                    schema::LogSoftmaxOptionsT());
      });
}

SingleOpModel AddN(const Shape& shape, int count) {
  Accuracy accuracy;
  accuracy.terms = count;
  // Partial sums may be stored, each in half.
  accuracy.half_roundings = count - 1;
  return MakeModel(
      absl::StrCat("ADD_N ", count, " of ", ShapeString(shape)), accuracy,
      /*with_magnitude=*/true, [&](OpVariant& v) {
        std::vector<int> inputs;
        for (int i = 0; i < count; ++i) {
          inputs.push_back(v.Input(absl::StrCat("x", i), shape,
                                   v.random().Gaussian(ElementCount(shape))));
        }
        return v.Op(Op::ADD_N, 1, inputs);
      });
}

}  // namespace gles_delegate::testing
