// Builders for ops that pool and resample, and SOFTMAX.

#include "absl/strings/str_cat.h"
#include "tools/op_models/op_variant.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

Accuracy Moves() {
  Accuracy accuracy;
  accuracy.terms = 0;
  return accuracy;
}

int InputOf(OpVariant& v, const Shape& shape,
            const std::string& name = "input") {
  return v.Input(name, shape, v.random().Gaussian(ElementCount(shape), 0, 3));
}

}  // namespace

SingleOpModel Resize(const ResizeParams& params) {
  const std::string description = absl::StrCat(
      params.nearest ? "RESIZE_NEAREST_NEIGHBOR " : "RESIZE_BILINEAR ",
      ShapeString(params.input), " to ", params.out_h, "x", params.out_w,
      params.align_corners ? " align_corners" : "",
      params.half_pixel_centers ? " half_pixel_centers" : "");
  Accuracy accuracy = Moves();
  if (!params.nearest) {
    // A position p in the source is rounded by 2^-24 p (twice: the scale, the
    // product), and so are the interpolation's weights, on each axis.
    accuracy.terms = 4;
    accuracy.ulps = 4.0f * (params.input[1] + params.input[2]);
    accuracy.magnitude_of_inputs = true;
  }
  return MakeModel(description, accuracy, [&](OpVariant& v) {
    const int x = InputOf(v, params.input);
    const int size = v.IntConstant("size", {2}, {params.out_h, params.out_w});
    const int version = params.half_pixel_centers ? 3 : 1;
    if (params.nearest) {
      schema::ResizeNearestNeighborOptionsT options;
      options.align_corners = params.align_corners;
      options.half_pixel_centers = params.half_pixel_centers;
      return v.Op(Op::RESIZE_NEAREST_NEIGHBOR, version, {x, size}, options);
    }
    schema::ResizeBilinearOptionsT options;
    options.align_corners = params.align_corners;
    options.half_pixel_centers = params.half_pixel_centers;
    return v.Op(Op::RESIZE_BILINEAR, version, {x, size}, options);
  });
}

SingleOpModel Softmax(const Shape& input, float beta) {
  Accuracy accuracy;
  accuracy.terms = input.empty() ? 1 : input.back();
  // exp(x - max) of 3 + 2|x - max| ULP; |x - max| beyond 14 leaves little.
  accuracy.ulps = 64;
  return MakeModel(absl::StrCat("SOFTMAX ", ShapeString(input), " beta ", beta),
                   accuracy, [&](OpVariant& v) {
                     schema::SoftmaxOptionsT options;
                     options.beta = beta;
                     return v.Op(Op::SOFTMAX, 1, {InputOf(v, input)}, options);
                   });
}

}  // namespace gles_delegate::testing
