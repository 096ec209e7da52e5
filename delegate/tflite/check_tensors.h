// What the delegate refuses of a node before the op's own parser is asked: its
// version, and the shapes and types of its tensors. Each refusal is
// kUnimplemented, or kInvalidArgument where no runtime could run the node, and
// names the tensor with its shape and type.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_CHECK_TENSORS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_CHECK_TENSORS_H_

#include "absl/status/status.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/tflite/propagate_shapes.h"
#include "delegate/tflite/read_options.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// Shapes that no tensor of the graph may have, constants among them. To be
// checked before anything is done with the node's tensors.
absl::Status CheckShapes(const Graph& graph, const TfLiteNode& node);

// Inputs with scales of a kind that is not read here.
absl::Status CheckScales(const TfLiteContext& context, const Graph& graph,
                         const TfLiteNode& node);

// Shapes that only a run of the model tells.
absl::Status CheckShapesKnown(const Graph& graph, const TfLiteNode& node,
                              const UnknownShapes& unknown);

// Activations that are quantized and have no float view, and activations with a
// view that the op does not take. To be checked before the op's parser, which
// sees only that they are no floats and cannot say why.
absl::Status CheckViews(const Graph& graph, const TfLiteNode& node,
                        const OpDefinition& op, const ReadOptions& options);

// Activations of types that no shader reads or writes, and empty ones.
absl::Status CheckTensors(const Graph& graph, const TfLiteNode& node,
                          const ReadOptions& options);

// Versions newer than those that the op knows. `other_types`: the version may
// be one for other types than floats. With enable_quantization it always may:
// files that were made from 8-bit models, or that hold 8-bit nodes beside float
// ones, give the float nodes the versions of the 8-bit ones (posenet's
// depthwise convolutions are of version 3).
absl::Status CheckVersion(const OpDefinition& op, int version,
                          bool other_types);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_CHECK_TENSORS_H_
