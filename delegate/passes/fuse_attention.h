// Scores, SOFTMAX and their product with the values become one ATTENTION node
// if they have few rows, as when a decoder makes one token
// (ops/matmul/attention.h). A RESHAPE of the result to one row is included.
//
// Must not fire on processors, to which barriers cost more than dispatches, on
// the integer path, if the scores are read elsewhere, or if a
// work group of the device cannot hold a row of them. O(nodes).
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_ATTENTION_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_ATTENTION_H_

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

void FuseAttention(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_ATTENTION_H_
