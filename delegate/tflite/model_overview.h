// Properties of nodes that depend on the whole model.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_MODEL_OVERVIEW_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_MODEL_OVERVIEW_H_

#include <utility>

#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/graph/graph.h"
#include "delegate/tflite/host_view.h"

namespace gles_delegate {

struct ModelOverview {
  // Number of nodes that read each variable tensor, by TFLite's tensor index.
  HashMap<int, int> users_of_variable;
  // Ops, as builtin code and version, with some node that computes integers or
  // bools. All nodes of an op in a file have the highest version that any of
  // them needs, so a float node may have a version meant for integers.
  HashSet<std::pair<int, int>> quantized_integers;
};

// Inspects all nodes of the model, in execution order. Adds the views that
// depend on neighbouring nodes (int64; with `enable_quantization` inputs of
// hybrid nodes), and marks tensors as variable that nodes use as such without
// being declared.
ModelOverview LookOver(absl::Span<const NodeTensors> nodes,
                       bool enable_quantization, Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_MODEL_OVERVIEW_H_
