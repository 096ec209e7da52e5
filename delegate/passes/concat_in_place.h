// Concatenations without a copy: what makes an input writes it where it belongs
// in the output.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_CONCAT_IN_PLACE_H_
#define GLES_DELEGATE_DELEGATE_PASSES_CONCAT_IN_PLACE_H_

#include "delegate/graph/graph.h"

namespace gles_delegate {

// Inputs become views of the output (Tensor::view) and the node goes, where its
// inputs begin at whole texels: on any axis but the channels, and there where
// each begins at a multiple of four. An input that cannot be written in place
// (constant, a partition's input or output, used twice in the node, in the
// output of another such node, of another quantization) is copied to a view of
// its own. Does not fire where that would copy all of them, or where the node
// has a function to apply. Run it last: afterwards the output has no node that
// makes it.
void ConcatInPlace(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_CONCAT_IN_PLACE_H_
