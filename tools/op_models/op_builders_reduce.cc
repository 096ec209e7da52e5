// Builders for reductions, running sums, normalizations, LOG_SOFTMAX and ADD_N.
#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/op_models/op_variant.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {}  // namespace

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
        return v.Op(Op::LOG_SOFTMAX, 1, {x}, schema::LogSoftmaxOptionsT());
      });
}

SingleOpModel Cumsum(const Shape& shape, int axis, bool exclusive,
                     bool reverse) {
  Accuracy accuracy;
  const int rank = static_cast<int>(shape.size());
  accuracy.terms = shape[axis < 0 ? axis + rank : axis];
  return MakeModel(
      absl::StrCat("CUMSUM ", ShapeString(shape), " along ", axis,
                   exclusive ? " exclusive" : "", reverse ? " reverse" : ""),
      accuracy, /*with_magnitude=*/true, [&](OpVariant& v) {
        const int x =
            v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        schema::CumsumOptionsT options;
        options.exclusive = exclusive;
        options.reverse = reverse;
        return v.Op(Op::CUMSUM, 1, {x, v.IntConstant("axis", {}, {axis})},
                    options);
      });
}

SingleOpModel L2Normalization(const Shape& shape, float deviation) {
  Accuracy accuracy;
  accuracy.terms = shape.empty() ? 1 : shape.back();
  accuracy.ulps = 16;  // a root of 4.5 ULP and a quotient of 2.5
  return MakeModel(
      absl::StrCat("L2_NORMALIZATION ", ShapeString(shape), " of ", deviation),
      accuracy, [&](OpVariant& v) {
        const int x = v.Input(
            "x", shape, v.random().Gaussian(ElementCount(shape), 0, deviation));
        return v.Op(Op::L2_NORMALIZATION, 1, {x}, schema::L2NormOptionsT());
      });
}

SingleOpModel LocalResponseNormalization(const Shape& shape, int radius,
                                         float bias, float alpha, float beta) {
  Accuracy accuracy;
  accuracy.terms = std::min(2 * radius + 1, shape.back());
  // TFLite slides its window: it adds each square once and takes it away once,
  // so its sum errs by what passed through it, up to all channels.
  accuracy.ulps = 32 + 4.0f * shape.back();
  return MakeModel(
      absl::StrCat("LOCAL_RESPONSE_NORMALIZATION ", ShapeString(shape),
                   " radius ", radius, " bias ", bias, " alpha ", alpha,
                   " beta ", beta),
      accuracy, [&](OpVariant& v) {
        const int x =
            v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        schema::LocalResponseNormalizationOptionsT options;
        options.radius = radius;
        options.bias = bias;
        options.alpha = alpha;
        options.beta = beta;
        return v.Op(Op::LOCAL_RESPONSE_NORMALIZATION, 1, {x}, options);
      });
}

SingleOpModel Spectrum(const Shape& input, int length, Op part) {
  Accuracy accuracy;
  // Each of the log2(N) steps of the transform rounds sums of up to N samples,
  // of any size beside the bin: as one sum of N products does, it errs by up to
  // (4 sqrt(N) + ulps) 2^-24 of the sum of the samples' magnitudes.
  float largest = 0;
  auto samples = [&](OpVariant& v) {
    std::vector<float> values = v.random().Gaussian(ElementCount(input));
    const size_t row = input.back();
    for (size_t at = 0; at < values.size(); at += row) {
      float sum = 0;
      for (size_t i = 0; i < row; ++i) sum += std::abs(values[at + i]);
      largest = std::max(largest, sum);
    }
    return values;
  };
  SingleOpModel model = MakeModel(
      absl::StrCat(schema::EnumNameBuiltinOperator(part), " of RFFT2D of ",
                   ShapeString(input), " by ", length),
      accuracy, [&](OpVariant& v) {
        const int x = v.Input("x", input, samples(v));
        const int lengths = v.IntConstant("lengths", {2}, {1, length});
        const int bins =
            v.OfType(v.Op(Op::RFFT2D, 1, {x, lengths}), TensorType::COMPLEX64);
        return v.Op(part, 1, {bins});
      });
  const float terms = std::sqrt(static_cast<float>(length));
  model.accuracy.absolute =
      (4 * terms + accuracy.ulps) * std::ldexp(largest, -24);
  return model;
}

}  // namespace gles_delegate::testing
