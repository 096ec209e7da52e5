// Builders for FULLY_CONNECTED and BATCH_MATMUL.
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/op_models/op_variant.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// Weights such that sums of `terms` products with N(0, 1) data spread over
// N(0, 3): both ends of RELU6 are met.
std::vector<float> WeightData(OpVariant& v, size_t count, int terms) {
  const float deviation = 3.0f / std::sqrt(static_cast<float>(terms));
  return v.random().Gaussian(count, 0, deviation);
}

int ConvInput(OpVariant& v, const Shape& shape) {
  return v.Input("input", shape, v.random().Gaussian(ElementCount(shape)));
}

// -1, the absent tensor, if there is none.
int Bias(OpVariant& v, bool present, bool runtime, int channels) {
  if (!present) return -1;
  return v.Constant("bias", {channels}, v.random().Gaussian(channels),
                    runtime ? Weights::kRuntime : Weights::kFloat);
}

std::string Rest(Activation activation, bool bias, Weights weights,
                 bool runtime_bias) {
  return absl::StrCat(" ", ActivationName(activation),
                      bias && runtime_bias ? " runtime" : "",
                      bias ? " bias " : " ", WeightsName(weights));
}

Accuracy SumOf(int terms) {
  Accuracy accuracy;
  accuracy.terms = terms;
  return accuracy;
}

}  // namespace

SingleOpModel FullyConnected(const FullyConnectedParams& params) {
  const int in =
      params.in_features > 0 ? params.in_features : params.input.back();
  const std::string description = absl::StrCat(
      "FULLY_CONNECTED ", ShapeString(params.input), " as ", in, " to ",
      params.out_features, params.keep_num_dims ? " keep_num_dims" : "",
      Rest(params.activation, params.bias, params.weights,
           params.runtime_bias));
  return MakeModel(description, SumOf(in + 1), true, [&](OpVariant& v) {
    const Shape shape = {params.out_features, in};
    const int data = ConvInput(v, params.input);
    const int weights =
        v.Constant("weights", shape, WeightData(v, ElementCount(shape), in),
                   params.weights);
    const int bias =
        Bias(v, params.bias, params.runtime_bias, params.out_features);
    schema::FullyConnectedOptionsT options;
    options.fused_activation_function = v.Fused(params.activation);
    options.keep_num_dims = params.keep_num_dims;
    return v.Op(Op::FULLY_CONNECTED, params.keep_num_dims ? 5 : 1,
                {data, weights, bias}, options);
  });
}

namespace {

Shape Stored(Shape shape, bool adjoint) {
  if (adjoint) std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return shape;
}

}  // namespace

SingleOpModel BatchMatMul(const MatMulParams& p) {
  const Shape x = Stored(p.x, p.adj_x);
  const Shape y = Stored(p.y, p.adj_y);
  Accuracy accuracy;
  accuracy.terms = p.x.back();
  const std::string description = absl::StrCat(
      "BATCH_MATMUL ", ShapeString(x), p.adj_x ? " transposed" : "",
      WeightsName(p.x_weights), " by ", ShapeString(y),
      p.adj_y ? " transposed" : "", WeightsName(p.y_weights));
  return MakeModel(description, accuracy, true, [&](OpVariant& v) {
    const int a =
        v.Constant("x", x, v.random().Gaussian(ElementCount(x)), p.x_weights);
    const int b =
        v.Constant("y", y, v.random().Gaussian(ElementCount(y)), p.y_weights);
    schema::BatchMatMulOptionsT options;
    options.adj_x = p.adj_x;
    options.adj_y = p.adj_y;
    return v.Op(Op::BATCH_MATMUL, 1, {a, b}, options);
  });
}

}  // namespace gles_delegate::testing
