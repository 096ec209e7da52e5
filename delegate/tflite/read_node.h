// Converts a TfLiteTensor to a Tensor with the view that ops see of it, and a
// TfLiteNode to a Node: its op, inputs and outputs, and parameters.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_READ_NODE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_READ_NODE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/session/host_memory.h"
#include "quant/cpu_kernels.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// --- Host views --------------------------------------------------------------

// Support for tensors of types that shaders cannot access, for ops
// that allow them. The GPU has such values as int32 or float32, and HostTensor
// converts them at the partition's inputs and outputs.
//
//   int64                             as int32 or, beside a CAST, as float32
//   int8, uint8, int16 without        as int32
//     quantization parameters, uint16
//   float16, float64                  as float32

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

// --- Hybrid weights ----------------------------------------------------------

// Weights of hybrid nodes: 8-bit constants with float32 activations. TFLite's
// kernels read such weights as int8 regardless of the tensor's type, and ignore
// zero points.

// Views weights that are model inputs as int8 without a zero point, if only
// hybrid nodes read them. `nodes`: all nodes of the model.
void ViewHybridInputs(absl::Span<const NodeTensors> nodes, Graph* graph);

// The parameters for reading a model, from the user's options (options.h) and
// the runtime.
struct ReadOptions {
  bool enable_quantization = true;
  // Round each quantized output to representable values.
  bool simulate_quantization = true;
  int params_minor = 0;                // ParamsMinorOf() the runtime
  quant::CpuKernels cpu_kernels = {};  // that quantized nodes must match
  quant::KernelTraits traits;          // theirs
  // quantized_compute is auto or integer: the integer path, which equals the
  // CPU's results and is faster (docs/quantization.md).
  bool uses_integer_path = true;
  // Ranges of TFLite's node indices, inclusive.
  std::vector<std::pair<int, int>> exclude_nodes;  // stay on the CPU
  std::vector<std::pair<int, int>> float32_nodes;  // floats stay in 32 bits
};

// --- Tensors -----------------------------------------------------------------

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
// (delegate/graph/float_view.h). A constant of the model's file is
// borrowed and must outlive the result; int4 and int2 constants are unpacked to
// int8. Unknown types become kOther.
Tensor ReadTensor(const TfLiteTensor& tensor, int index);

// "CONV_2D", or "CUSTOM Foo"; "UNKNOWN" if it is newer than the list of names.
std::string OpName(const TfLiteRegistration& registration);

// Gives an int32 or int64 bias its float view if it is a quantized constant.
// Other integer constants are plain numbers.
void ViewBiasAsFloat(const TfLiteNode& node, const OpDefinition& op,
                     Graph* graph);

// The node with the attributes from the op's parser; its tensors are TFLite's,
// by index, and those that hybrid weights add to `graph`.
// `params_minor`: as NodeView's. Errors: what the op does not support.
absl::StatusOr<Node> ParseNode(const OpDefinition& op,
                               const TfLiteNode& tflite_node,
                               const TfLiteRegistration& registration,
                               const ReadOptions& options, Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_READ_NODE_H_
