// From a TfLiteNode to a Node of our Graph: its op, the inputs and outputs, the
// parameters in TFLite's structs.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_READ_NODE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_READ_NODE_H_

#include <string>

#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// "CONV_2D", or "CUSTOM Foo"; "UNKNOWN": newer than the list of names here.
std::string OpName(const TfLiteRegistration& registration);

// The op's int32 or int64 bias gets its float view, where it is a quantized
// constant. Other ops' integer constants are numbers, and stay what they are.
// `half`: tensors are stored in 16 bits.
void ViewBiasAsFloat(const TfLiteNode& node, int builtin_code, bool half,
                     Graph* graph);

// The node with the attributes that the op's parser reads; its tensors are
// TFLite's, by index, and those that hybrid weights (hybrid_weights.h) add to
// `graph`. `params_minor`: NodeView's. Errors: what the op does not do.
absl::StatusOr<Node> ParseNode(const OpDefinition& op,
                               const TfLiteNode& tflite_node,
                               const TfLiteRegistration& registration,
                               const ReadOptions& options, Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_READ_NODE_H_
