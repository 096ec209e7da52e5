// Shared by the reference kernels. No TFLite symbols are linked, so arrays are
// allocated by hand.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_CUSTOM_OPS_KERNEL_UTIL_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_CUSTOM_OPS_KERNEL_UTIL_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "delegate/graph/custom_params.h"
#include "egl/caught.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate::custom_ops {

inline TfLiteTensor& TensorAt(TfLiteContext* context,
                              const TfLiteIntArray* list, int i) {
  return context->tensors[list->data[i]];
}

inline CustomBytes ParamsOf(const TfLiteNode* node) {
  if (node->custom_initial_data == nullptr) return {};
  return {static_cast<const uint8_t*>(node->custom_initial_data),
          static_cast<size_t>(std::max(0, node->custom_initial_data_size))};
}

// kInvalidArgument unless the op has `inputs` inputs and `outputs` outputs, all
// float32.
inline absl::Status CheckFloats(const TfLiteContext* context,
                                const TfLiteNode* node, int inputs,
                                int outputs) {
  bool ok = node->inputs->size == inputs && node->outputs->size == outputs;
  for (const TfLiteIntArray* list : {node->inputs, node->outputs}) {
    for (int i = 0; ok && i < list->size; ++i) {
      ok = list->data[i] >= 0 &&
           context->tensors[list->data[i]].type == kTfLiteFloat32;
    }
  }
  if (ok) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "needs ", inputs, " inputs and ", outputs, " outputs, float32"));
}

// A kernel's function; its error is reported after the op's name.
using NodeFunction = absl::Status(TfLiteContext*, TfLiteNode*);

template <const char* kOp, NodeFunction* kFunction>
TfLiteStatus Reported(TfLiteContext* context, TfLiteNode* node) {
  const absl::Status status =
      egl::Caught([&] { return kFunction(context, node); });
  if (status.ok()) return kTfLiteOk;
  const absl::string_view words = status.message();
  context->ReportError(context, "%s: %.*s\n", kOp,
                       static_cast<int>(words.size()), words.data());
  return kTfLiteError;
}

template <int kInputs, int kOutputs, NodeFunction* kPrepare>
absl::Status PrepareFloats(TfLiteContext* context, TfLiteNode* node) {
  absl::Status status = CheckFloats(context, node, kInputs, kOutputs);
  return status.ok() ? kPrepare(context, node) : status;
}

// For an op with this many inputs and outputs, all float32; the functions are
// only called for such nodes.
template <const char* kOp, int kInputs, int kOutputs, NodeFunction* kPrepare,
          NodeFunction* kInvoke>
TfLiteRegistration Registration() {
  TfLiteRegistration registration = {};
  registration.prepare =
      Reported<kOp, PrepareFloats<kInputs, kOutputs, kPrepare>>;
  registration.invoke = Reported<kOp, kInvoke>;
  return registration;
}

inline absl::Status Resize(TfLiteContext* context, TfLiteTensor& tensor,
                           const std::vector<int>& dims) {
  auto* array = static_cast<TfLiteIntArray*>(
      std::malloc(sizeof(int) * (dims.size() + 1)));
  if (array == nullptr) return absl::ResourceExhaustedError("no memory");
  array->size = static_cast<int>(dims.size());
  std::copy(dims.begin(), dims.end(), array->data);
  // Takes ownership of the array.
  return context->ResizeTensor(context, &tensor, array) == kTfLiteOk
             ? absl::OkStatus()
             : absl::InternalError("an output was not resized");
}

inline std::vector<int> Dims(const TfLiteTensor& tensor) {
  std::vector<int> dims(tensor.dims->size);
  std::copy_n(tensor.dims->data, tensor.dims->size, dims.begin());
  return dims;
}

inline int64_t Count(const TfLiteTensor& tensor) {
  int64_t count = 1;
  for (int d : Dims(tensor)) count *= d;
  return count;
}

}  // namespace gles_delegate::custom_ops

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_CUSTOM_OPS_KERNEL_UTIL_H_
