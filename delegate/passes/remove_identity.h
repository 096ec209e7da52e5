// Removes the nodes whose output is their input: RESHAPE, SQUEEZE and
// EXPAND_DIMS that leave batch, height, width and channels as they were (the
// GPU knows no rank), slices of a whole tensor, PADs by nothing, a
// CONCATENATION of one, RESIZEs of floats to the size that they have.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_REMOVE_IDENTITY_H_
#define GLES_DELEGATE_DELEGATE_PASSES_REMOVE_IDENTITY_H_

#include "delegate/graph/graph.h"

namespace gles_delegate {

// An identity that reads an input of the graph and writes an output of the
// graph stays, because it is the copy.
void RemoveIdentityNodes(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_REMOVE_IDENTITY_H_
