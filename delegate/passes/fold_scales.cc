#include "delegate/passes/fold_scales.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/conv/depthwise_conv_2d.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/graph/op.h"
#include "delegate/passes/dead_nodes.h"

namespace gles_delegate {
namespace {

// What multiplies the weights and adds to the bias, by channel: x * scale +
// offset.
struct Affine {
  std::vector<float> scale;
  std::vector<float> offset;
};

// Where a node keeps what, and which channels a weight belongs to.
struct Linear {
  int weights_input = 1;
  int bias_input = 2;
  int outputs = 0;
  int inputs = 0;  // channels of the data input; 0: not known by channel
  bool depthwise = false;
  int multiplier = 1;  // depthwise
  int row = 0;         // weights an output channel has in a row (OHWI)
  int in_group = 0;    // inputs a group
  int groups = 1;
  bool padded = false;

  int OutputOf(int64_t weight) const {
    return static_cast<int>(depthwise ? weight % outputs : weight / row);
  }
  int InputOf(int64_t weight) const {
    const int output = OutputOf(weight);
    if (depthwise) return output / multiplier;
    return output / (outputs / groups) * in_group +
           static_cast<int>(weight % in_group);
  }
};

bool IsPadded(int top, int left, int bottom, int right) {
  return top != 0 || left != 0 || bottom != 0 || right != 0;
}

std::optional<Linear> DescribeConv(const Graph& graph, const Node& node) {
  const Shape& filter = graph.tensor(node.inputs[1]).shape;
  Linear linear;
  linear.inputs = graph.tensor(node.inputs[0]).shape.c;
  linear.outputs = graph.tensor(node.outputs[0]).shape.c;
  if (const auto* a = std::any_cast<Conv2dAttributes>(&node.attributes)) {
    linear.row = filter.h * filter.w * filter.c;
    linear.in_group = filter.c;
    linear.groups = a->groups;
    linear.padded =
        IsPadded(a->pad_top, a->pad_left, a->pad_bottom, a->pad_right);
    return linear;
  }
  if (const auto* a =
          std::any_cast<DepthwiseConv2dAttributes>(&node.attributes)) {
    linear.depthwise = true;
    linear.multiplier = a->multiplier;
    linear.padded =
        IsPadded(a->pad_top, a->pad_left, a->pad_bottom, a->pad_right);
    return linear;
  }
  return std::nullopt;
}

std::optional<Linear> DescribeMatrix(const Graph& graph, const Node& node) {
  const std::vector<int>& dims = graph.tensor(node.inputs[1]).dims;
  Linear linear;
  linear.outputs = dims[0];
  linear.row = linear.in_group = dims[1];
  const int channels = graph.tensor(node.inputs[0]).shape.c;
  linear.inputs = channels == dims[1] ? channels : 0;
  return linear;
}

std::optional<Linear> Describe(const Graph& graph, const Node& node) {
  const absl::string_view name = node.op->name;
  if (node.on_codes || node.inputs.size() < 2) return std::nullopt;
  if (name == "CONV_2D" || name == "DEPTHWISE_CONV_2D") {
    return DescribeConv(graph, node);
  }
  if (name == "FULLY_CONNECTED") return DescribeMatrix(graph, node);
  if (name == "TRANSPOSE_CONV") {
    const Shape& filter = graph.tensor(node.inputs[1]).shape;
    Linear linear;
    linear.bias_input = 3;
    linear.outputs = filter.b;
    linear.row = filter.h * filter.w * filter.c;
    linear.in_group = filter.c;
    return linear;
  }
  return std::nullopt;
}

bool HasConstantWeights(const Graph& graph, const Node& node,
                        const Linear& linear) {
  const Tensor& weights = graph.tensor(node.inputs[linear.weights_input]);
  if (!weights.is_constant() || !weights.sparsity.empty()) return false;
  const size_t bias = linear.bias_input;
  return node.inputs.size() <= bias || node.inputs[bias] == kNoTensor ||
         graph.tensor(node.inputs[bias]).is_constant();
}

// The constant of a function of one argument and a constant: one value, or one
// per channel. Nothing where it is neither.
std::optional<std::vector<float>> ConstantOf(const Graph& graph,
                                             const PostOp& op, int channels) {
  if (op.operand == kNoTensor) {
    return std::vector<float>(channels, op.params[0]);
  }
  const Tensor& operand = graph.tensor(op.operand);
  const Shape& s = operand.shape;
  if (!operand.is_constant() || op.operand_zero_extend || op.operand_table ||
      s.b != 1 || s.h != 1 || s.w != 1 || (s.c != 1 && s.c != channels)) {
    return std::nullopt;
  }
  auto values = ConstantFloats(operand);
  if (!values.ok()) return std::nullopt;
  if (s.c == 1) values->resize(channels, values->front());
  return *std::move(values);
}

// The function as x * scale + offset; nothing where it is none such.
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
  // A constant that comes first, as an operand or among the params.
  const bool constant_first =
      op.operand == kNoTensor ? op.params[1] != 0 : op.operand_first;
  const float sign = op.function == "sub" && !constant_first ? -1.0f : 1.0f;
  for (float& v : *values) v *= sign;
  affine.offset = *std::move(values);
  if (op.function == "sub" && constant_first) {
    std::fill(affine.scale.begin(), affine.scale.end(), -1.0f);
  }
  return affine;
}

// Whether weights times the scale may overflow 16 bits, or be rounded coarsely
// for being small.
bool LeavesHalf(const Affine& affine) {
  constexpr float kMost = 16;
  return std::any_of(affine.scale.begin(), affine.scale.end(), [](float s) {
    return !(std::fabs(s) <= kMost && std::fabs(s) >= 1 / kMost);
  });
}

TensorId AddFloats(Graph* graph, const Tensor& like, absl::string_view name,
                   std::vector<int> dims, const std::vector<float>& values) {
  Tensor tensor;
  tensor.name = absl::StrCat(like.name, name);
  tensor.shape = Shape::FromDims(dims);
  tensor.dims = std::move(dims);
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  tensor.constant = ConstantData::Own(std::move(bytes));
  return graph->AddTensor(std::move(tensor));
}

// The numbers of a node's weights and bias, changed here and then put back.
class Weights {
 public:
  static absl::StatusOr<Weights> Of(const Graph& graph, const Node& node,
                                    const Linear& linear) {
    Weights w(linear);
    auto values =
        ConstantFloats(graph.tensor(node.inputs[linear.weights_input]));
    if (!values.ok()) return values.status();
    w.weights_ = *std::move(values);
    w.bias_.assign(linear.outputs, 0.0f);
    const size_t bias = linear.bias_input;
    if (node.inputs.size() > bias && node.inputs[bias] != kNoTensor) {
      auto biases = ConstantFloats(graph.tensor(node.inputs[bias]));
      if (!biases.ok()) return biases.status();
      w.bias_ = *std::move(biases);
    }
    return w;
  }

