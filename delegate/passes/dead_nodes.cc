// Removes nodes from a graph.
#include <algorithm>
#include <utility>
#include <vector>

#include "delegate/passes/all_passes.h"

namespace gles_delegate {

// Removes nodes with unused outputs, then nodes that only those read. Nodes
// with state (a variable tensor among the inputs) stay.
void RemoveDeadNodes(Graph* graph) {
  std::vector<bool> wanted(graph->tensors.size(), false);
  for (TensorId id : graph->outputs) wanted[id] = true;
  const auto is_wanted = [&](TensorId id) {
    return id != kNoTensor && wanted[id];
  };
  const auto keeps_state = [&](TensorId id) {
    return id != kNoTensor && graph->tensor(id).is_variable;
  };
  std::vector<Node> kept;  // last first
  for (auto node = graph->nodes.rbegin(); node != graph->nodes.rend(); ++node) {
    if (std::none_of(node->outputs.begin(), node->outputs.end(), is_wanted) &&
        std::none_of(node->inputs.begin(), node->inputs.end(), keeps_state)) {
      continue;
    }
    for (TensorId id : node->inputs) {
      if (id != kNoTensor) wanted[id] = true;
    }
    for (TensorId id : OperandsOf(*node)) wanted[id] = true;
    kept.push_back(std::move(*node));
  }
  std::reverse(kept.begin(), kept.end());
  graph->nodes = std::move(kept);
}

// Removes the nodes marked in `removed`, which has one value per node, in
// order.
void RemoveNodes(const std::vector<bool>& removed, Graph* graph) {
  std::vector<Node> kept;
  for (size_t n = 0; n < graph->nodes.size(); ++n) {
    if (!removed[n]) kept.push_back(std::move(graph->nodes[n]));
  }
  graph->nodes = std::move(kept);
}

}  // namespace gles_delegate
