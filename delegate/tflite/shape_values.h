// Values that follow from shapes: what SHAPE and RANK give, and what the
// runtime's own kernels make of that and of constants. They are known when
// tensors are allocated, and count as constants of the model.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_SHAPE_VALUES_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_SHAPE_VALUES_H_

#include "absl/container/flat_hash_map.h"
#include "delegate/graph/graph.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// Tensors' values as the runtime would hold them, by TFLite's index.
using TensorValues = absl::flat_hash_map<int, ConstantData>;

// Prepares the node by the runtime's own kernel, to which inputs that `values`
// has are constants. Where what the node writes follows from shapes, runs it
// and adds that to `values`. Outputs that earlier runs left in memory of their
// own return to the arena first. Gives the status of the kernel's prepare
// function; of a node without one (a custom op that the app did not register)
// kTfLiteOk: the shapes of the file hold.
TfLiteStatus PrepareWithValues(TfLiteContext* context, TfLiteNode* node,
                               const TfLiteRegistration& registration,
                               TensorValues* values);

// Adds the node's outputs to `values` if they follow from shapes. The
// node is not the delegate's: its tensors are left as they were.
void EvaluateBeside(TfLiteContext* context, TfLiteNode* node,
                    const TfLiteRegistration& registration,
                    TensorValues* values);

// Has the runtime hold `value` in the tensor from now on, as its own kernels
// hold what they compute when they are prepared: kernels prepared later take it
// for a constant. `value` has the tensor's type and the shape that it has now.
// kTfLiteError: the runtime gives no memory.
TfLiteStatus HoldValue(TfLiteContext* context, int tensor,
                       const ConstantData& value);

// Has the runtime keep a tensor in its arena again that an earlier call or the
// runtime's kernels gave memory of its own.
void ReturnToArena(TfLiteTensor* tensor);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_SHAPE_VALUES_H_