  // (x * w + bias) * scale + offset.
  void ApplyAfter(const Affine& affine) {
    for (size_t i = 0; i < weights_.size(); ++i) {
      weights_[i] *= affine.scale[linear_.OutputOf(i)];
    }
    for (int o = 0; o < linear_.outputs; ++o) {
      bias_[o] = bias_[o] * affine.scale[o] + affine.offset[o];
    }
  }

  // (x * scale + offset) * w + bias.
  void ApplyBefore(const Affine& affine) {
    for (size_t i = 0; i < weights_.size(); ++i) {
      const int input = linear_.InputOf(i);
      bias_[linear_.OutputOf(i)] += weights_[i] * affine.offset[input];
      weights_[i] *= affine.scale[input];
    }
  }

  void Store(Graph* graph, Node* node) const {
    const Tensor& old = graph->tensor(node->inputs[linear_.weights_input]);
    node->inputs[linear_.weights_input] =
        AddFloats(graph, old, " scaled", old.dims, weights_);
    const size_t bias = linear_.bias_input;
    if (node->inputs.size() <= bias) node->inputs.resize(bias + 1, kNoTensor);
    node->inputs[bias] =
        AddFloats(graph, graph->tensor(node->inputs[linear_.weights_input]),
                  " bias", {linear_.outputs}, bias_);
  }

