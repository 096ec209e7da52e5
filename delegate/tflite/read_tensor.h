// From a TfLiteTensor to a Tensor of our Graph.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_READ_TENSOR_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_READ_TENSOR_H_

#include <vector>

#include "delegate/graph/graph.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// nullptr gives an empty list.
std::vector<int> ReadInts(const TfLiteIntArray* array);

// The tensor's TfLiteQuantizationType, as a number: newer runtimes have kinds
// that the headers' enum lacks, and which may not be read as it.
int QuantizationKind(const TfLiteTensor& tensor);

// The tensor at TFLite's `index`, of the type that TFLite gives it: no view yet
// (delegate/graph/float_view.h, host_view.h). A constant of the model's file is
// lent, not copied, and must outlive the result; one of int4 is unpacked to
// int8. Types that the delegate does not know become kOther.
Tensor ReadTensor(const TfLiteTensor& tensor, int index);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_READ_TENSOR_H_
