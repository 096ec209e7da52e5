// Replaces a STABLEHLO_COMPOSITE by the nodes of its decomposition, and a WHILE
// by those of its body, once for each step.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_INLINE_COMPOSITE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_INLINE_COMPOSITE_H_

#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/hash_tables.h"
#include "delegate/graph/graph.h"
#include "delegate/tflite/propagate_shapes.h"
#include "delegate/tflite/read_node.h"
#include "delegate/tflite/runtime_nodes.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// Each step of a loop gets its own nodes, rather than dispatches that repeat.
// The step's number is a constant in them, so all places and shapes are known,
// and passes, plans and checks know nothing of loops.
struct InlinedComposite {
  absl::Status status;  // Ok, or why it cannot be inlined
  // In execution order, those of composites inside and of all steps among them.
  std::vector<InlinedNode> nodes;
};

// The model's nodes with those that its composites and loops stand for.
struct InlinedModel {
  std::vector<NodeTensors> all;               // in execution order
  HashMap<int, InlinedComposite> composites;  // and loops, by TFLite's index
};

// Inlines the composites and loops of `nodes`. `graph` has the model's tensors
// at TFLite's indices; `add` adds those of decompositions, with the view that
// ops see of them, constants once. All must outlive the result. Errors: a
// missing node.
absl::StatusOr<InlinedModel> InlineComposites(
    TfLiteContext* context, const ModelNodes& nodes, const Graph& graph,
    const std::function<TensorId(Tensor)>& add);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_INLINE_COMPOSITE_H_
