// FULLY_CONNECTED nodes of the same rows become one, with the outputs of all:
// an attention's queries, keys and values. Readers must be REGROUP_SLICES,
// which read their part of the joint result. Must not fire with a batch above
// 1, whose parts are not slices in a row, or if weights are not constant floats
// of one type. Copies the weights. O(nodes).
#ifndef GLES_DELEGATE_DELEGATE_PASSES_JOIN_PRODUCTS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_JOIN_PRODUCTS_H_

#include "delegate/graph/graph.h"

namespace gles_delegate {

void JoinProducts(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_JOIN_PRODUCTS_H_
