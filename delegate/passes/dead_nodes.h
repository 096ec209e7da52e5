// Takes nodes out of a graph: those none of whose outputs anybody reads, with
// those that only they read, and those that a pass has emptied.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_DEAD_NODES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_DEAD_NODES_H_

#include <vector>

#include "delegate/graph/graph.h"

namespace gles_delegate {

// Nodes that keep state (a variable tensor among their inputs) stay.
void RemoveDeadNodes(Graph* graph);

// Those that a pass has marked, by their places.
void RemoveNodes(const std::vector<bool>& removed, Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_DEAD_NODES_H_
