// Nodes none of whose outputs anybody reads, and those that only they read.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_DEAD_NODES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_DEAD_NODES_H_

#include "delegate/graph.h"

namespace gles_delegate {

// Nodes that keep state (a variable tensor among their inputs) stay.
void RemoveDeadNodes(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_DEAD_NODES_H_
