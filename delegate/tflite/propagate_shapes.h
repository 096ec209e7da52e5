// Computes the shapes of a model's tensors with the runtime's own kernels.
//
// A delegate that supports dynamic tensors
// (kTfLiteDelegateFlagsAllowDynamicTensors) is applied before TFLite prepares
// any node, when shapes are the file's. If an input is resized later, TFLite
// prepares the delegate's kernels, but not the nodes that they replaced. In
// both cases this code calls the nodes' prepare functions, as TFLite does for
// delegates without that flag.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_PROPAGATE_SHAPES_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_PROPAGATE_SHAPES_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/graph/graph.h"
#include "delegate/tflite/decomposition.h"
#include "delegate/tflite/runtime_nodes.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// A value that a loop hands from one step to the next.
struct LoopState {
  std::vector<int> dims;
  std::optional<ConstantData> value;  // if it is known
};

// The steps of a loop whose number is known before the model runs. Of a
// composite: one.
struct Steps {
  // Ok, or why their number is not known, or they cannot be read. The rest
  // counts only if Ok.
  absl::Status status;
  std::vector<DecomposedGraph> graphs;  // the subgraph's tensors in each
  std::vector<LoopState> outputs;       // of a loop
};

// Prepares the node with the runtime's own kernel, with inputs in `values` as
// constants, and without shape signatures: the kernels of SLICE and TOPK_V2
// take a shape with a free extent for unknown, and here it is known. If all of
// the node's inputs are known and its outputs small, runs it and adds them to
// `values`. Outputs that earlier runs left in separate memory first return to
// the arena. Returns the status of the kernel's prepare function; kTfLiteOk for
// a node without one (an unregistered custom op): the file's shapes apply.
TfLiteStatus PrepareWithValues(TfLiteContext* context, TfLiteNode* node,
                               const TfLiteRegistration& registration,
                               TensorValues* values);

// Stores `value` in the runtime's tensor from now on, as kernels do with
// results of their prepare function, so that kernels prepared later treat it as
// a constant. `value` has the tensor's type and current shape. kTfLiteError: no
// memory.
TfLiteStatus HoldValue(TfLiteContext* context, int tensor,
                       const ConstantData& value);

// True if an input was resized after tensors were allocated. A delegate that
// supports dynamic tensors then cannot replace nodes: TFLite (2.9 to LiteRT
// 2.1) keeps the memory plan of the old nodes, unless all tensors are allocated
// when it applies the delegate. Call it in the delegate's Prepare.
bool HasOldMemoryPlan(TfLiteContext* context);

// Tensors without a known shape, each with the node whose own kernel refused
// its inputs, or kKnownAtRunTime.
using UnknownShapes = HashMap<int, int>;
inline constexpr int kKnownAtRunTime = -1;

// Facts about a model's tensors before it runs.
struct ShapeFacts {
  UnknownShapes unknown;
  // Values that follow from shapes and constants: SHAPE and RANK, what the
  // runtime's kernels make of these and of small constants, and tensors without
  // elements. They are known when tensors are allocated, and count as constants
  // of the model.
  TensorValues values;
  // Of loops, and of composites as of their last preparation.
  HashMap<NodeKey, Steps> steps;
  // The nodes whose own kernels refused their inputs, with the kernels' words.
  // The outputs of such a node have unknown shapes.
  std::map<int, std::string> refusals;

  // Ok, or the first of `refusals`.
  absl::Status refused() const;
};

// The nodes to read.
struct ModelNodes {
  NodeFinder find;
  std::vector<int> plan;  // all of the model, in execution order
  // CheckGraph() of the plan. Not ok: the rest is not known.
  absl::Status graph;
  Decompositions decompositions;
  // The addresses of the file's constants in other signatures.
  HashSet<const void*> constants_elsewhere;
  // Nodes with tensors of unknown shape stay on the CPU; `values` are
  // constants.
  ShapeFacts shapes;
  // The shapes are trial shapes: the file's own are placeholders.
  bool shapes_are_placeholders = false;
};

// Computes the shapes that nodes write, in the order of the plan, and values
// that follow from shapes. Only the nodes of `own` (default: all) stay
// prepared; others are evaluated if their results follow from shapes, and their
// tensors are restored. Messages of kernels go to ShapeFacts::refusals instead
// of the user. Does not look at nodes.shapes. Errors: a missing node, or no
// tensors can be added.
absl::StatusOr<ShapeFacts> PropagateShapes(
    TfLiteContext* context, const ModelNodes& nodes,
    const std::vector<int>* own = nullptr);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_PROPAGATE_SHAPES_H_
