// Host views: support for tensors of types that shaders cannot access, for ops
// that allow them. The GPU has such values as int32 or float32, and HostTensor
// converts them at the partition's inputs and outputs.
//
//   int64                             as int32 or, beside a CAST, as float32
//   int8, uint8, int16 without        as int32
//     quantization parameters, uint16
//   float16, float64                  as float32
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_HOST_VIEW_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_HOST_VIEW_H_

#include <vector>

#include "absl/status/status.h"
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
  int version = 1;
};

// Int64 is computed in 32 bits. `nodes` are all nodes of the model, in
// execution order.
//   - What ops other than CAST read must fit (Tensor::must_fit), and their
//     constants become int32 if all values fit.
//   - If only CASTs use a tensor, its view is float32 where int32 would lose
//     what TFLite's kernel keeps. This is the output of a CAST from floats, and
//     the input of a CAST to floats or bools. It stays int32 if its values come
//     from ARG_MAX, ARG_MIN or a CAST of integers and so fit int32.
void ChooseInt64Views(absl::Span<const NodeTensors> nodes, Graph* graph);

// Makes a float64 constant float32 that a CAST makes float32, and constant
// inputs of 8- and 16-bit integers without quantization parameters int32, if
// the op moves them to tensors whose host view is int32, or converts them, as
// CAST does. Others stay as they are.
void ViewConstantsForHost(const OpDefinition& op, absl::Span<const int> inputs,
                          absl::Span<const int> outputs, Graph* graph);

// Whether the op computes the same on the view as on the type
// itself. True for tensors without a host view and for CAST; for the int64
// outputs of ARG_MAX and ARG_MIN; for int64, 8- and 16-bit integers and
// float16, of ops that move values; for int64, of those with trait kTakesInt64,
// too, and for float16, of DEQUANTIZE and DENSIFY. Of complex64, for ops with
// trait kTakesComplex and those that give a tensor another shape.
bool TakesHostView(const OpDefinition& op, const Tensor& tensor,
                   bool is_output);

// kUnimplemented: an int64 constant of the node has values past int32, and the
// op computes int64 in 32 bits. The message has the first of them.
absl::Status CheckInt64Constants(const OpDefinition& op,
                                 absl::Span<const Tensor* const> inputs);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_HOST_VIEW_H_
