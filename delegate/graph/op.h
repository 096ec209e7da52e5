// What an op is to the delegate: how its node is read, and how it is planned.
// docs/add_an_op.md walks through one.
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
#include "delegate/graph/graph.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {

class Planner;  // delegate/plan/planner.h

// What an op's parser sees of a TFLite node: its tensors as the delegate holds
// them, and its parameters: the struct of a builtin op
// (delegate/graph/builtin_params.h), or the bytes of a custom op. The pointers
// are valid for the length of the call.
struct NodeView {
  int builtin_code = 0;
  absl::string_view custom_name;
  int version = 1;
  // The runtime's parameter structs have the fields of TFLite 2.<params_minor>,
  // whatever the node's version is; 0: not known (delegate/tflite/runtime.h).
  int params_minor = 0;
  quant::KernelTraits traits;  // of the runtime's kernels
  const void* builtin_params = nullptr;
  absl::Span<const uint8_t> custom_params;
  std::vector<const Tensor*> inputs;  // nullptr: an absent optional input
  std::vector<const Tensor*> outputs;

  // True where the parameter struct has a field that TFLite 2.<minor> appended
  // for version `since` of the op. Only a runtime that has the field takes a
  // node of that version. A runtime of 2.<minor> or newer has the field at any
  // version, and its kernels read the field at any version.
  bool HasField(int since, int minor) const {
    return version >= since || params_minor >= minor;
  }
  // kInvalidArgument unless the node has min_inputs to max_inputs inputs, the
  // first min_inputs of them present, and outputs_wanted outputs. Absent inputs
  // past max_inputs are not counted.
  absl::Status CheckCounts(int min_inputs, int max_inputs,
                           int outputs_wanted) const;
  // The builtin's parameter struct; kInvalidArgument where the model has none.
  // A field that a later runtime appended may be read only where HasField() is
  // true.
  template <typename Params>
  absl::StatusOr<const Params*> Get() const {
    if (builtin_params == nullptr) {
      return absl::InvalidArgumentError("the node carries no parameters");
    }
    return static_cast<const Params*>(builtin_params);
  }
};

// What a parser returns: the node's attributes, a struct of the op's own, and,
// of an elementwise op, the post-ops that it computes. PostOp::operand is an
// index into the node's inputs; the reader puts the tensor's id in its place.
struct ParsedNode {
  std::any attributes;
  std::vector<PostOp> post_ops;
};

// Reads an op's node. kInvalidArgument, kUnimplemented: the node stays on the
// CPU, and the message says why.
using ParseFunction = absl::StatusOr<ParsedNode>(const NodeView& node);

// Adds the dispatches of an op's node. The reader runs it, too, on a graph of
// this node alone, to find out whether the delegate can take the node: what it
// accepts must work.
using PlanFunction = absl::Status(const Node& node, Planner* planner);

// What holds of every node of an op, whatever its parameters.
// delegate/ops/op_list.inc lists the traits of each op. Passes ask
// OpDefinition::Has() and compare no names.
enum OpTrait : uint32_t {
  kNoTraits = 0,
  // Each value of each output is a value of an input, moved. TFLite's quantized
  // kernels copy the codes.
  kMovesValues = 1 << 0,
  // The output has the elements of input 0 in their order, under other dims.
  kKeepsOrder = 1 << 1,
  // The output has the elements of input 0, its axes permuted as input 1 says.
  kPermutesAxes = 1 << 2,
  // The output is a part of input 0, or input 0 with a border. So the output
  // has the values of input 0 where the dims of both are equal.
  kKeepsWhatFits = 1 << 3,
  // Input 3 holds strides. A negative stride reverses its axis.
  kTakesStrides = 1 << 4,
  // The output is all inputs, one after the other along an axis.
  kJoins = 1 << 5,
  // One input is the value to fill with, which is a real value, never a code.
  kFillsWithInput = 1 << 6,
  // The output has the values of input 0, a constant or not, as floats.
  kDequantizes = 1 << 7,
  // The output is input 0, a sparse constant, as a dense one.
  kDensifies = 1 << 8,
  // The output has the values of input 0, converted to the output's type.
  kCasts = 1 << 9,
  // The outputs are positions along an axis of input 0.
  kGivesPositions = 1 << 10,
  // TFLite's integer kernels take only tensors with quantization parameters,
  // although they use none.
  kWantsQuantization = 1 << 11,
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

  bool Has(OpTrait trait) const { return (traits & trait) != 0; }
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_OP_H_
