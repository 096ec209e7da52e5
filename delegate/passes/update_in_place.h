// Avoids the copies of DYNAMIC_UPDATE_SLICE: the update is written into the
// input's memory.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_UPDATE_IN_PLACE_H_
#define GLES_DELEGATE_DELEGATE_PASSES_UPDATE_IN_PLACE_H_

#include "delegate/graph/graph.h"

namespace gles_delegate {

// Makes the output a view of the whole input (Tensor::view), such as the cache
// to which a language model appends. No one may need the input's old values:
// all its other readers come before, and it is neither a constant, a variable
// nor an output of the graph. Updates may follow one another in the same
// memory.
//
// Nodes after such a node find its values under the input's id, too, so this
// comes after passes that move nodes.
void UpdateInPlace(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_UPDATE_IN_PLACE_H_
