// Removes reshapes that keep rows whole (the last dimension) beside ops that
// only see rows, so that no dispatch moves values from one place in B, H, W to
// another:
// - a FULLY_CONNECTED reads what a RESHAPE before it reads, and writes what one
//   after it makes;
// - rows between two FULLY_CONNECTED lie along the width, also of rank 2, whose
//   first axis is the batch otherwise;
// - a RESHAPE's functions go to the node before it, and a RESHAPE in front of a
//   SOFTMAX goes behind it, where another one undoes it. So a mask that is added
//   to the scores of heads, written with more axes than they have, is a function
//   of their product; one of each head is reshaped, for all layers once.
//
// Must not fire on the integer path, or if a product's rows and results became
// different pixels: its fast shaders need the same. O(nodes).
#ifndef GLES_DELEGATE_DELEGATE_PASSES_SINK_RESHAPES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_SINK_RESHAPES_H_

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

void SinkReshapes(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_SINK_RESHAPES_H_
