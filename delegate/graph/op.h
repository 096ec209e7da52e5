// The interface of an op: how its node is parsed and planned. docs/add_an_op.md
// walks through an example.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_OP_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_OP_H_

#include <any>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "delegate/graph/graph.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {

class Planner;  // delegate/plan/planner.h

// A TFLite node as seen by an op's parser: its tensors, and its parameters: a
// builtin op's struct (delegate/graph/builtin_params.h) or a custom op's bytes.
// Pointers are valid during the call.
struct NodeView {
  int builtin_code = 0;
  absl::string_view custom_name;
  int version = 1;
  // The runtime's parameter structs have at least the fields of TFLite
  // 2.<params_minor>, for any node version; 0: unknown
  // (delegate/tflite/runtime.h).
  int params_minor = 0;
  quant::KernelTraits traits;  // of the runtime's kernels
  const void* builtin_params = nullptr;
  absl::Span<const uint8_t> custom_params;
  std::vector<const Tensor*> inputs;  // nullptr: an absent optional input
  std::vector<const Tensor*> outputs;

  // True if the parameter struct has a field that TFLite 2.<minor> appended for
  // version `since` of the op: only runtimes with the field accept nodes of
  // that version, and runtimes from 2.<minor> on have it, and read it, for all
  // versions.
  bool HasField(int since, int minor) const {
    return version >= since || params_minor >= minor;
  }
  // nullptr: an absent optional input, also one past the node's last.
  const Tensor* input(size_t i) const {
    return i < inputs.size() ? inputs[i] : nullptr;
  }
  // The builtin's parameter struct; kInvalidArgument if the model has none.
  // Fields appended by later runtimes may be read only if HasField().
  template <typename Params>
  absl::StatusOr<const Params*> Get() const {
    if (builtin_params == nullptr) {
      return Invalid("the node carries no parameters");
    }
    return static_cast<const Params*>(builtin_params);
  }
};

// The result of a parser: the node's attributes (the op's own struct) and, for
// an elementwise op, its post-ops. PostOp::operand is an index into the node's
// inputs, which the reader replaces by the tensor's id.
struct ParsedNode {
  std::any attributes;
  std::vector<PostOp> post_ops = {};
};

// Reads the attributes of an op's node, whose tensors have the op's signature
// (delegate/ops/op_list.h). kInvalidArgument, kUnimplemented: the node stays
// on the CPU, with the message as the reason.
using ParseFunction = absl::StatusOr<ParsedNode>(const NodeView& node);

// Adds the dispatches of an op's node. The reader also calls it, on a graph of
// only this node, to check that the delegate supports the node: accepted nodes
// must work.
using PlanFunction = absl::Status(const Node& node, Planner* planner);

// Properties of all nodes of an op. delegate/ops/op_list.inc lists each op's
// traits. Passes use OpDefinition::Has() instead of comparing names.
enum OpTrait : uint32_t {
  kNoTraits = 0,
  // Moves input values unchanged. TFLite's quantized kernels copy the quantized
  // values.
  kMovesValues = 1 << 0,
  // The output has the elements of input 0 in order, with other dims.
  kKeepsOrder = 1 << 1,
  // The output is input 0 with its axes permuted according to input 1.
  kPermutesAxes = 1 << 2,
  // The output is a part of input 0, or input 0 with a border, and so equals
  // input 0 if their dims are equal.
  kKeepsWhatFits = 1 << 3,
  // Input 3 has strides, of which negative ones reverse an axis.
  kTakesStrides = 1 << 4,
  // The output is the concatenation of all inputs along an axis.
  kJoins = 1 << 5,
  // One input is the fill value, always a real value.
  kFillsWithInput = 1 << 6,
  // The output has the values of input 0, constant or not, as floats.
  kDequantizes = 1 << 7,
  // The output is input 0, a sparse constant, made dense.
  kDensifies = 1 << 8,
  // The output has the values of input 0, converted to its own type.
  kCasts = 1 << 9,
  // The outputs are positions along an axis of input 0.
  kGivesPositions = 1 << 10,
  // TFLite's integer kernels require quantization parameters, although they do
  // not use them.
  kWantsQuantization = 1 << 11,
  // TFLite's kernel takes int64, too. The op computes it in 32 bits.
  kTakesInt64 = 1 << 12,
  // Of input 1 and input 0: which of the two is taken if one is NaN.
  kSwapsOperands = 1 << 14,
  // TFLite has hybrid kernels of it: 8-bit weights beside float32 activations,
  // read as int8 without a zero point.
  kHybrid = 1 << 15,
  // Its weights, input 1, may have a scale for each block of a row.
  kTakesBlocks = 1 << 16,
  // Its last input is the output's number of rows, or gives it, if all inputs
  // are constant.
  kCountsSegments = 1 << 17,
  // Its inputs or outputs are complex64: to the op twice as many channels, real
  // and imaginary parts in turn (Tensor::is_complex).
  kTakesComplex = 1 << 13,
};

struct OpDefinition {
  absl::string_view name;         // "CONV_2D", or a custom op's name
  int builtin_code = -1;          // -1: a custom op
  int max_version = 1;            // of float models
  int max_version_quantized = 1;  // with enable_quantization
  ParseFunction* parse = nullptr;
  PlanFunction* plan = nullptr;
  absl::string_view notes;      // for docs/supported_ops.md
  uint32_t traits = kNoTraits;  // OpTrait bits
  // As the op's row in delegate/ops/op_list.inc has them.
  absl::string_view signature = {};
  absl::string_view types = {};
  absl::string_view function = {};

  bool Has(OpTrait trait) const { return (traits & trait) != 0; }
};

// The op of nodes that passes make. No model has it.
constexpr OpDefinition OpOfPasses(absl::string_view name, PlanFunction* plan,
                                  uint32_t traits = kNoTraits) {
  OpDefinition op;
  op.name = name;
  op.plan = plan;
  op.traits = traits;
  return op;
}

// The node's op with those of its stages, in the order in which they compute:
// "DEPTHWISE_CONV_2D+CONV_2D".
std::string NameOf(const Node& node);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_OP_H_
