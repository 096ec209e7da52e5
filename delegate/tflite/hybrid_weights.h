// Weights of hybrid nodes: 8-bit constants with float32 activations. TFLite's
// kernels read such weights as int8 regardless of the tensor's type, and ignore
// zero points.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_HYBRID_WEIGHTS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_HYBRID_WEIGHTS_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/tflite/host_view.h"

namespace gles_delegate {

// Views weights that are model inputs as int8 without a zero point, if only
// hybrid nodes read them. `nodes`: all nodes of the model.
void ViewHybridInputs(absl::Span<const NodeTensors> nodes, Graph* graph);

// Makes a hybrid node read its 8-bit constants as TFLite's hybrid kernel does:
// each becomes a new tensor with the same bytes, since other nodes may use the
// old tensor with its own type. `node` has an op and is not yet parsed; other
// nodes are unchanged. kUnimplemented: uint8 weights that
// TFLite's kernel refuses (DEPTHWISE_CONV_2D) or of which it uses only the
// first scale (one scale per channel), or weights computed at run time that are
// not int8.
absl::Status ReadHybridWeights(Graph* graph, Node* node);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_HYBRID_WEIGHTS_H_
