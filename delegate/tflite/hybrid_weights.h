// Weights of hybrid nodes: 8-bit constants beside float32 activations. TFLite's
// kernels read the bytes of such weights as int8 whatever the tensor's type
// says, and take no notice of a zero point.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_HYBRID_WEIGHTS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_HYBRID_WEIGHTS_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/tflite/host_view.h"

namespace gles_delegate {

// Weights that are inputs of the model become int8 without a zero point, where
// only hybrid nodes read them. `nodes` are all nodes of the model.
void ViewHybridInputs(absl::Span<const NodeTensors> nodes, Graph* graph);

// Makes a hybrid node read its 8-bit constants as TFLite's hybrid kernel does:
// each such input becomes a new tensor of the same bytes, since other nodes may
// read the old tensor by its own type. `node` is a builtin of this code that is
// not parsed yet; a node that is not hybrid stays as it is. kUnimplemented: the
// weights are uint8 and TFLite's kernel refuses them (DEPTHWISE_CONV_2D) or
// reads only the first of their scales (one scale per channel), or they are
// computed at run time and not int8.
absl::Status ReadHybridWeights(int builtin_code, Graph* graph, Node* node);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_HYBRID_WEIGHTS_H_
