// Avoids the copies of DYNAMIC_UPDATE_SLICE: the update is written into the
// input's memory.
//
// Makes the output a view of the whole input (Tensor::view), such as the cache
// to which a language model appends. No one may need the input's old values:
// all its other readers come before, and it is neither a constant, a variable
// nor an output of the graph. Updates may follow one another in the same
// memory.
//
// Nodes after such a node find its values under the input's id, too, so this
// comes after passes that move nodes.
#include <algorithm>
#include <any>
#include <vector>

#include "delegate/ops/movement/dynamic_update_slice.h"
#include "delegate/passes/all_passes.h"
#include "delegate/passes/fusing.h"

namespace gles_delegate {
namespace {

// Whether `node`, the n-th, is the last reader of `id`.
bool IsLastReader(int n, TensorId id, const Uses& uses) {
  const std::vector<int>& readers = uses.consumers[id];
  return !uses.is_output[id] &&
         std::count(readers.begin(), readers.end(), n) == 1 &&
         std::all_of(readers.begin(), readers.end(),
                     [n](int reader) { return reader <= n; });
}

}  // namespace

void UpdateInPlace(Graph* graph) {
  const Uses uses(*graph);
  std::vector<bool> is_viewed(graph->tensors.size(), false);
  for (const Tensor& tensor : graph->tensors) {
    if (tensor.view.of != kNoTensor) is_viewed[tensor.view.of] = true;
  }
  std::vector<bool> is_updated(graph->tensors.size(), false);
  for (size_t n = 0; n < graph->nodes.size(); ++n) {
    Node& node = graph->nodes[n];
    auto* slice = std::any_cast<UpdateSlice>(&node.attributes);
    if (slice == nullptr || !node.post_ops.empty()) continue;
    const TensorId from = node.inputs[0], to = node.outputs[0];
    const Tensor& source = graph->tensor(from);
    Tensor& result = graph->tensor(to);
    const bool has_memory = source.view.of == kNoTensor || is_updated[from];
    if (!has_memory || is_viewed[from] || is_viewed[to] ||
        source.is_constant() || source.is_variable ||
        result.view.of != kNoTensor || !LieAlike(source, result) ||
        !(source.shape == result.shape) ||
        !IsLastReader(static_cast<int>(n), from, uses)) {
      continue;
    }
    result.view.of = is_updated[from] ? source.view.of : from;
    slice->in_place = is_updated[to] = true;
  }
}

}  // namespace gles_delegate
