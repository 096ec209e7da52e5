// Convolutions, with every channel tail in and out, windows, strides,
// dilations, activations, and every kind of weights.

#include "absl/strings/str_cat.h"
#include "tools/conformance/cases.h"
#include "tools/op_models/op_builders.h"

namespace gles_delegate::conformance {
namespace {

using testing::Activation;
using testing::ConvParams;
using testing::DepthwiseParams;
using testing::Padding;
using testing::TransposeConvParams;
using testing::Weights;
using testing::Window;
using testing::WindowParams;

std::string PaddingName(Padding padding) {
  return padding == Padding::kSame ? "SAME" : "VALID";
}

// The windows that convolutions are tried with: kernel, stride, dilation.
constexpr Window kWindows[] = {
    {1, 1, 1, 1, 1, 1}, {1, 1, 2, 2, 1, 1}, {3, 3, 1, 1, 1, 1},
    {3, 3, 2, 2, 1, 1}, {3, 3, 1, 2, 1, 1}, {3, 3, 3, 3, 1, 1},
    {3, 3, 1, 1, 2, 2}, {3, 3, 1, 1, 1, 3}, {5, 5, 1, 1, 1, 1},
    {5, 5, 2, 2, 1, 1}, {2, 2, 2, 2, 1, 1}, {1, 7, 1, 1, 1, 1},
    {7, 1, 2, 1, 1, 1}, {4, 3, 1, 1, 2, 1},
};

std::string WindowName(const Window& window) {
  return absl::StrCat("k", window.kernel_h, "x", window.kernel_w, "_s",
                      window.stride_h, "x", window.stride_w, "_d",
                      window.dilation_h, "x", window.dilation_w);
}

void SetWindow(const Window& window, Padding padding, WindowParams* params) {
  static_cast<Window&>(*params) = window;
  params->padding = padding;
}

void AddConv(CaseList* list, const std::string& attributes,
             const ConvParams& params) {
  list->Add("CONV_2D", absl::StrCat(attributes, "_out", params.out_channels),
            params.input, [=] { return Conv2d(params); });
}

void AddConv2d(CaseList* list) {
  for (const Shape& shape : testing::StandardShapes()) {
    for (int kernel : {1, 3}) {
      ConvParams params;
      params.input = shape;
      params.kernel_h = params.kernel_w = kernel;
      AddConv(list, absl::StrCat("plain", kernel), params);
    }
  }
  for (int in : testing::StandardChannels()) {
    for (int out : testing::StandardChannels()) {
      ConvParams params;
      params.input = {1, 5, 6, in};
      params.out_channels = out;
      AddConv(list, "channels", params);
    }
  }
  for (const Window& window : kWindows) {
    for (Padding padding : {Padding::kSame, Padding::kValid}) {
      ConvParams params;
      params.input = {1, 11, 13, 5};
      params.out_channels = 6;
      SetWindow(window, padding, &params);
      AddConv(list, absl::StrCat(WindowName(window), "_", PaddingName(padding)),
              params);
    }
  }
  // With many channels a device may take Winograd's way.
  for (Padding padding : {Padding::kSame, Padding::kValid}) {
    for (const Shape& shape : {Shape{1, 12, 8, 64}, Shape{2, 15, 14, 70}}) {
      ConvParams params;
      params.input = shape;
      params.out_channels = 67;
      params.padding = padding;
      AddConv(list, absl::StrCat("deep3_", PaddingName(padding)), params);
    }
  }
  for (Activation activation : testing::kActivations) {
    for (Weights weights : kEveryWeights) {
      for (int kernel : {1, 3}) {
        ConvParams params;
        params.input = {3, 5, 4, 17};
        params.out_channels = 5;
        params.kernel_h = params.kernel_w = kernel;
        params.activation = activation;
        params.weights = weights;
        AddConv(list,
                absl::StrCat("k", kernel, "_", ActivationName(activation), "_",
                             WeightsName(weights)),
                params);
      }
    }
  }
}

void AddDepthwise(CaseList* list, const std::string& attributes,
                  const DepthwiseParams& params) {
  list->Add("DEPTHWISE_CONV_2D",
            absl::StrCat(attributes, "_times", params.multiplier), params.input,
            [=] { return DepthwiseConv2d(params); });
}

void AddDepthwiseConv2d(CaseList* list) {
  for (const Shape& shape : testing::StandardShapes()) {
    for (int multiplier : {1, 3}) {
      DepthwiseParams params;
      params.input = shape;
      params.multiplier = multiplier;
      AddDepthwise(list, "plain", params);
    }
  }
  for (int in : testing::StandardChannels()) {
    for (int multiplier : {2, 4, 5}) {
      DepthwiseParams params;
      params.input = {1, 5, 6, in};
      params.multiplier = multiplier;
      AddDepthwise(list, "channels", params);
    }
  }
  for (const Window& window : kWindows) {
    // TFLite takes one dilation for both axes in some of its kernels.
    if (window.dilation_h != window.dilation_w) continue;
    for (Padding padding : {Padding::kSame, Padding::kValid}) {
      DepthwiseParams params;
      params.input = {1, 11, 13, 5};
      SetWindow(window, padding, &params);
      AddDepthwise(list,
                   absl::StrCat(WindowName(window), "_", PaddingName(padding)),
                   params);
    }
  }
  for (Activation activation : testing::kActivations) {
    for (Weights weights : kEveryWeights) {
      DepthwiseParams params;
      params.input = {3, 5, 4, 17};
      params.activation = activation;
      params.weights = weights;
      AddDepthwise(
          list,
          absl::StrCat(ActivationName(activation), "_", WeightsName(weights)),
          params);
    }
  }
}

void AddTransposed(CaseList* list, const std::string& attributes,
                   const TransposeConvParams& params) {
  const std::string text =
      absl::StrCat(attributes, "_out", params.out_channels);
  list->Add("TRANSPOSE_CONV", text, params.input,
            [=] { return TransposeConv(params); });
  // The custom op leaves no choice of its output's size and its bias.
  if (params.extra_h != 0 || params.bias) return;
  list->Add("Convolution2DTransposeBias", text, params.input,
            [=] { return Convolution2dTransposeBias(params); });
}

void AddFloatTransposeConv(CaseList* list) {
  for (const Shape& shape : testing::StandardShapes()) {
    TransposeConvParams params;
    params.input = shape;
    AddTransposed(list, "plain", params);
  }
  for (int in : testing::StandardChannels()) {
    for (int out : {1, 3, 8}) {
      TransposeConvParams params;
      params.input = {1, 3, 4, in};
      params.out_channels = out;
      AddTransposed(list, "channels", params);
    }
  }
  for (const auto& [kernel, stride] : std::vector<std::pair<int, int>>{
           {1, 1}, {2, 2}, {3, 1}, {4, 2}, {5, 3}, {2, 3}}) {
    for (Padding padding : {Padding::kSame, Padding::kValid}) {
      for (int extra : {0, 1}) {
        if (extra >= stride) continue;
        TransposeConvParams params;
        params.input = {2, 4, 3, 5};
        params.kernel_h = params.kernel_w = kernel;
        params.stride_h = params.stride_w = stride;
        params.padding = padding;
        params.extra_h = params.extra_w = extra;
        AddTransposed(list,
                      absl::StrCat("k", kernel, "_s", stride, "_",
                                   PaddingName(padding), "_extra", extra),
                      params);
      }
    }
  }
  for (Weights weights : kEveryWeights) {
    for (bool bias : {false, true}) {
      TransposeConvParams params;
      params.input = {1, 5, 4, 8};
      params.bias = bias;
      params.weights = weights;
      AddTransposed(list,
                    absl::StrCat(bias ? "bias_" : "", WeightsName(weights)),
                    params);
    }
  }
}

void AddConv3d(CaseList* list) {
  const auto add = [list](const std::string& attributes,
                          testing::Conv3dParams params, bool same_padding) {
    for (bool transposed : {false, true}) {
      if (transposed && !same_padding) continue;  // refused
      params.transposed = transposed;
      if (transposed) params.activation = testing::Activation::kNone;
      list->Add(transposed ? "CONV_3D_TRANSPOSE" : "CONV_3D", attributes,
                params.input, [=] { return testing::Conv3d(params); });
    }
  };
  for (int in : testing::StandardChannels()) {
    for (int out : {1, 4, 5, 17}) {
      testing::Conv3dParams params;
      params.input = {1, 3, 4, 5, in};
      params.out_channels = out;
      add(absl::StrCat("to", out), params, /*same_padding=*/true);
    }
  }
  for (const Shape& kernel : {Shape{1, 1, 1}, Shape{2, 3, 1}, Shape{3, 1, 2}}) {
    for (const Shape& stride : {Shape{1, 1, 1}, Shape{2, 1, 3}}) {
      for (const Shape& dilation : {Shape{1, 1, 1}, Shape{2, 2, 1}}) {
        for (Padding padding : {Padding::kSame, Padding::kValid}) {
          testing::Conv3dParams params;
          params.input = {2, 5, 6, 7, 3};
          params.kernel = kernel;
          params.stride = stride;
          params.dilation = dilation;
          params.padding = padding;
          params.activation = testing::Activation::kRelu6;
          add(absl::StrCat("k", testing::ShapeString(kernel), "_s",
                           testing::ShapeString(stride), "_d",
                           testing::ShapeString(dilation), "_",
                           PaddingName(padding)),
              params, padding == Padding::kValid);
        }
      }
    }
  }
}

}  // namespace

std::string WeightsName(Weights weights) {
  switch (weights) {
    case Weights::kFloat:
      return "float_weights";
    case Weights::kHalf:
      return "half_weights";
    case Weights::kInt8:
      return "int8_weights";
    case Weights::kSparse:
      return "sparse_weights";
    case Weights::kSparseHalf:
      return "sparse_half_weights";
    case Weights::kRuntime:
      return "runtime_weights";
  }
  return "?";
}

void AddConvCases(CaseList* list) {
  AddConv2d(list);
  AddDepthwiseConv2d(list);
  AddFloatTransposeConv(list);
  AddConv3d(list);
}

}  // namespace gles_delegate::conformance
