// Folds multiplications and additions of constants into the weights of adjacent
// convolutions and matrix products.
//
// For CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED and TRANSPOSE_CONV with
// constant weights and a constant bias, or none:
// - after the node: post-ops that multiply by, add or subtract a constant, of
//   one value or one per output channel, up to the first other post-op. Adds a
//   bias if there was none.
// - before the node (not TRANSPOSE_CONV): an elementwise node that only it
//   reads. A multiplication goes into the weights; an addition into the bias,
//   unless zeros are padded, to which it would not apply.
//
// New weights are float32; the old constant stays for other readers. Weights to
// be stored in 16 bits (`half`) are scaled only by 1/16 to 16, to stay in the
// range that 16 bits hold well. Skips nodes on the integer path.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/op.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/passes/passes.h"

namespace gles_delegate {
namespace {

// x * scale + offset, with a scale and an offset for each channel.
struct Affine {
  std::vector<float> scale;
  std::vector<float> offset;
};

// The node as a convolution if its weights may change: they are constant, and a
// builtin op computes real values with them. Otherwise nullopt.
std::optional<Convolution> WithWeights(const Graph& graph, const Node& node) {
  auto conv = Convolution::Of(graph, node);
  if (!conv || conv->integer_path || !conv->constant_weights ||
      conv->quantized_rows || node.op->builtin_code < 0) {
    return std::nullopt;
  }
  return conv;
}

// The constant of a post-op, as one value per channel. nullopt if it has no
// constant of one value or one per channel.
std::optional<std::vector<float>> ConstantOf(const Graph& graph,
                                             const PostOp& op, int channels) {
  if (op.operand == kNoTensor) {
    return std::vector<float>(channels, op.params[0]);
  }
  const Tensor& operand = graph.tensor(op.operand);
  const Shape& s = operand.shape;
  if (!operand.is_constant() || op.operand_as != OperandAs::kBroadcast ||
      s.b != 1 || s.h != 1 || s.w != 1 || (s.c != 1 && s.c != channels)) {
    return std::nullopt;
  }
  auto values = ConstantFloats(operand);
  if (!values.ok()) return std::nullopt;
  if (s.c == 1) values->resize(channels, values->front());
  return *std::move(values);
}

// The post-op as x * scale + offset; nullopt if it is something else.
std::optional<Affine> AffineOf(const Graph& graph, const PostOp& op,
                               int channels) {
  if (op.function != "mul" && op.function != "add" && op.function != "sub") {
    return std::nullopt;
  }
  auto values = ConstantOf(graph, op, channels);
  if (!values) return std::nullopt;
  Affine affine{std::vector<float>(channels, 1.0f),
                std::vector<float>(channels, 0.0f)};
  if (op.function == "mul") {
    affine.scale = *std::move(values);
    return affine;
  }
  // The constant may be the first argument, as the operand or in the params.
  const bool constant_first =
      op.operand == kNoTensor ? op.params[1] != 0 : op.operand_first;
  const float sign = op.function == "sub" && !constant_first ? -1.0f : 1.0f;
  for (float& v : *values) v *= sign;
  affine.offset = *std::move(values);
  if (op.function == "sub" && constant_first) {
    absl::c_fill(affine.scale, -1.0f);
  }
  return affine;
}

// Whether the scale may make weights that overflow 16 bits, or weights so small
// that 16 bits round them coarsely.
bool LeavesHalf(const Affine& affine) {
  constexpr float kMax = 16;
  return absl::c_any_of(affine.scale, [](float s) {
    return !(std::fabs(s) <= kMax && std::fabs(s) >= 1 / kMax);
  });
}

TensorId AddFloatsLike(Graph* graph, const Tensor& like, absl::string_view name,
                       std::vector<int> dims,
                       const std::vector<float>& values) {
  Tensor tensor;
  tensor.name = absl::StrCat(like.name, name);
  tensor.SetDims(std::move(dims));
  tensor.constant = ConstantData::Of(values);
  // There the scale is folded, too.
  tensor.constant.SetInOtherSubgraphs(like.constant.is_in_other_subgraphs());
  return graph->AddTensor(std::move(tensor));
}

// The weights and the bias of a node as numbers. The pass changes these, then
// stores them as new constants.
class Weights {
 public:
  static absl::StatusOr<Weights> Of(const Graph& graph,
                                    const Convolution& conv) {
    Weights w(conv);
    ASSIGN_OR_RETURN(w.weights_,
                     ConstantFloats(graph.tensor(conv.weights.weights)));
    w.bias_.assign(conv.filter.outputs, 0.0f);
    if (const Tensor* bias = conv.weights.Bias(graph)) {
      ASSIGN_OR_RETURN(w.bias_, ConstantFloats(*bias));
    }
    return w;
  }

