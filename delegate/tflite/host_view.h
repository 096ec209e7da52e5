// Host views: support for tensors of types that shaders cannot access, for ops
// that allow them. The GPU has such values as int32 or float32, and HostTensor
// converts them at the partition's inputs and outputs.
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

// Gives a tensor its host view (Tensor::host), where its type has one.
// Constants get none: ViewConstantsForHost() converts those that need it.
void ViewForHost(Tensor* tensor);

// The part of a node that the choice of views depends on.
struct NodeTensors {
  int builtin_code = 0;
  std::vector<int> inputs;  // -1: absent
  std::vector<int> outputs;
};

// Chooses float32 as the view of an int64 tensor where int32 would lose what
// TFLite's kernel keeps. Two kinds of tensors do: the output of a CAST from
// floats, and the input of a CAST to floats or bools, unless its values come
// from ARG_MAX, ARG_MIN or a CAST of integers and so fit int32. `nodes` are all
// nodes of the model, in execution order.
void ChooseInt64Views(absl::Span<const NodeTensors> nodes, Graph* graph);

// Makes constant inputs of 8- and 16-bit integers without quantization
// parameters int32, if the op moves them to tensors whose host view is int32,
// or converts them, as CAST does. Others stay as they are.
void ViewConstantsForHost(const OpDefinition& op, absl::Span<const int> inputs,
                          absl::Span<const int> outputs, Graph* graph);

// Whether the op computes the same on the view as on the type
// itself. True for tensors without a host view and for CAST; for the int64
// outputs of ARG_MAX and ARG_MIN; for 8- and 16-bit integers and float16, of
// ops that move values; for float16, of DEQUANTIZE and DENSIFY, too.
bool TakesHostView(const OpDefinition& op, const Tensor& tensor,
                   bool is_output);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_HOST_VIEW_H_
