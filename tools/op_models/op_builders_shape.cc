// SOFTMAX.

#include "absl/strings/str_cat.h"
#include "tools/op_models/op_variant.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

int InputOf(OpVariant& v, const Shape& shape,
            const std::string& name = "input") {
  return v.Input(name, shape, v.random().Gaussian(ElementCount(shape), 0, 3));
}

}  // namespace

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
