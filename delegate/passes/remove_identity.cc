// Removes nodes whose output equals their input: RESHAPE, SQUEEZE and
// EXPAND_DIMS that keep batch, height, width and channels (the GPU has no
// ranks), slices of a whole tensor, PADs by nothing, a CONCATENATION of one
// input, RESIZEs of floats to the same size.
//
// An identity from a graph input to a graph output stays, as a copy.
#include <algorithm>
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
  if (node.As<ResizeAttributes>() != nullptr) {
    return !input.is_float_view() && !output.is_float_view();
  }
  if (node.op->Has(kTakesStrides)) return HasPositiveStrides(graph, node);
  return node.op->Has(kKeepsWhatFits) ||
         (node.op->Has(kJoins) && node.inputs.size() == 1);
}

// All that reads one reads the other, of the same values.
void ReadOther(Rewriter& r, TensorId from, TensorId to) {
  r.ReadInstead(from, to);
  r.tensor(from).replaced_by = to;
}

}  // namespace

void RemoveIdentityNodes(Rewriter& r) {
  // Before nodes read tensors of other dims.
  std::vector<int> identities;
  for (int n = 0; n < r.size(); ++n) {
    if (IsIdentity(r.graph(), r.node(n))) identities.push_back(n);
  }
  // An output of the graph keeps its name: what makes the input makes it. Last
  // first, so that chains carry it all the way up.
  for (auto at = identities.rbegin(); at != identities.rend(); ++at) {
    const int n = *at;
    const TensorId from = r.node(n).inputs[0], to = r.node(n).outputs[0];
    const int maker = r.MakerOf(from);
    if (!r.IsOutput(to) || r.IsOutput(from) || maker < 0) continue;
    r.Remove(n);
    r.Change(maker, [&](Node& node) {
      std::replace(node.outputs.begin(), node.outputs.end(), from, to);
    });
    ReadOther(r, from, to);
  }
  for (int n : identities) {
    if (r.is_gone(n)) continue;
    const TensorId from = r.node(n).inputs[0], to = r.node(n).outputs[0];
    if (r.IsOutput(to)) continue;
    r.Remove(n);
    ReadOther(r, to, from);
  }
}

}  // namespace gles_delegate
