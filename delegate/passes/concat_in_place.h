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
// Does not fire where all inputs would have to be copied, or where the node has
// post-ops. The output then has no node that makes it, so passes that look for
// that node come before.
void ConcatInPlace(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_CONCAT_IN_PLACE_H_
