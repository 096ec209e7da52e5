// Checks a subgraph as a whole before anything is computed from it.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_CHECK_GRAPH_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_CHECK_GRAPH_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "delegate/tflite/node_finder.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// Ok if each tensor that nodes of `plan` write has one writer, which comes
// before its readers, if none of them is a constant of the file or a variable,
// and if no node lacks an input or output that its op needs. All that reads a
// model relies on that, as do the runtime's partitioner and kernels, which may
// crash. Otherwise kFailedPrecondition, with the nodes and the tensor;
// kInternal is NodeFinder's. O(tensors + nodes).
absl::Status CheckGraph(TfLiteContext* context, const NodeFinder& find,
                        absl::Span<const int> plan);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_CHECK_GRAPH_H_
