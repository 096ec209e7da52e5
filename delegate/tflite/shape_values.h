// Values that follow from shapes and constants: SHAPE and RANK, what the
// runtime's kernels make of these and of small constants, and tensors without
// elements. They are known when tensors are allocated, and count as
// constants of the model.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_SHAPE_VALUES_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_SHAPE_VALUES_H_

#include <optional>

#include "base/hash_tables.h"
#include "delegate/graph/graph.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// Values in the runtime's representation, by TFLite's tensor index.
using TensorValues = HashMap<int, ConstantData>;

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

// Adds the node's outputs to `values` if they are known. For nodes
// outside the delegate: restores their tensors.
void EvaluateBeside(TfLiteContext* context, TfLiteNode* node,
                    const TfLiteRegistration& registration,
                    TensorValues* values);

// False: a tensor with elements, or one that is sized as the model runs.
bool IsEmpty(const TfLiteTensor& tensor);

// Adds the node's inputs without elements to `values`, except those in `made`,
// which nodes write: their shapes may change. The file has no buffer for them.
void AddEmptyInputs(const TfLiteContext& context, const TfLiteNode& node,
                    const HashSet<int>& made, TensorValues* values);

// A small constant of integers or bools in the model's file.
std::optional<ConstantData> KnownIntegers(const TfLiteTensor& tensor);

// Stores `value` in the runtime's tensor from now on, as kernels do with
// results of their prepare function, so that kernels prepared later treat it as
// a constant. `value` has the tensor's type and current shape. kTfLiteError: no
// memory.
TfLiteStatus HoldValue(TfLiteContext* context, int tensor,
                       const ConstantData& value);

// Returns a tensor to the arena that an earlier call or a kernel gave separate
// memory.
void ReturnToArena(TfLiteTensor* tensor);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_SHAPE_VALUES_H_
