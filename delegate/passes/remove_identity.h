// Removes nodes whose output equals their input: RESHAPE, SQUEEZE and
// EXPAND_DIMS that keep batch, height, width and channels (the GPU has no
// ranks), slices of a whole tensor, PADs by nothing, a CONCATENATION of one
// input, RESIZEs of floats to the same size.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_REMOVE_IDENTITY_H_
#define GLES_DELEGATE_DELEGATE_PASSES_REMOVE_IDENTITY_H_

#include "delegate/graph/graph.h"

namespace gles_delegate {

// An identity from a graph input to a graph output stays, as a copy.
void RemoveIdentityNodes(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_REMOVE_IDENTITY_H_
