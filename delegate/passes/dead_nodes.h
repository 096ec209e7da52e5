// Removes nodes from a graph.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_DEAD_NODES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_DEAD_NODES_H_

#include <vector>

#include "delegate/graph/graph.h"

namespace gles_delegate {

// Removes nodes with unused outputs, then nodes that only those read. Nodes
// with state (a variable tensor among the inputs) stay.
void RemoveDeadNodes(Graph* graph);

// Removes the nodes marked in `removed`, which has one value per node, in
// order.
void RemoveNodes(const std::vector<bool>& removed, Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_DEAD_NODES_H_
