// Avoids the copies of concatenations: producers write directly into the
// output.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_CONCAT_IN_PLACE_H_
#define GLES_DELEGATE_DELEGATE_PASSES_CONCAT_IN_PLACE_H_

#include "delegate/graph/graph.h"

namespace gles_delegate {

// Makes the inputs of a CONCATENATION views of its output (Tensor::view) and
// removes the node, if all inputs begin at whole texels: on any axis but the
// channels, and on the channels at multiples of four. Inputs that cannot be
// written in place are copied to a view: constants, inputs and outputs of the
// partition, repeated inputs, views, and inputs with another quantization than
// the output.
//
// Post-ops of the node (such as a LOGISTIC of all scores) move to the copies
// and to the producers if these only change dims (RESHAPE). If all producers
// are such nodes, a reader that turns a column into a row or back (SQUEEZE of
// [1,N,1,C]) is removed as well: they write the rows.
//
// No effect if all inputs would have to be copied, or if a post-op's operand
// varies by position. The output then has no producer, so passes that look for
// it must come before.
void ConcatInPlace(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_CONCAT_IN_PLACE_H_
