// Checks a subgraph as a whole before anything is computed from it, and each
// node before its op's parser runs.
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

// Inputs with unsupported kinds of scales.
absl::Status CheckScales(const Graph& graph, const TfLiteNode& node);

// Checks the shapes, types and scales of a node's tensors before its op's
// parser runs. `users_of`: how many nodes use each variable. Refusals are
// kUnimplemented, or kInvalidArgument if no runtime could run the node, and
// name the tensor with its shape and type.
absl::Status CheckNode(const Graph& graph, const TfLiteNode& node,
                       const OpDefinition& op, const ReadOptions& options,
                       const UnknownShapes& unknown,
                       const HashMap<int, int>& users_of);

// Activations with types that shaders cannot access. The parser says which of
// them the op takes.
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
