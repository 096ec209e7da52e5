// 16-bit floats: a square past 255 is past what they hold, and its mean with
// it, so that a normalization that a model writes out (SQUARE, MEAN, ADD,
// RSQRT, MUL) divided by infinity. Squares that only sums and means read stay
// in 32 bits, and so does what follows from them until it meets the tensor that
// is normalized.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_KEEP_SQUARES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_KEEP_SQUARES_H_

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// Fires where floats are stored in 16 bits, on a square (SQUARE, MUL of a
// tensor by itself, SQUARED_DIFFERENCE) whose readers are all SUM or MEAN. Not
// on outputs of the graph, which the runtime's types decide, nor on codes. Runs
// before any fusion, so that each square is still a separate node.
void KeepSquares(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_KEEP_SQUARES_H_
