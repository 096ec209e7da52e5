// Nodes whose results lie in the memory of what they read, so that they need no
// dispatch, or a smaller one.
#include <algorithm>
#include <vector>

#include "delegate/ops/movement/dynamic_update_slice.h"
#include "delegate/ops/movement/regroup_slices.h"
#include "delegate/passes/all_passes.h"

namespace gles_delegate {
namespace {

// Whether node n is the last reader of `id`.
bool IsLastReader(const Rewriter& r, int n, TensorId id) {
  const std::vector<int>& readers = r.ReadersOf(id);
  return !r.IsOutput(id) &&
         std::count(readers.begin(), readers.end(), n) == 1 &&
         readers.back() == n;
}

}  // namespace

// REGROUP_SLICES becomes a view of its source (MemoryView::slices): the texels
// stay where they are, and readers count slices and batches their own way. Must
// not fire if the source is a view itself, or if the result is an output of the
// graph.
void ViewSlices(Rewriter& r, int n) {
  const auto* a = r.AttributesOf<RegroupSlicesAttributes>(n);
  if (a == nullptr || !r.node(n).post_ops.empty()) return;
  const TensorId from = r.node(n).inputs[0], to = r.node(n).outputs[0];
  const Tensor& source = r.tensor(from);
  Tensor& result = r.tensor(to);
  if (source.view.of != kNoTensor || source.is_constant() ||
      source.is_variable || result.view.of != kNoTensor || r.IsOutput(to) ||
      !LieAlike(source, result)) {
    return r.Decline(n,
                     "its source has no memory of its own, or its result "
                     "needs some");
  }
  result.view.of = from;
  result.view.slices = result.shape.slices();
  result.view.at[kChannelAxis] = 4 * a->first;
  r.Remove(n);
}

// A DYNAMIC_UPDATE_SLICE writes the update into its input's memory.
//
// Makes the output a view of the whole input (Tensor::view), such as the cache
// to which a language model appends. No one may need the input's old values:
// all its other readers come before, and it is neither a constant, a variable
// nor an output of the graph. Updates may follow one another in the same
// memory.
//
// Nodes after such a node find its values under the input's id, too, so this
// comes after passes that move nodes.
void UpdateInPlace(Rewriter& r) {
  const size_t count = r.graph().tensors.size();
  std::vector<bool> is_viewed(count, false), is_updated(count, false);
  for (const Tensor& tensor : r.graph().tensors) {
    if (tensor.view.of != kNoTensor) is_viewed[tensor.view.of] = true;
  }
  for (int n = 0; n < r.size(); ++n) {
    const Node& node = r.node(n);
    if (r.AttributesOf<UpdateSlice>(n) == nullptr || !node.post_ops.empty()) {
      continue;
    }
    const TensorId from = node.inputs[0], to = node.outputs[0];
    const Tensor& source = r.tensor(from);
    Tensor& result = r.tensor(to);
    const bool has_memory = source.view.of == kNoTensor || is_updated[from];
    if (!has_memory || is_viewed[from] || is_viewed[to] ||
        source.is_constant() || source.is_variable ||
        result.view.of != kNoTensor || !LieAlike(source, result) ||
        !(source.shape == result.shape) || !IsLastReader(r, n, from)) {
      r.Decline(n, "its input's values or memory are needed elsewhere");
      continue;
    }
    result.view.of = is_updated[from] ? source.view.of : from;
    is_updated[to] = true;
    r.own(n).Get<UpdateSlice>().in_place = true;
  }
}

}  // namespace gles_delegate
