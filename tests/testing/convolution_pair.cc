#include "tests/testing/convolution_pair.h"

#include <algorithm>

#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/op_list.h"
#include "tests/testing/run_graph.h"
#include "tools/op_models/random.h"

namespace gles_delegate::testing {
namespace {

std::vector<int> Dims(const gles_delegate::Shape& s) {
  return {s.b, s.h, s.w, s.c};
}

HostTensor AsFloats(const gles_delegate::Shape& shape,
                    const std::vector<double>& values) {
  return {shape, std::vector<float>(values.begin(), values.end())};
}

}  // namespace

ConvolutionPair::ConvolutionPair(Kind first_kind, const ConvolutionPairCase& c)
    : clamps_(c.clamps) {
  window.stride_h = window.stride_w = c.stride;
  window.dilation_h = window.dilation_w = c.dilation;
  window.pad_top = window.pad_left = c.pad;
  Random random("convolution pair");
  const auto make = [&](const gles_delegate::Shape& shape) {
    return HostTensor{shape, random.Gaussian(shape.elements())};
  };
  src = make(c.src);
  const TensorId in = AddTensor(&graph, Dims(c.src));
  graph.inputs = {in};
  gles_delegate::Shape shape = c.src;  // of what the next convolution reads
  TensorId x = in;
  for (Convolution* conv : {&first_, &second_}) {
    const bool is_first = conv == &first_;
    conv->kind = is_first                         ? first_kind
                 : first_kind == Kind::kPointwise ? Kind::kDepthwise
                                                  : Kind::kPointwise;
    if (conv->kind == Kind::kPointwise) {
      conv->weights = make({c.channels, 1, 1, shape.c});
      shape.c = c.channels;
    } else {
      conv->weights = make({1, c.kernel, c.kernel, shape.c});
      const int extent = (c.kernel - 1) * c.dilation + 1;
      shape.h = (shape.h + 2 * c.pad - extent) / c.stride + 1;
      shape.w = (shape.w + 2 * c.pad - extent) / c.stride + 1;
    }
    conv->bias =
        c.bias ? random.Gaussian(shape.c) : std::vector<float>(shape.c);
    conv->dst = shape;
    x = AddNode(*conv, x, c.bias);
  }
  if (c.clamps) graph.nodes[0].post_ops = {{"clamp", {0, 1, 0, 0}}};
  graph.outputs = {x};
}

TensorId ConvolutionPair::AddNode(const Convolution& conv, TensorId x,
                                  bool has_bias) {
  Node node;
  if (conv.kind == Kind::kPointwise) {
    node.op = FindOpNamed("CONV_2D");
    node.attributes = Conv2dAttributes();
  } else {
    node.op = FindOpNamed("DEPTHWISE_CONV_2D");
    node.attributes = window;
  }
  const HostTensor& weights = conv.weights;
  node.inputs = {x, AddConstant(&graph, Dims(weights.shape), weights.values)};
  if (has_bias) {
    node.inputs.push_back(AddConstant(&graph, {conv.dst.c}, conv.bias));
  }
  node.outputs = {AddTensor(&graph, Dims(conv.dst))};
  graph.nodes.push_back(node);
  return node.outputs[0];
}

NaiveResult ConvolutionPair::Compute(const Convolution& conv,
                                     const HostTensor& x) const {
  return conv.kind == Kind::kPointwise
             ? NaiveConv({x, conv.weights, conv.bias}, {}, conv.dst)
             : NaiveDepthwise({x, conv.weights, conv.bias}, window, conv.dst);
}

NaiveResult ConvolutionPair::Expected() const {
  NaiveResult first = Compute(first_, src);
  if (clamps_) {
    for (double& v : first.values) v = std::clamp(v, 0.0, 1.0);
  }
  return {Compute(second_, AsFloats(first_.dst, first.values)).values,
          Compute(second_, AsFloats(first_.dst, first.magnitudes)).magnitudes};
}

}  // namespace gles_delegate::testing
