#include "delegate/ops/conv/convolution.h"

#include <any>
#include <cstddef>
#include <utility>

#include "delegate/graph/op.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/dispatches.h"
#include "delegate/ops/matmul/matrix_product.h"

namespace gles_delegate {
namespace {

// From this many rows on, invocations have enough pixels to reuse their
// weights, and the device has enough invocations.
constexpr int kManyPixels = 8;

TensorId InputOrNone(const Node& node, size_t input) {
  return input < node.inputs.size() ? node.inputs[input] : kNoTensor;
}

// Whether the weights of a product of rows can stay quantized. Blocks must not
// be divided by a pixel's padding.
bool HasQuantizedRows(const Graph& graph, const Convolution& conv) {
  const Tensor& weights = graph.tensor(conv.weights.weights);
  const Filter& filter = conv.filter;
  return conv.kind == Convolution::Kind::kRows && conv.constant_weights &&
         !conv.quantized && StaysQuantized(weights) &&
         (weights.quantization.block == 0 || filter.taps == 1 ||
          filter.inputs % 4 == 0);
}

// Sets the members that follow from the tensors, once the inputs are known.
void LookUp(const Graph& graph, Convolution* conv) {
  const Tensor& src = graph.tensor(conv->src);
  const Tensor& dst = graph.tensor(conv->dst);
  conv->src_shape = src.shape;
  conv->dst_shape = dst.shape;
  const Tensor* const bias = conv->weights.Bias(graph);
  conv->constant_weights = graph.tensor(conv->weights.weights).is_constant() &&
                           (bias == nullptr || bias->is_constant());
  conv->quantized =
      conv->integer_path || src.is_float_view() || dst.is_float_view();
}

StageConvolution ConvolutionOf(const Node& node, absl::string_view name) {
  const Stage* const stage = FindStage(node, name);
  if (stage == nullptr || stage->op == nullptr) return {};
  const int weights = static_cast<int>(stage->weights);
  return {WeightsOf(node, weights, weights + 1), stage->ops};
}

// The window is the depthwise convolution's in either order.
void TakeInner(const Node& node, Convolution* conv) {
  conv->inner = ConvolutionOf(node, kInnerStage);
  if (!conv->inner.IsThere()) return;
  conv->kind = Convolution::Kind::kPointwiseDepthwise;
  if (const auto* a = std::any_cast<DepthwiseConv2dAttributes>(
          &FindStage(node, kInnerStage)->attributes)) {
    conv->kind = Convolution::Kind::kDepthwisePointwise;
    conv->window = *a;
  }
}

NextPointwise NextOf(const Graph& graph, const Node& node) {
  const StageConvolution next = ConvolutionOf(node, kNextStage);
  if (!next.IsThere()) return {};
  const Shape& s = graph.tensor(next.weights.weights).shape;
  return {node.outputs[1], next.weights, {s.b, 1, s.c, 1}, next.stage};
}

// Sets the members that follow from the node's attributes; false if it is not a
// convolution.
bool TakeAttributes(const Node& node, Convolution* conv) {
  using Kind = Convolution::Kind;
  if (const auto* a = node.As<Conv2dAttributes>()) {
    conv->window = *a;
    conv->filter.groups = a->groups;
    conv->input_stage = StageOf(node, kInputStage);
    return true;
  }
  if (const auto* a = node.As<DepthwiseConv2dAttributes>()) {
    conv->kind = Kind::kDepthwise;
    conv->window = *a;
    conv->multiplier = a->multiplier;
    return true;
  }
  if (const auto* a = node.As<TransposeConvAttributes>()) {
    conv->kind = Kind::kTransposed;
    conv->window = *a;
    conv->inputs = a->inputs;
    return true;
  }
  // The attributes of a matrix product only say how TFLite rounds.
  conv->kind = Kind::kRows;
  if (const auto* a = node.As<FullyConnectedAttributes>()) {
    const TensorId scale =
        a->normalizes ? InputOrNone(node, kRowScale) : kNoTensor;
    conv->norm = {a->normalizes, a->epsilon, scale};
  }
  return node.op != nullptr && node.op->name == "FULLY_CONNECTED";
}

// The filter and the window's taps, if the kind is known.
void TakeFilter(const Graph& graph, Convolution* conv) {
  const Tensor& weights = graph.tensor(conv->weights.weights);
  const Shape& s = weights.shape;
  Filter& filter = conv->filter;
  switch (conv->kind) {
    case Convolution::Kind::kRows:
      // Not its dims: a RESHAPE to them that moves nothing is removed.
      filter = Filter::OfRows(s.b, s.c, conv->src_shape.c);
      return;
    case Convolution::Kind::kDepthwise:  // [1,H,W,O], as the other one
    case Convolution::Kind::kPointwiseDepthwise:
      filter = {s.c, s.h * s.w, 1, s.c / conv->multiplier};
      break;
    case Convolution::Kind::kWindow:  // OHWI, as the other two
    case Convolution::Kind::kTransposed:
    case Convolution::Kind::kDepthwisePointwise:
      filter = {s.b, s.h * s.w, s.c, filter.groups};
      break;
  }
  const bool fused = conv->kind == Convolution::Kind::kDepthwisePointwise;
  const Shape& window =
      fused ? graph.tensor(conv->inner.weights.weights).shape : s;
  conv->window_w = window.w;
  conv->window_h = window.h;
}

}  // namespace

Filter Filter::OfRows(int outputs, int k, int channels) {
  const int pixels = k % channels == 0 ? k / channels : 1;
  return {outputs, pixels, k / pixels, 1};
}

WeightIds WeightsOf(const Node& node, int weights, int bias) {
  return {node.inputs[weights], InputOrNone(node, bias)};
}

std::optional<Convolution> Convolution::Of(const Graph& graph,
                                           const Node& node) {
  Convolution conv;
  if (node.inputs.size() < 2 || !TakeAttributes(node, &conv)) {
    return std::nullopt;
  }
  TakeInner(node, &conv);
  conv.next = NextOf(graph, node);
  conv.gate = ConvolutionOf(node, kGateStage);
  conv.src = node.inputs[conv.inputs.data];
  conv.dst = node.outputs[0];
  conv.weights = WeightsOf(node, conv.inputs.weights, conv.inputs.bias);
  conv.integer_path = node.integer_path;
  LookUp(graph, &conv);
  TakeFilter(graph, &conv);
  conv.quantized_rows = HasQuantizedRows(graph, conv);
  return conv;
}

Convolution Convolution::OfRows(TensorId src, TensorId dst,
                                const WeightIds& weights, int outputs, int k,
                                const Graph& graph) {
  Convolution conv;
  conv.kind = Kind::kRows;
  conv.src = src;
  conv.dst = dst;
  conv.weights = weights;
  LookUp(graph, &conv);
  conv.filter = Filter::OfRows(outputs, k, conv.src_shape.c);
  conv.quantized_rows = HasQuantizedRows(graph, conv);
  return conv;
}

bool Convolution::RowsArePixels() const {
  return filter.taps == 1 && RowsAreWholePixels() &&
         src_shape.b == dst_shape.b && src_shape.h == dst_shape.h &&
         src_shape.w == dst_shape.w;
}

bool Convolution::IsPointwise() const {
  return (kind == Kind::kWindow || kind == Kind::kRows) && RowsArePixels() &&
         filter.groups == 1 && window.HasUnitStride() && window.BeginsInside();
}

bool Convolution::IsWholeInput() const {
  return kind == Kind::kWindow && filter.groups == 1 && dst_shape.h == 1 &&
         dst_shape.w == 1 && window_h == src_shape.h &&
         window_w == src_shape.w && window.BeginsInside() &&
         !window.IsDilated();
}

bool Convolution::HasManyPixels() const { return pixels() >= kManyPixels; }

bool Convolution::IsTiled() const {
  if (IsPointwise()) return HasManyPixels();
  return kind == Kind::kWindow && filter.groups == 1;
}

bool Convolution::CanTakeRowStages() const {
  return kind == Kind::kRows && IsPointwise() && !HasManyPixels() &&
         constant_weights && !quantized;
}

bool Convolution::CanTakeInputStage() const {
  return kind == Kind::kWindow && IsPointwise() && HasManyPixels() &&
         constant_weights && !integer_path;
}

bool Convolution::ReadsOutside() const {
  const int64_t right = int64_t{dst_shape.w - 1} * window.stride_w -
                        window.pad_left +
                        int64_t{window_w - 1} * window.dilation_w;
  const int64_t bottom = int64_t{dst_shape.h - 1} * window.stride_h -
                         window.pad_top +
                         int64_t{window_h - 1} * window.dilation_h;
  return window.pad_left > 0 || window.pad_top > 0 || right >= src_shape.w ||
         bottom >= src_shape.h;
}

int Convolution::input_channels() const {
  switch (kind) {
    case Kind::kWindow:
    case Kind::kDepthwise:
      return src_shape.c;
    case Kind::kRows:
      return filter.terms() == src_shape.c ? src_shape.c : 0;
    case Kind::kTransposed:
    case Kind::kDepthwisePointwise:
    case Kind::kPointwiseDepthwise:
      break;
  }
  return 0;
}

int Convolution::OutputOf(int64_t weight) const {
  return static_cast<int>(kind == Kind::kDepthwise ? weight % filter.outputs
                                                   : weight / filter.terms());
}

int Convolution::InputOf(int64_t weight) const {
  const int output = OutputOf(weight);
  if (kind == Kind::kDepthwise) return output / multiplier;
  return output / filter.outputs_per_group() * filter.inputs +
         static_cast<int>(weight % filter.inputs);
}

void AddConvolution(absl::string_view stage, const Node& node,
                    const WeightIds& weights, Node* fused) {
  constexpr size_t kOwnInputs = 3;
  if (fused->inputs.size() < kOwnInputs) {
    fused->inputs.resize(kOwnInputs, kNoTensor);
  }
  Stage added = {{stage, node.post_ops}};
  added.op = node.op;
  added.attributes = node.attributes;
  added.weights = fused->inputs.size();
  added.follows = stage == kNextStage;
  fused->stages.push_back(std::move(added));
  fused->inputs.push_back(weights.weights);
  fused->inputs.push_back(weights.bias);
}

SlidingWindow* InputWindowOf(Node* node) {
  if (auto* a = node->As<Conv2dAttributes>()) return a;
  return node->As<DepthwiseConv2dAttributes>();
}

const SlidingWindow* InputWindowOf(const Node& node) {
  if (const auto* a = node.As<Conv2dAttributes>()) return a;
  return node.As<DepthwiseConv2dAttributes>();
}

}  // namespace gles_delegate
