// Scores, SOFTMAX and their product with the values become one ATTENTION node
// (ops/matmul/attention.h): on GPUs of a few rows, as when a decoder makes one
// token, with a RESHAPE of the result to one row; on processors of many rows,
// as in an encoder.
//
// Must not fire on the integer path, or if the scores are read elsewhere. On
// GPUs a work group must hold a row of scores; on processors an invocation must
// hold rows of queries and results. O(nodes).
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_ATTENTION_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_ATTENTION_H_

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

void FuseAttention(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_ATTENTION_H_