  // (x * w + bias) * scale + offset.
  void ApplyAfter(const Affine& affine) {
    for (size_t i = 0; i < weights_.size(); ++i) {
      weights_[i] *= affine.scale[conv_.OutputOf(i)];
    }
    for (int o = 0; o < conv_.filter.outputs; ++o) {
      bias_[o] = bias_[o] * affine.scale[o] + affine.offset[o];
    }
  }

  // (x * scale + offset) * w + bias.
  void ApplyBefore(const Affine& affine) {
    for (size_t i = 0; i < weights_.size(); ++i) {
      const int input = conv_.InputOf(i);
      bias_[conv_.OutputOf(i)] += weights_[i] * affine.offset[input];
      weights_[i] *= affine.scale[input];
    }
  }

  void Store(Rewriter& r, int n) const {
    const Tensor& old = r.tensor(conv_.weights.weights);
    const TensorId weights =
        AddFloatsLike(&r.graph(), old, " scaled", old.dims, weights_);
    const TensorId bias = AddFloatsLike(&r.graph(), r.tensor(weights), " bias",
                                        {conv_.filter.outputs}, bias_);
    r.Change(n, [&](Node& node) {
      const size_t inputs = std::max(conv_.inputs.weights, conv_.inputs.bias);
      if (node.inputs.size() <= inputs) {
        node.inputs.resize(inputs + 1, kNoTensor);
      }
      node.inputs[conv_.inputs.weights] = weights;
      node.inputs[conv_.inputs.bias] = bias;
    });
  }

 private:
  explicit Weights(const Convolution& conv) : conv_(conv) {}
  Convolution conv_;
  std::vector<float> weights_;
  std::vector<float> bias_;
};

absl::Status FoldAfter(Rewriter& r, int n, const Convolution& conv) {
  std::vector<Affine> functions;
  for (const PostOp& op : r.node(n).post_ops) {
    auto affine = AffineOf(r.graph(), op, conv.filter.outputs);
    if (!affine) break;
    if (r.profile().options.half && LeavesHalf(*affine)) {
      r.Decline(n, "16 bits would not hold its scaled weights well");
      break;
    }
    functions.push_back(*std::move(affine));
  }
  if (functions.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto weights, Weights::Of(r.graph(), conv));
  for (const Affine& affine : functions) weights.ApplyAfter(affine);
  r.Change(n, [&](Node& node) {
    node.post_ops.erase(node.post_ops.begin(),
                        node.post_ops.begin() + functions.size());
  });
  weights.Store(r, n);
  return absl::OkStatus();
}

bool AddsAnything(const Affine& affine) {
  return absl::c_any_of(affine.offset, [](float v) { return v != 0; });
}

// The elementwise node that makes the input of node n for it alone; -1: none.
int ScaleBefore(const Rewriter& r, int n) {
  const TensorId input = r.node(n).inputs[0];
  const int p = r.MakerFor(input, n);
  return p < 0 || r.node(p).integer_path ||
                 !IsPlainElementwise(r.graph(), r.node(p)) ||
                 r.tensor(input).type != DataType::kFloat32
             ? -1
             : p;
}

// Moves post-ops from the end of the node before into the weights.
absl::Status FoldBefore(Rewriter& r, int n, const Convolution& conv) {
  const int p = ScaleBefore(r, n);
  if (p < 0) return absl::OkStatus();
  std::vector<PostOp> ops = r.node(p).post_ops;
  std::vector<Affine> functions;
  while (!ops.empty()) {
    auto affine = AffineOf(r.graph(), ops.back(), conv.input_channels());
    if (!affine || (conv.window.IsPadded() && AddsAnything(*affine)) ||
        (r.profile().options.half && LeavesHalf(*affine))) {
      break;
    }
    functions.push_back(*std::move(affine));
    ops.pop_back();
  }
  if (functions.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto weights, Weights::Of(r.graph(), conv));
  for (const Affine& affine : functions) weights.ApplyBefore(affine);
  weights.Store(r, n);
  const bool is_empty = ops.empty();
  r.Change(p, [&](Node& node) { node.post_ops = std::move(ops); });
  if (!is_empty) return absl::OkStatus();
  const Node copy = r.Take(p);
  r.Change(n, [&](Node& node) {
    node.inputs[0] = copy.inputs[copy.Get<ElementwiseAttributes>().source];
  });
  return absl::OkStatus();
}

}  // namespace

void FoldScales(Rewriter& r) {
  for (int n = 0; n < r.size() && r.status().ok(); ++n) {
    const auto conv = WithWeights(r.graph(), r.node(n));
    if (conv) r.Fail(FoldAfter(r, n, *conv));
  }
  for (int n = 0; n < r.size() && r.status().ok(); ++n) {
    if (r.is_gone(n)) continue;
    const auto conv = WithWeights(r.graph(), r.node(n));
    if (!conv || conv->input_channels() == 0) continue;
    r.Fail(FoldBefore(r, n, *conv));
  }
}

}  // namespace gles_delegate
