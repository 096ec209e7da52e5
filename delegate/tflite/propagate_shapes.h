// Shapes of a model's tensors, worked out by the runtime's own kernels.
//
// A delegate that takes models with dynamic tensors
// (kTfLiteDelegateFlagsAllowDynamicTensors) is applied before TFLite has
// prepared any node: shapes are then those of the file. And where an input is
// resized later, TFLite prepares the delegate's kernels, not the nodes that
// they replaced. In both cases the nodes' own prepare functions are called
// here, as TFLite itself calls them for delegates without that flag.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_PROPAGATE_SHAPES_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_PROPAGATE_SHAPES_H_

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/tflite/shape_values.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// Finds nodes by index. TFLite hands its function for that to a delegate's
// Prepare alone, but the function works as long as the interpreter lives. It
// finds replaced nodes, too, which TFLite keeps.
class NodeFinder {
 public:
  NodeFinder() = default;
  // `context` as a delegate's Prepare gets it.
  explicit NodeFinder(const TfLiteContext& context)
      : get_(context.GetNodeAndRegistration) {}

  // kInternal: the runtime has no such node, or one whose inputs or outputs
  // name tensors that it does not have; -1 is an absent one. The pointers are
  // valid until nodes are added (a delegate is applied).
  absl::Status Get(TfLiteContext* context, int index, TfLiteNode** node,
                   TfLiteRegistration** registration) const;

 private:
  TfLiteStatus (*get_)(TfLiteContext*, int, TfLiteNode**,
                       TfLiteRegistration**) = nullptr;
};

// Whether the runtime has the tensor. Lists of a node's inputs, outputs,
// intermediates and temporaries, and of a model's outputs, may hold -1.
inline bool HasTensor(const TfLiteContext& context, int id) {
  return id >= 0 && static_cast<size_t>(id) < context.tensors_size;
}

// True where tensors were allocated and an input was resized after that. A
// delegate that takes dynamic tensors cannot replace nodes then: TFLite (2.9 to
// LiteRT 2.1) keeps the memory plan of the old nodes, unless it finds all
// tensors allocated when such a delegate is applied. To be called in the
// delegate's Prepare.
bool HasOldMemoryPlan(TfLiteContext* context);

// Tensors whose shape only a run of the model tells.
using UnknownShapes = absl::flat_hash_set<int>;

// What is known of a model's tensors before it runs.
struct ShapeFacts {
  UnknownShapes unknown;
  // What SHAPE and RANK give, and what integer arithmetic makes of that and of
  // constants: the values follow from the shapes of the model's inputs.
  TensorValues values;
  // Ok, or which node's own kernel refused its inputs first, and what it said.
  // What such a node writes has an unknown shape.
  absl::Status refused;
};

// Works out the shapes that nodes write from those that they read, in the order
// of `plan`, and the values that follow from shapes. Only the nodes of `own`
// (none given: all) are prepared for good; what others compute is evaluated
// where it follows from shapes, and their tensors are left as they were.
// What kernels have to say is kept for ShapeFacts::refused, not told.
// Errors: the runtime lacks a node or adds no tensors.
absl::StatusOr<ShapeFacts> PropagateShapes(
    TfLiteContext* context, const NodeFinder& find, absl::Span<const int> plan,
    const std::vector<int>* own = nullptr);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_PROPAGATE_SHAPES_H_
