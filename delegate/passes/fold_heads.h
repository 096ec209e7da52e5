// Splits and merges the heads of attentions without moving values. Models do it
// by RESHAPE, TRANSPOSE and SLICE on both sides of a BATCH_MATMUL: a row of H*C
// channels becomes H rows of C. On the GPU the C/4 slices of each head lie side
// by side already, so REGROUP_SLICES (ops/movement/regroup_slices.h) replaces
// such chains. A transposed factor becomes adj_x or adj_y, and factors of
// scalars on the way (1 / sqrt(C)) go to the product.
//
// Must not fire if C is not a multiple of four, or on the integer path, which
// plans its own products. O(nodes), but for the lengths of chains.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FOLD_HEADS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FOLD_HEADS_H_

#include "delegate/graph/graph.h"

namespace gles_delegate {

void FoldHeads(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FOLD_HEADS_H_
