// Converts a TfLiteTensor to a Tensor.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_READ_TENSOR_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_READ_TENSOR_H_

#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/session/host_memory.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// kOther for types that no op takes.
DataType TypeOf(TfLiteType type);

// The tensor's memory as it is now.
HostMemory MemoryOf(const TfLiteTensor& tensor);

// nullptr gives an empty vector.
std::vector<int> ReadInts(const TfLiteIntArray* array);

// The tensor's TfLiteQuantizationType as a number, since newer runtimes have
// values that are not in the headers' enum.
int QuantizationKind(const TfLiteTensor& tensor);

// The tensor at TFLite's `index`, with TFLite's type and no view yet
// (delegate/graph/float_view.h, host_view.h). A constant of the model's file is
// borrowed and must outlive the result; int4 and int2 constants are unpacked to
// int8. Unknown types become kOther.
Tensor ReadTensor(const TfLiteTensor& tensor, int index);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_READ_TENSOR_H_
