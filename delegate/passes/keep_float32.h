// With 16-bit storage, keeps in 32 bits what 16 bits cannot hold, and notes why
// in Graph::float32_reasons.
//
// - Squares that only sums read: those of values above 255 overflow, and so do
//   their means, so that a normalization written as SQUARE, MEAN, ADD, RSQRT,
//   MUL would divide by 65504. With later values until they meet the
//   normalized tensor.
// - Integers: halves have no odd number past 2,048. Positions and time steps
//   come from CASTs, indices go to them.
// - What a function of large or tiny numbers reads (kExact in the .cc): an
//   error of 2^-11 of an angle of 8,000 is four radians.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_KEEP_FLOAT32_H_
#define GLES_DELEGATE_DELEGATE_PASSES_KEEP_FLOAT32_H_

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// Not graph outputs, whose type the runtime determines, and not the integer
// path. Constants and model inputs that nodes in 32 bits read are in 32 bits,
// too. Run it before any fusion, so that each function is a separate node.
void KeepFloat32(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_KEEP_FLOAT32_H_
