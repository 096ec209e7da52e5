// Scores, SOFTMAX and their product with the values become one ATTENTION node
// (ops/matmul/attention.h), if there is a shader for it on the device. An
// ATTENTION of few rows includes a RESHAPE of the result to one row.
//
// Must not fire on the integer path, or if the scores are read elsewhere.
// O(nodes).
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_ATTENTION_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_ATTENTION_H_

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

void FuseAttention(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_ATTENTION_H_
