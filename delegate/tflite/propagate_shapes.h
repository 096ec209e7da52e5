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
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/tflite/decomposition.h"
#include "delegate/tflite/follow_loop.h"
#include "delegate/tflite/node_finder.h"
#include "delegate/tflite/shape_values.h"
#include "delegate/tflite/tensor_room.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

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
  TensorValues values;  // that follow from shapes and constants
  // The tensors of the subgraphs that composites stand for, as of the last
  // preparation of the composite.
  DecomposedTensors decomposed;
  Loops loops;
  // The nodes whose own kernels refused their inputs, with the kernels' words.
  // The outputs of such a node have unknown shapes.
  std::map<int, std::string> refusals;

  // Ok, or the first of `refusals`.
  absl::Status refused() const;
};

// Computes the shapes that nodes write, in the order of `plan`, and values that
// follow from shapes. Only the nodes of `own` (default: all) stay prepared;
// others are evaluated if their results follow from shapes, and their tensors
// are restored. Messages of kernels go to ShapeFacts::refusals instead of the
// user. Errors: a missing node, or no tensors can be added.
absl::StatusOr<ShapeFacts> PropagateShapes(
    TfLiteContext* context, const NodeFinder& find, absl::Span<const int> plan,
    const Decompositions& decompositions,
    const std::vector<int>* own = nullptr);

// The same for nodes with `known` values to begin with.
absl::StatusOr<ShapeFacts> PropagateFrom(TensorValues known, TensorRoom* room,
                                         TfLiteContext* context,
                                         const NodeFinder& find,
                                         absl::Span<const int> plan,
                                         const Decompositions& decompositions,
                                         const std::vector<int>* own = nullptr);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_PROPAGATE_SHAPES_H_
