// Builders for the ops that sum products: convolutions and FULLY_CONNECTED.
#include <cmath>
#include <cstring>
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

std::string WindowText(const Window& window, Padding padding) {
  return absl::StrCat(" kernel ", window.kernel_h, "x", window.kernel_w,
                      " stride ", window.stride_h, "x", window.stride_w,
                      " dilation ", window.dilation_h, "x", window.dilation_w,
                      " ", PaddingName(padding));
}

std::string Rest(Activation activation, bool bias, Weights weights,
                 bool runtime_bias) {
  return absl::StrCat(" ", ActivationName(activation),
                      bias && runtime_bias ? " runtime" : "",
                      bias ? " bias " : " ", WeightsName(weights));
}

// The options that CONV_2D and DEPTHWISE_CONV_2D share.
template <typename Options, typename Params>
Options WindowOptions(const OpVariant& v, const Params& params) {
  Options options;
  v.SetWindow(params, &options);
  options.dilation_h_factor = params.dilation_h;
  options.dilation_w_factor = params.dilation_w;
  return options;
}

// Inputs of a conv-like op; an absent bias is left out.
std::vector<int> Operands(int data, int weights, int bias) {
  if (bias < 0) return {data, weights};
  return {data, weights, bias};
}

int OutputSize(int in, int stride, int kernel, Padding padding, int extra) {
  return stride * (in - 1) + (padding == Padding::kSame ? 1 : kernel) + extra;
}

std::string TransposeDescription(const char* name,
                                 const TransposeConvParams& params) {
  return absl::StrCat(
      name, " ", ShapeString(params.input), " to ", params.out_channels,
      WindowText({params.kernel_h, params.kernel_w, params.stride_h,
                  params.stride_w, 1, 1},
                 params.padding),
      Rest(Activation::kNone, params.bias, params.weights, params.runtime_bias),
      " extra ", params.extra_h, "x", params.extra_w);
}

Accuracy SumOf(int terms) {
  Accuracy accuracy;
  accuracy.terms = terms;
  return accuracy;
}

}  // namespace

SingleOpModel Conv2d(const ConvParams& params) {
  const int in_channels = params.input[3];
  const int terms = params.kernel_h * params.kernel_w * in_channels;
  const bool dilated = params.dilation_h > 1 || params.dilation_w > 1;
  const std::string description = absl::StrCat(
      "CONV_2D ", ShapeString(params.input), " to ", params.out_channels,
      WindowText(params, params.padding),
      Rest(params.activation, true, params.weights, params.runtime_bias));
  return MakeModel(description, SumOf(terms + 1), true, [&](OpVariant& v) {
    const Shape shape = {params.out_channels, params.kernel_h, params.kernel_w,
                         in_channels};
    const int data = ConvInput(v, params.input);
    const int weights =
        v.Constant("weights", shape, WeightData(v, ElementCount(shape), terms),
                   params.weights);
    const int bias = Bias(v, true, params.runtime_bias, params.out_channels);
    return v.Op(Op::CONV_2D, dilated ? 2 : 1, Operands(data, weights, bias),
                WindowOptions<schema::Conv2DOptionsT>(v, params));
  });
}

SingleOpModel Conv3d(const Conv3dParams& params) {
  const Shape& k = params.kernel;
  const int in_channels = params.input[4];
  const int terms = k[0] * k[1] * k[2] * in_channels;
  const std::string description = absl::StrCat(
      params.transposed ? "CONV_3D_TRANSPOSE " : "CONV_3D ",
      ShapeString(params.input), " to ", params.out_channels, " kernel ",
      ShapeString(k), " stride ", ShapeString(params.stride), " dilation ",
      ShapeString(params.dilation), " ", PaddingName(params.padding),
      Rest(params.activation, true, params.weights, false));
  return MakeModel(description, SumOf(terms + 1), true, [&](OpVariant& v) {
    Shape shape = {k[0], k[1], k[2], in_channels, params.out_channels};
    if (params.transposed) std::swap(shape[3], shape[4]);
    const int data = ConvInput(v, params.input);
    const int weights =
        v.Constant("weights", shape, WeightData(v, ElementCount(shape), terms),
                   params.weights);
    const int bias = Bias(v, true, false, params.out_channels);
    schema::Conv3DOptionsT options;
    options.padding = ToSchema(params.padding);
    options.fused_activation_function = v.Fused(params.activation);
    options.stride_d = params.stride[0];
    options.stride_h = params.stride[1];
    options.stride_w = params.stride[2];
    options.dilation_d_factor = params.dilation[0];
    options.dilation_h_factor = params.dilation[1];
    options.dilation_w_factor = params.dilation[2];
    if (!params.transposed) {
      return v.Op(Op::CONV_3D, 1, {data, weights, bias}, options);
    }
    std::vector<int32_t> output = params.input;
    output[4] = params.out_channels;
    for (int i = 0; i < 3; ++i) {
      const int reach = (k[i] - 1) * params.dilation[i] + 1;
      output[i + 1] = OutputSize(params.input[i + 1], params.stride[i], reach,
                                 params.padding, params.stride[i] - 1);
    }
    const int size = v.IntConstant("output_shape", {5}, output);
    return v.Op(Op::CONV_3D_TRANSPOSE, 1, {size, weights, data, bias}, options);
  });
}

