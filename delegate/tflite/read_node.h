// Converts a TfLiteNode to a Node: its op, inputs and outputs, and parameters.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_READ_NODE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_READ_NODE_H_

#include <string>

#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/tflite/read_options.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// "CONV_2D", or "CUSTOM Foo"; "UNKNOWN" if it is newer than the list of names.
std::string OpName(const TfLiteRegistration& registration);

// Gives an int32 or int64 bias its float view if it is a quantized constant.
// Other integer constants are plain numbers.
void ViewBiasAsFloat(const TfLiteNode& node, const OpDefinition& op,
                     Graph* graph);

// The node with the attributes from the op's parser; its tensors are TFLite's,
// by index, and those that hybrid weights (hybrid_weights.h) add to `graph`.
// `params_minor`: as NodeView's. Errors: what the op does not support.
absl::StatusOr<Node> ParseNode(const OpDefinition& op,
                               const TfLiteNode& tflite_node,
                               const TfLiteRegistration& registration,
                               const ReadOptions& options, Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_READ_NODE_H_
