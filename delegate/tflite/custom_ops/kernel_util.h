// What the reference kernels share. No TFLite symbol is linked: its arrays are
// made by hand.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_CUSTOM_OPS_KERNEL_UTIL_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_CUSTOM_OPS_KERNEL_UTIL_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "delegate/graph/custom_params.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate::custom_ops {

using NodeFunction = TfLiteStatus (*)(TfLiteContext*, TfLiteNode*);

inline TfLiteRegistration Registration(NodeFunction prepare,
                                       NodeFunction invoke) {
  TfLiteRegistration registration = {};
  registration.prepare = prepare;
  registration.invoke = invoke;
  return registration;
}

inline TfLiteTensor& TensorAt(TfLiteContext* context,
                              const TfLiteIntArray* list, int i) {
  return context->tensors[list->data[i]];
}

inline CustomBytes ParamsOf(const TfLiteNode* node) {
  if (node->custom_initial_data == nullptr) return {};
  return {static_cast<const uint8_t*>(node->custom_initial_data),
          static_cast<size_t>(std::max(0, node->custom_initial_data_size))};
}

// kTfLiteError, with the message reported.
inline TfLiteStatus Fail(TfLiteContext* context, const char* op,
                         const absl::Status& status) {
  context->ReportError(context, "%s: %s", op,
                       std::string(status.message()).c_str());
  return kTfLiteError;
}

// The op has so many inputs and outputs, all of them float32.
inline TfLiteStatus CheckFloats(TfLiteContext* context, const TfLiteNode* node,
                                const char* op, int inputs, int outputs) {
  bool ok = node->inputs->size == inputs && node->outputs->size == outputs;
  for (const TfLiteIntArray* list : {node->inputs, node->outputs}) {
    for (int i = 0; ok && i < list->size; ++i) {
      ok = list->data[i] >= 0 &&
           context->tensors[list->data[i]].type == kTfLiteFloat32;
    }
  }
  if (ok) return kTfLiteOk;
  context->ReportError(context, "%s: needs %d inputs and %d outputs, float32",
                       op, inputs, outputs);
  return kTfLiteError;
}

inline TfLiteStatus Resize(TfLiteContext* context, TfLiteTensor& tensor,
                           const std::vector<int>& dims) {
  auto* array = static_cast<TfLiteIntArray*>(
      std::malloc(sizeof(int) * (dims.size() + 1)));
  if (array == nullptr) return kTfLiteError;
  array->size = static_cast<int>(dims.size());
  std::copy(dims.begin(), dims.end(), array->data);
  return context->ResizeTensor(context, &tensor, array);  // takes the array
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
