// What only the whole model tells about its single nodes.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_MODEL_OVERVIEW_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_MODEL_OVERVIEW_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/tflite/propagate_shapes.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

struct ModelOverview {
  // How many nodes read each variable tensor; by TFLite's tensor index.
  absl::flat_hash_map<int, int> users_of_variable;
  // The ops, as builtin code and version, of which some node computes integers
  // or bools. The nodes of one op in a file share one version, the highest that
  // any of them needs, so that a float node may carry a version for integers.
  absl::flat_hash_set<std::pair<int, int>> integer_codes;
};

// Looks over the nodes of `plan` (in execution order). `graph` holds TFLite's
// tensors at TFLite's indices; the tensors get the views that depend on the
// nodes around them (int64; with `enable_quantization` the inputs of hybrid
// nodes), and those that a node makes variable without saying so become
// variable.
absl::StatusOr<ModelOverview> LookOver(TfLiteContext* context,
                                       const NodeFinder& find,
                                       absl::Span<const int> plan,
                                       bool enable_quantization, Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_MODEL_OVERVIEW_H_