SingleOpModel DepthwiseConv2d(const DepthwiseParams& params) {
  const int channels = params.input[3] * params.multiplier;
  const int terms = params.kernel_h * params.kernel_w;
  const bool dilated = params.dilation_h > 1 || params.dilation_w > 1;
  const std::string description = absl::StrCat(
      "DEPTHWISE_CONV_2D ", ShapeString(params.input), " times ",
      params.multiplier, WindowText(params, params.padding),
      Rest(params.activation, true, params.weights, params.runtime_bias));
  return MakeModel(description, SumOf(terms + 1), true, [&](OpVariant& v) {
    const Shape shape = {1, params.kernel_h, params.kernel_w, channels};
    const int data = ConvInput(v, params.input);
    const int weights =
        v.Constant("weights", shape, WeightData(v, ElementCount(shape), terms),
                   params.weights);
    const int bias = Bias(v, true, params.runtime_bias, channels);
    auto options = WindowOptions<schema::DepthwiseConv2DOptionsT>(v, params);
    options.depth_multiplier = params.multiplier;
    return v.Op(Op::DEPTHWISE_CONV_2D, dilated ? 2 : 1,
                Operands(data, weights, bias), options);
  });
}

SingleOpModel TransposeConv(const TransposeConvParams& params) {
  const int in_channels = params.input[3];
  const int terms = params.kernel_h * params.kernel_w * in_channels;
  const Shape output = {
      params.input[0],
      OutputSize(params.input[1], params.stride_h, params.kernel_h,
                 params.padding, params.extra_h),
      OutputSize(params.input[2], params.stride_w, params.kernel_w,
                 params.padding, params.extra_w),
      params.out_channels};
  return MakeModel(
      TransposeDescription("TRANSPOSE_CONV", params), SumOf(terms + 1), true,
      [&](OpVariant& v) {
        const Shape shape = {params.out_channels, params.kernel_h,
                             params.kernel_w, in_channels};
        const int size = v.IntConstant("output_shape", {4}, output);
        const int data = ConvInput(v, params.input);
        const int weights = v.Constant(
            "weights", shape, WeightData(v, ElementCount(shape), terms),
            params.weights);
        const int bias =
            Bias(v, params.bias, params.runtime_bias, params.out_channels);
        schema::TransposeConvOptionsT options;
        options.padding = ToSchema(params.padding);
        options.stride_h = params.stride_h;
        options.stride_w = params.stride_w;
        std::vector<int> inputs = {size, weights, data};
        if (bias >= 0) inputs.push_back(bias);
        return v.Op(Op::TRANSPOSE_CONV, params.bias ? 3 : 1, inputs, options);
      });
}

SingleOpModel Convolution2dTransposeBias(const TransposeConvParams& params) {
  const int in_channels = params.input[3];
  const int terms = params.kernel_h * params.kernel_w * in_channels;
  return MakeModel(
      TransposeDescription("Convolution2DTransposeBias", params),
      SumOf(terms + 1), true, [&](OpVariant& v) {
        const Shape shape = {params.out_channels, params.kernel_h,
                             params.kernel_w, in_channels};
        const int data = ConvInput(v, params.input);
        const int weights = v.Constant(
            "weights", shape, WeightData(v, ElementCount(shape), terms),
            params.weights);
        const int bias =
            Bias(v, true, params.runtime_bias, params.out_channels);
        const int32_t fields[3] = {params.padding == Padding::kSame ? 1 : 2,
                                   params.stride_w, params.stride_h};
        uint8_t parameters[sizeof(fields)];
        std::memcpy(parameters, fields, sizeof(fields));
        return v.CustomOp("Convolution2DTransposeBias", parameters,
                          {data, weights, bias});
      });
}

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
