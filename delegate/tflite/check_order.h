// Checks that a model's nodes have a valid order.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_CHECK_ORDER_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_CHECK_ORDER_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "delegate/tflite/propagate_shapes.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// kFailedPrecondition, with the node and the tensor, if a node of `nodes`
// depends on its own output. The runtime's partitioner would fail on such a
// model, or crash (TFLite 2.9).
absl::Status CheckOrder(TfLiteContext* context, const NodeFinder& find,
                        absl::Span<const int> nodes);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_CHECK_ORDER_H_
