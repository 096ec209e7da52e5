// Sums of products on 8-bit tensors, whose weights have a scale each channel
// where they are int8, and one scale where they are uint8; and QUANTIZE and
// DEQUANTIZE, which begin and end such models. No code may differ. The file is
// longer than 300 lines, as it has tables of windows and scales.
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tools/conformance/cases.h"
#include "tools/conformance/quantized_series.h"
#include "tools/op_models/op_builders.h"

namespace gles_delegate::conformance {
namespace {

using schema::ActivationFunctionType;

constexpr TensorType kConvolutionTypes[] = {TensorType::INT8,
                                            TensorType::UINT8};

struct Params {
  Op op = Op::CONV_2D;
  Shape input;
  int out = 4;
  int kernel = 3;
  int stride = 1;
  ActivationFunctionType activation = ActivationFunctionType::NONE;
  TensorType type = TensorType::INT8;
  Codes quantized = Codes::kRandom;
};

std::string ConvolutionAttributes(const Params& p) {
  return absl::StrCat(absl::AsciiStrToLower(schema::EnumNameTensorType(p.type)),
                      "_k", p.kernel, "_s", p.stride, "_out", p.out, "_",
                      schema::EnumNameActivationFunctionType(p.activation), "_",
                      Name(p.quantized));
}

template <typename Options>
Options WindowOptions(const Params& p) {
  Options options;
  options.padding = schema::Padding::SAME;
  options.stride_h = options.stride_w = p.stride;
  options.fused_activation_function = p.activation;
  return options;
}

void AddConvolutionNode(const Params& p, const std::vector<int>& inputs,
                        int output, QuantizedBuilder* b) {
  switch (p.op) {
    case Op::DEPTHWISE_CONV_2D: {
      auto options = WindowOptions<schema::DepthwiseConv2DOptionsT>(p);
      options.depth_multiplier = p.out / p.input.back();
      b->builder().AddOp(p.op, 3, inputs, {output}, options);
      return;
    }
    case Op::FULLY_CONNECTED: {
      schema::FullyConnectedOptionsT options;
      options.fused_activation_function = p.activation;
      b->builder().AddOp(p.op, 4, inputs, {output}, options);
      return;
    }
    default:
      b->builder().AddOp(p.op, 3, inputs, {output},
                         WindowOptions<schema::Conv2DOptionsT>(p));
  }
}

Shape WeightShape(const Params& p) {
  switch (p.op) {
    case Op::DEPTHWISE_CONV_2D:
      return {1, p.kernel, p.kernel, p.out};
    case Op::FULLY_CONNECTED:
      return {p.out, p.input.back()};
    default:
      return {p.out, p.kernel, p.kernel, p.input.back()};
  }
}

Shape OutputShape(const Params& p) {
  if (p.op == Op::FULLY_CONNECTED) return {p.input[0], p.out};
  const int h = (p.input[1] + p.stride - 1) / p.stride;
  const int w = (p.input[2] + p.stride - 1) / p.stride;
  return {p.input[0], h, w, p.out};
}

SingleOpModel ConvolutionModel(const Params& p) {
  QuantizedBuilder b(
      absl::StrCat(schema::EnumNameBuiltinOperator(p.op), " ",
                   ShapeString(p.input), " ", ConvolutionAttributes(p)),
      p.type, p.quantized);
  const ModelQuantization in = b.Draw();
  const float in_scale = QuantizedBuilder::ScaleOf(in);
  const int data = b.Input("x", p.input, in);
  const bool depthwise = p.op == Op::DEPTHWISE_CONV_2D;
  const int terms = (p.op == Op::FULLY_CONNECTED ? 1 : p.kernel * p.kernel) *
                    (depthwise ? 1 : p.input.back());
  std::vector<float> scales;
  // TFLite's int8 FULLY_CONNECTED takes one scale for all channels.
  const Shape shape = WeightShape(p);
  const int weights = b.Weights("w", shape, depthwise ? 3 : 0,
                                b.random().NextUniform(0.001f, 0.05f),
                                p.op == Op::FULLY_CONNECTED, &scales);
  // The sums spread over about 100 * 100 * sqrt(terms) steps, of which a part
  // saturates.
  const float out_scale = in_scale * scales[0] * 100 *
                          std::sqrt(static_cast<float>(terms)) *
                          b.random().NextUniform(0.5f, 2);
  const int bias = b.Bias(p.out, in_scale, scales, 30 * out_scale);
  const int output = b.Output("y", OutputShape(p), b.Draw(out_scale));
  AddConvolutionNode(p, {data, weights, bias}, output, &b);
  return b.Finish({output});
}

void AddConvolution(CaseList* list, Params p) {
  for (TensorType type : kConvolutionTypes) {
    for (Codes quantized : kQuantized) {
      p.type = type;
      p.quantized = quantized;
      list->AddQuantized(schema::EnumNameBuiltinOperator(p.op),
                         ConvolutionAttributes(p), p.input,
                         [p] { return ConvolutionModel(p); });
    }
  }
}

// Adds the node of `p` that reads tensor `x`, whose scale is `*scale`. Returns
// its output, and puts that one's scale there.
int AddTo(const Params& p, int x, float* scale, QuantizedBuilder* b) {
  const bool depthwise = p.op == Op::DEPTHWISE_CONV_2D;
  const int terms = p.kernel * p.kernel * (depthwise ? 1 : p.input.back());
  std::vector<float> scales;
  const int weights = b->Weights("w", WeightShape(p), depthwise ? 3 : 0,
                                 b->random().NextUniform(0.001f, 0.05f),
                                 /*per_tensor=*/false, &scales);
  const float out_scale = *scale * scales[0] * 100 *
                          std::sqrt(static_cast<float>(terms)) *
                          b->random().NextUniform(0.5f, 2);
  const int bias = b->Bias(p.out, *scale, scales, 30 * out_scale);
  const int y = b->Output("y", OutputShape(p), b->Draw(out_scale));
  AddConvolutionNode(p, {x, weights, bias}, y, b);
  *scale = out_scale;
  return y;
}

// A block of an inverted bottleneck: a depthwise convolution, a 1x1 one of as
// many channels, and an ADD of the block's input where the shapes are equal. A
// device may compute it in one dispatch: no code differs.
SingleOpModel Block(const Params& p) {
  QuantizedBuilder b(absl::StrCat("block ", ShapeString(p.input), " ",
                                  ConvolutionAttributes(p)),
                     p.type, p.quantized);
  const ModelQuantization in = b.Draw();
  float scale = QuantizedBuilder::ScaleOf(in);
  const int x = b.Input("x", p.input, in);
  Params depthwise = p;
  depthwise.out = p.input.back();
  int y = AddTo(depthwise, x, &scale, &b);
  Params pointwise;
  pointwise.input = OutputShape(depthwise);
  pointwise.out = p.out;
  pointwise.kernel = 1;
  y = AddTo(pointwise, y, &scale, &b);
  const Shape shape = OutputShape(pointwise);
  if (shape == p.input) {
    const int sum =
        b.Output("sum", shape, b.Draw(scale + QuantizedBuilder::ScaleOf(in)));
    b.builder().AddOp(Op::ADD, 2, {x, y}, {sum}, schema::AddOptionsT());
    y = sum;
  }
  return b.Finish({y});
}

void AddConvolutionBlocks(CaseList* list) {
  for (TensorType type : kConvolutionTypes) {
    for (Codes quantized : kQuantized) {
      for (const auto& [channels, out, stride] :
           {std::array<int, 3>{5, 5, 1}, {8, 24, 2}, {36, 36, 1}}) {
        Params p;
        p.op = Op::DEPTHWISE_CONV_2D;
        p.input = Shape{1, 9, 7, channels};
        p.out = out;
        p.stride = stride;
        p.type = type;
        p.quantized = quantized;
        p.activation = stride == 1 ? ActivationFunctionType::RELU6
                                   : ActivationFunctionType::NONE;
        list->AddQuantized("DEPTHWISE_CONV_2D",
                           absl::StrCat("block_", ConvolutionAttributes(p)),
                           p.input, [p] { return Block(p); });
      }
    }
  }
}

void AddConvolutionConversions(CaseList* list) {
  for (TensorType type : kConvolutionTypes) {
    for (Codes quantized : kQuantized) {
      for (const Shape& shape :
           {Shape{1, 5, 7, 5}, {3, 4, 6, 8}, {1, 1, 64, 4}}) {
        const std::string what = absl::StrCat(
            absl::AsciiStrToLower(schema::EnumNameTensorType(type)), "_",
            Name(quantized));
        list->AddQuantized("DEQUANTIZE", what, shape, [=] {
          QuantizedBuilder b(
              absl::StrCat("DEQUANTIZE ", what, ShapeString(shape)), type,
              quantized);
          const int x = b.Input("x", shape, b.Draw());
          const int y = b.builder().AddTensor("y", shape);
          b.builder().AddOp(Op::DEQUANTIZE, 2, {x}, {y});
          // The value is a scale times a whole number, which both sides round
          // once.
          return b.Finish({y});
        });
        // QUANTIZE also goes from one quantization to another.
        list->AddQuantized("QUANTIZE", "requantize_" + what, shape, [=] {
          QuantizedBuilder b(
              absl::StrCat("QUANTIZE ", what, ShapeString(shape)), type,
              quantized);
          const ModelQuantization in = b.Draw();
          const int x = b.Input("x", shape, in);
          const int y = b.Output("y", shape,
                                 b.Draw(QuantizedBuilder::ScaleOf(in) *
                                        b.random().NextUniform(0.5f, 2)));
          b.builder().AddOp(Op::QUANTIZE, 2, {x}, {y});
          return b.Finish({y});
        });
        list->AddQuantized("QUANTIZE", "from_float_" + what, shape, [=] {
          QuantizedBuilder b(
              absl::StrCat("QUANTIZE of float ", what, ShapeString(shape)),
              type, quantized);
          const ModelQuantization q = b.Draw();
          const float max = 200 * QuantizedBuilder::ScaleOf(q);
          const int x = b.FloatInput(
              "x", shape,
              b.random().Uniform(testing::ElementCount(shape), -max, max));
          const int y = b.Output("y", shape, q);
          b.builder().AddOp(Op::QUANTIZE, 1, {x}, {y});
          return b.Finish({y});
        });
      }
    }
  }
}

// Floats at the ties between two quantized values, the next floats beside them,
// and 0.
SingleOpModel TiesModel(const std::string& what, const Shape& shape,
                        TensorType type) {
  QuantizedBuilder b("QUANTIZE " + what, type, Codes::kRandom);
  const ModelQuantization q = WithZeroPoint(b, DrawScale(b));
  std::vector<float> values(testing::ElementCount(shape));
  for (size_t i = 0; i < values.size(); ++i) {
    const int code = static_cast<int>(i / 3) - 130;
    const float tie = (static_cast<float>(code) + 0.5f) * q.scale[0];
    const float beside = i % 3 == 1 ? -1e9f : 1e9f;
    values[i] = i % 3 == 0 ? tie : std::nextafter(tie, beside);
  }
  values[0] = 0;
  const int x = b.FloatInput("x", shape, std::move(values));
  const int y = b.Output("y", shape, q);
  b.builder().AddOp(Op::QUANTIZE, 1, {x}, {y});
  return b.Finish({y});
}

void AddTies(CaseList* list) {
  static const auto& shape = *new Shape{1, 9, 29, 3};
  for (TensorType type : kConvolutionTypes) {
    const std::string name =
        absl::AsciiStrToLower(schema::EnumNameTensorType(type));
    for (int i = 0; i < kFamilies; ++i) {
      const std::string what = absl::StrCat(name, "_ties_", i);
      list->AddQuantized("QUANTIZE", what, shape,
                         [=] { return TiesModel(what, shape, type); });
    }
  }
}

}  // namespace

void AddQuantizedConvolutionCases(CaseList* list) {
  for (int in : {3, 4, 17}) {
    for (int out : {1, 5, 8}) {
      for (int kernel : {1, 3}) {
        Params p;
        p.input = Shape{2, 5, 6, in};
        p.out = out;
        p.kernel = kernel;
        AddConvolution(list, p);
      }
      Params dense;
      dense.op = Op::FULLY_CONNECTED;
      dense.input = Shape{3, in * 9};
      dense.out = out;
      AddConvolution(list, dense);
    }
    for (int multiplier : {1, 2}) {
      for (int stride : {1, 2}) {
        Params p;
        p.op = Op::DEPTHWISE_CONV_2D;
        p.input = Shape{2, 7, 6, in};
        p.out = in * multiplier;
        p.stride = stride;
        AddConvolution(list, p);
      }
    }
  }
  for (ActivationFunctionType activation :
       {ActivationFunctionType::RELU, ActivationFunctionType::RELU6,
        ActivationFunctionType::RELU_N1_TO_1}) {
    for (Op op : {Op::CONV_2D, Op::DEPTHWISE_CONV_2D, Op::FULLY_CONNECTED}) {
      Params p;
      p.op = op;
      p.input = op == Op::FULLY_CONNECTED ? Shape{2, 40} : Shape{1, 6, 7, 5};
      p.out = 5;
      p.stride = op == Op::FULLY_CONNECTED ? 1 : 2;
      p.activation = activation;
      AddConvolution(list, p);
    }
  }
  AddConvolutionBlocks(list);
  AddConvolutionConversions(list);
  AddTies(list);
}

}  // namespace gles_delegate::conformance
