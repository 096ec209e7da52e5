// Concatenations without a copy: what makes an input writes it where it belongs
// in the output.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_CONCAT_IN_PLACE_H_
#define GLES_DELEGATE_DELEGATE_PASSES_CONCAT_IN_PLACE_H_

#include "delegate/graph/graph.h"

namespace gles_delegate {

// Makes the inputs of a CONCATENATION views of its output (Tensor::view) and
// removes the node, where all inputs begin at whole texels: so on any axis but
// the channels, and on the channels where each input begins at a multiple of
// four. An input that cannot be written in place is copied to a view of its
// own: a constant, an input or output of the partition, an input that the node
// reads twice, an input that is a view already, an input of another
// quantization than the output's.
//
// Post-ops of the node (a LOGISTIC of all scores, say) are left to the nodes
// that make the inputs, where each of these makes nothing but a tensor of other
// dims (RESHAPE), and to the copies. Likewise a reader that lays a column as a
// row, or a row as a column (SQUEEZE of [1,N,1,C]), is spared where all inputs
// are made by such nodes: they write the rows.
//
// Does not fire where all inputs would have to be copied, or where a post-op's
// operand differs from place to place. The output then has no node that makes
// it, so passes that look for that node come before.
void ConcatInPlace(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_CONCAT_IN_PLACE_H_
