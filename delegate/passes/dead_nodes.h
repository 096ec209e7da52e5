// Takes nodes out of a graph.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_DEAD_NODES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_DEAD_NODES_H_

#include <vector>

#include "delegate/graph/graph.h"

namespace gles_delegate {

// Removes each node whose outputs no node reads and the graph does not give
// out, then the nodes that only the removed nodes read. A node that keeps state
// (a variable tensor is among its inputs) stays.
void RemoveDeadNodes(Graph* graph);

// Removes the nodes that a pass has marked: `removed` has a value for each node
// of the graph, in order.
void RemoveNodes(const std::vector<bool>& removed, Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_DEAD_NODES_H_
