// With 16-bit storage, squares of values above 255 overflow, and so do their
// means, so that a normalization written as SQUARE, MEAN, ADD, RSQRT, MUL would
// divide by infinity. Squares that only sums and means read are kept in 32
// bits, as are later values until they meet the normalized tensor.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_KEEP_SQUARES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_KEEP_SQUARES_H_

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// Applies with 16-bit storage to squares (SQUARE, MUL of a tensor by itself,
// SQUARED_DIFFERENCE) that only SUM or MEAN read. Not to graph outputs, whose
// type the runtime determines, nor to the integer path. Run it before any
// fusion, so that each square is a separate node.
void KeepSquares(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_KEEP_SQUARES_H_
