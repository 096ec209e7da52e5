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

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
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

  // kInternal: the runtime has no such node. The pointers are valid until nodes
  // are added (a delegate is applied).
  absl::Status Get(TfLiteContext* context, int index, TfLiteNode** node,
                   TfLiteRegistration** registration) const;

 private:
  TfLiteStatus (*get_)(TfLiteContext*, int, TfLiteNode**,
                       TfLiteRegistration**) = nullptr;
};

// True where tensors were allocated and an input was resized after that. A
// delegate that takes dynamic tensors cannot replace nodes then: TFLite (2.9 to
// LiteRT 2.1) keeps the memory plan of the old nodes, unless it finds all
// tensors allocated when such a delegate is applied. To be called in the
// delegate's Prepare.
bool HasOldMemoryPlan(TfLiteContext* context);

// Tensors whose shape only a run of the model tells.
using UnknownShapes = absl::flat_hash_set<int>;

// Prepares `nodes` (in execution order), so that the tensors they write have
// the shapes that follow from those they read. A node that reads a tensor of
// unknown shape is left out, and what it writes is unknown, too.
// kFailedPrecondition: a node's own kernel refuses its inputs (it has told the
// runtime why).
absl::StatusOr<UnknownShapes> PropagateShapes(TfLiteContext* context,
                                              const NodeFinder& find,
                                              absl::Span<const int> nodes);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_PROPAGATE_SHAPES_H_
