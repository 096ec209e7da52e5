// REGROUP_SLICES becomes a view of its source (MemoryView::Kind::kSlices): the
// texels stay where they are, and readers count slices and batches their own
// way. Must not fire if the source is a view itself, or if the result is an
// output of the graph. O(nodes).
#include <any>
#include <vector>

#include "delegate/ops/movement/regroup_slices.h"
#include "delegate/passes/all_passes.h"
#include "delegate/passes/fusing.h"

namespace gles_delegate {

void ViewSlices(Graph* graph) {
  const Uses uses(*graph);
  std::vector<bool> removed(graph->nodes.size(), false);
  for (size_t n = 0; n < graph->nodes.size(); ++n) {
    const Node& node = graph->nodes[n];
    const auto* a = std::any_cast<RegroupSlicesAttributes>(&node.attributes);
    if (a == nullptr || !node.post_ops.empty()) continue;
    const TensorId id = node.outputs[0];
    const Tensor& source = graph->tensor(node.inputs[0]);
    Tensor& result = graph->tensor(id);
    if (source.view.of != kNoTensor || source.is_constant() ||
        source.is_variable || result.view.of != kNoTensor ||
        uses.is_output[id] || !LieAlike(source, result)) {
      continue;
    }
    result.view.of = node.inputs[0];
    result.view.kind = MemoryView::Kind::kSlices;
    result.view.at[kChannelAxis] = 4 * a->first;
    removed[n] = true;
  }
  RemoveNodes(removed, graph);
}

}  // namespace gles_delegate