 private:
  explicit Weights(const Linear& linear) : linear_(linear) {}
  Linear linear_;
  std::vector<float> weights_;
  std::vector<float> bias_;
};

absl::Status FoldAfter(Graph* graph, Node* node, const Linear& linear,
                       bool half) {
  std::vector<Affine> functions;
  for (const PostOp& op : node->post_ops) {
    auto affine = AffineOf(*graph, op, linear.outputs);
    if (!affine || (half && LeavesHalf(*affine))) break;
    functions.push_back(*std::move(affine));
  }
  if (functions.empty()) return absl::OkStatus();
  auto weights = Weights::Of(*graph, *node, linear);
  if (!weights.ok()) return weights.status();
  for (const Affine& affine : functions) weights->ApplyAfter(affine);
  node->post_ops.erase(node->post_ops.begin(),
                       node->post_ops.begin() + functions.size());
  weights->Store(graph, node);
  return absl::OkStatus();
}

class BeforeFolder {
 public:
  BeforeFolder(Graph* graph, bool half)
      : graph_(graph), half_(half), uses_(*graph) {}

  absl::Status Run() {
    std::vector<bool> removed(graph_->nodes.size(), false);
    for (size_t n = 0; n < graph_->nodes.size(); ++n) {
      Node& node = graph_->nodes[n];
      const auto linear = Describe(*graph_, node);
      if (!linear || linear->inputs == 0 ||
          !HasConstantWeights(*graph_, node, *linear)) {
        continue;
      }
      const int p = ScaleBefore(static_cast<int>(n));
      if (p < 0) continue;
      auto emptied = Fold(p, &node, *linear);
      if (!emptied.ok()) return emptied.status();
      removed[p] = *emptied;
    }
    RemoveNodes(removed, graph_);
    return absl::OkStatus();
  }

 private:
  // The elementwise node that makes the input of node n for it alone; -1: none.
  int ScaleBefore(int n) const {
    const Node& node = graph_->nodes[n];
    const TensorId input = node.inputs[0];
    const int p = uses_.producer[input];
    if (p < 0 || uses_.is_output[input] || uses_.consumers[input].size() != 1 ||
        graph_->nodes[p].on_codes ||
        !IsPlainElementwise(*graph_, graph_->nodes[p]) ||
        graph_->tensor(input).type != DataType::kFloat32) {
      return -1;
    }
    return p;
  }

  // Takes functions off the end of node p; true where none is left.
  absl::StatusOr<bool> Fold(int p, Node* node, const Linear& linear) {
    std::vector<PostOp>& ops = graph_->nodes[p].post_ops;
    std::vector<Affine> functions;
    while (!ops.empty()) {
      auto affine = AffineOf(*graph_, ops.back(), linear.inputs);
      if (!affine || (linear.padded && AddsAnything(*affine)) ||
          (half_ && LeavesHalf(*affine))) {
        break;
      }
      functions.push_back(*std::move(affine));
      ops.pop_back();
    }
    if (functions.empty()) return false;
    auto weights = Weights::Of(*graph_, *node, linear);
    if (!weights.ok()) return weights.status();
    for (const Affine& affine : functions) weights->ApplyBefore(affine);
    weights->Store(graph_, node);
    if (!ops.empty()) return false;
    const auto& a = std::any_cast<const ElementwiseAttributes&>(
        graph_->nodes[p].attributes);
    node->inputs[0] = graph_->nodes[p].inputs[a.source];
    return true;
  }

  static bool AddsAnything(const Affine& affine) {
    return std::any_of(affine.offset.begin(), affine.offset.end(),
                       [](float v) { return v != 0; });
  }

  Graph* graph_;
  bool half_;
  Uses uses_;
};

}  // namespace

absl::Status FoldScales(Graph* graph, bool half) {
  for (Node& node : graph->nodes) {
    const auto linear = Describe(*graph, node);
    if (!linear || !HasConstantWeights(*graph, node, *linear)) continue;
    if (auto s = FoldAfter(graph, &node, *linear, half); !s.ok()) return s;
  }
  return BeforeFolder(graph, half).Run();
}

}  // namespace gles_delegate
