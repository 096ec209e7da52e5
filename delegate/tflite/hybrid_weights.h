// Weights of hybrid nodes: 8-bit constants beside float32 activations. TFLite's
// kernels read their bytes as int8 whatever the tensor's type says, and know no
// zero point.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_HYBRID_WEIGHTS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_HYBRID_WEIGHTS_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/tflite/host_view.h"

namespace gles_delegate {

// Weights that are inputs of the model become int8 without zero point where the
// hybrid nodes of `nodes`, which are all of the model, are all that reads them.
void ViewHybridInputs(absl::Span<const NodeTensors> nodes, Graph* graph);

// Has `node`, a builtin of this code that is not parsed yet, read its 8-bit
// constants as TFLite's hybrid kernel does, where it is hybrid: input i becomes
// a new tensor of the same bytes, since other nodes may read the old one by its
// own type. Nothing happens to other nodes. kUnimplemented: weights that
// TFLite's kernel refuses (uint8 of DEPTHWISE_CONV_2D) or reads no scale of
// (uint8 with one scale per channel), or weights computed at run time that are
// not int8.
absl::Status ReadHybridWeights(int builtin_code, Graph* graph, Node* node);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_HYBRID_WEIGHTS_H_
