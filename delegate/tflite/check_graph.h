// Checks a subgraph as a whole before anything is computed from it.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_CHECK_GRAPH_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_CHECK_GRAPH_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/tflite/propagate_shapes.h"
#include "delegate/tflite/read_node.h"
#include "delegate/tflite/runtime_nodes.h"
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

// --- A node ------------------------------------------------------------------

// Checks of a node before its op's parser runs: version, shapes and types of
// tensors. Refusals are kUnimplemented, or kInvalidArgument if no runtime could
// run the node, and name the tensor with its shape and type.

// Shapes that no tensor may have, constants included. Check them before
// anything else.
absl::Status CheckShapes(const Graph& graph, const TfLiteNode& node);

// Inputs with unsupported kinds of scales.
absl::Status CheckScales(const Graph& graph, const TfLiteNode& node);

// Shapes that are only known when the model runs, or behind a node that the
// runtime refuses.
absl::Status CheckShapesKnown(const TfLiteNode& node,
                              const UnknownShapes& unknown);

// Tensors without elements, except constant lists: of no axes, say.
absl::Status CheckNotEmpty(const Graph& graph, const TfLiteNode& node);

// Quantized activations without a float view, or with one that the op does not
// support, and constants without the scale that the op needs. Check them before
// the op's parser, which only sees that they are not floats.
absl::Status CheckViews(const Graph& graph, const TfLiteNode& node,
                        const OpDefinition& op, const ReadOptions& options);

// Variables of other types than float32, written, in two inputs of the node, or
// with several users, by tensor: a state stays on the GPU, and one input of one
// node alone may use it (state_mark.h).
absl::Status CheckVariables(const Graph& graph, const TfLiteNode& node,
                            const HashMap<int, int>& users_of);

// Activations with types that shaders cannot access.
absl::Status CheckTensors(const Graph& graph, const TfLiteNode& node,
                          const ReadOptions& options);

// Versions above the op's maximum. `other_types`: the version may be due to
// types other than float. With enable_quantization it always may: models
// converted from 8-bit ones, or mixed models, give float nodes the versions of
// 8-bit ones (such as posenet's depthwise convolutions of version 3).
absl::Status CheckVersion(const OpDefinition& op, int version,
                          bool other_types);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_CHECK_GRAPH_H_
