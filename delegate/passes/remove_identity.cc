// Removes nodes whose output equals their input: RESHAPE, SQUEEZE and
// EXPAND_DIMS that keep batch, height, width and channels (the GPU has no
// ranks), slices of a whole tensor, PADs by nothing, a CONCATENATION of one
// input, RESIZEs of floats to the same size.
//
// An identity from a graph input to a graph output stays, as a copy.
#include <algorithm>
#include <any>
#include <utility>
#include <vector>

#include "delegate/graph/constant_values.h"
#include "delegate/graph/op.h"
#include "delegate/ops/image/resize.h"
#include "delegate/passes/all_passes.h"

namespace gles_delegate {
namespace {

// A slice of the input's shape takes everything; it may still reverse.
bool HasPositiveStrides(const Graph& graph, const Node& node) {
  if (node.inputs.size() < 4 || node.inputs[3] == kNoTensor) return false;
  const auto strides = ConstantInts(graph.tensor(node.inputs[3]));
  return strides.ok() && std::all_of(strides->begin(), strides->end(),
                                     [](int s) { return s > 0; });
}

bool IsIdentity(const Graph& graph, const Node& node) {
  if (!node.post_ops.empty() || node.outputs.size() != 1 ||
      node.inputs.empty() || node.inputs[0] == kNoTensor) {
    return false;
  }
  const Tensor& input = graph.tensor(node.inputs[0]);
  const Tensor& output = graph.tensor(node.outputs[0]);
  if (input.shape != output.shape || input.type != output.type ||
      input.holds_quantized != output.holds_quantized || input.is_constant() ||
      input.is_variable) {
    return false;
  }
  if (node.op->Has(kKeepsOrder)) {
    // Axes before the fourth from the end, which are part of the batch, follow
    // from the dims only.
    return (input.dims.size() < 5 && output.dims.size() < 5) ||
           input.dims == output.dims;
  }
  // The following ops have axes, which mean the same only for equal ranks.
  if (input.dims != output.dims) return false;
  // Each pixel is read at its own position with any alignment. Values with
  // another quantization would have to be rescaled.
  if (std::any_cast<ResizeAttributes>(&node.attributes) != nullptr) {
    return !input.is_float_view() && !output.is_float_view();
  }
  if (node.op->Has(kTakesStrides)) return HasPositiveStrides(graph, node);
  return node.op->Has(kKeepsWhatFits) ||
         (node.op->Has(kJoins) && node.inputs.size() == 1);
}

// The replacement of each tensor after removing identities.
class Renaming {
 public:
  explicit Renaming(size_t tensors) : to_(tensors) {
    for (size_t i = 0; i < tensors; ++i) to_[i] = static_cast<TensorId>(i);
  }
  void Set(TensorId from, TensorId to) { to_[from] = to; }
  TensorId operator()(TensorId id) const {
    return id == kNoTensor ? id : to_[id];
  }

 private:
  std::vector<TensorId> to_;
};

void Rename(const Renaming& name, Node* node) {
  for (TensorId& id : node->inputs) id = name(id);
  for (TensorId& id : node->outputs) id = name(id);
  for (PostOp& op : node->post_ops) op.operand = name(op.operand);
}

}  // namespace

void RemoveIdentityNodes(Graph* graph) {
  const Uses uses(*graph);
  std::vector<bool> is_output = uses.is_output;
  Renaming name(graph->tensors.size());
  std::vector<bool> removed(graph->nodes.size(), false);
  // Towards the graph's outputs, whose names must stay: their producers take
  // the output's name. Last first, so that chains carry it all the way up.
  for (size_t n = graph->nodes.size(); n-- > 0;) {
    const Node& node = graph->nodes[n];
    if (node.outputs.size() != 1 || !is_output[node.outputs[0]]) continue;
    if (!IsIdentity(*graph, node)) continue;
    const TensorId input = node.inputs[0];
    if (is_output[input] || uses.producer[input] < 0) continue;
    name.Set(input, name(node.outputs[0]));
    is_output[input] = true;
    removed[n] = true;
  }
  // Elsewhere consumers take the input's name; first to last, for chains.
  for (size_t n = 0; n < graph->nodes.size(); ++n) {
    const Node& node = graph->nodes[n];
    if (removed[n] || !IsIdentity(*graph, node)) continue;
    if (is_output[node.outputs[0]]) continue;
    name.Set(node.outputs[0], name(node.inputs[0]));
    removed[n] = true;
  }
  for (TensorId id = 0; id < static_cast<TensorId>(is_output.size()); ++id) {
    if (name(id) != id) graph->tensor(id).replaced_by = name(id);
  }
  std::vector<Node> kept;
  for (size_t n = 0; n < graph->nodes.size(); ++n) {
    if (removed[n]) continue;
    Rename(name, &graph->nodes[n]);
    kept.push_back(std::move(graph->nodes[n]));
  }
  graph->nodes = std::move(kept);
}

}  // namespace gles_delegate
