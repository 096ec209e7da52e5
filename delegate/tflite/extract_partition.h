// Extracts a partition of the model as a graph.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_EXTRACT_PARTITION_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_EXTRACT_PARTITION_H_

#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/tflite/reader.h"

namespace gles_delegate {

// The graph of `nodes` (TFLite's node indices, in execution order) with
// `inputs` and `outputs` (TFLite's tensor indices, none absent) in that order.
// Constants are not graph inputs, and folded nodes are omitted. Tensors keep
// their tflite_index.
Graph ExtractPartition(const CheckedModel& model, absl::Span<const int> nodes,
                       absl::Span<const int> inputs,
                       absl::Span<const int> outputs);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_EXTRACT_PARTITION_H_
