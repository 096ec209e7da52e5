// Tensors of types that no shader reads or writes, beside ops that may take
// them all the same: the GPU holds their values as int32 or float32, and
// HostTensor converts them on their way in and out of a partition.
//
//   int64                             as int32 or, beside a CAST, as float32
//   int8, uint8, int16 without        as int32
//     quantization parameters
//   float16                           as float32
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_HOST_VIEW_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_HOST_VIEW_H_

#include <vector>

#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"

namespace gles_delegate {

// Gives a tensor that is computed at run time its view (Tensor::host), where
// its type has one.
void ViewForHost(Tensor* tensor);

// What ChooseInt64Views looks at of a node of the model.
struct NodeTensors {
  int builtin_code = 0;
  std::vector<int> inputs;  // -1: absent
  std::vector<int> outputs;
};

// int64 tensors become float32 where int32 would lose what TFLite's kernel
// keeps: what CAST makes of floats, and what CAST makes floats or bools of,
// unless the values come from ARG_MAX, ARG_MIN or a CAST of integers, which all
// fit int32.
void ChooseInt64Views(absl::Span<const NodeTensors> nodes, Graph* graph);

// Whether the op computes the same on the view as on the type
// itself: CAST, what ARG_MAX and ARG_MIN write; for 8- and 16-bit integers what
// moves values; for float16 DEQUANTIZE and what relabels.
bool TakesHostView(const OpDefinition& op, const Tensor& tensor,
                   bool is_output);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_HOST_VIEW_H_
