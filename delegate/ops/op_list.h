// All ops of the delegate, by name and by TFLite's code.
#ifndef GLES_DELEGATE_DELEGATE_OPS_OP_LIST_H_
#define GLES_DELEGATE_DELEGATE_OPS_OP_LIST_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/graph/op.h"

namespace gles_delegate {

// The functions that op_list.inc names: how each op's node is parsed, and
// planned.
#define ROW(name, code, v, vq, signature, types, parse, plan, ...) \
  ParseFunction parse;                                             \
  PlanFunction plan;
#include "delegate/ops/op_list.inc"

absl::Span<const OpDefinition> AllOps();

// The op of a TFLite node, or nullptr if the delegate lacks it.
const OpDefinition* FindOp(int builtin_code, absl::string_view custom_name);
// The op with this name, "CONV_2D" or a custom op's, or nullptr.
const OpDefinition* FindOpNamed(absl::string_view name);

// The node's attributes, if its tensors have the op's signature.
absl::StatusOr<ParsedNode> ParseOp(const OpDefinition& op,
                                   const NodeView& node);

// --- Signatures --------------------------------------------------------------

// The one check of the counts, types, ranks and constants of all ops. A parser
// sees only nodes that have their op's signature, and the shapes that the
// runtime's own kernel has worked out: of a builtin op, it checks none but
// those that the kernels do not all refuse, and those that the host's memory
// hangs on.
//
//   "x<=5 paddings! value? -> y"   inputs, in order, and outputs
//
// A tensor has the op's types. Those whose words have no types are of one type.
//
//   x4, x<=5     of rank 4; of rank 5 at most
//   x?           may be absent
//   x*, x..      any number, at least one, of one shape; of any shapes
//   axis!        int32 or int64, a constant of the model; axis!1: one element
//   begin!x      one for each axis of x; paddings!2x: two
//   ids#         for a shader: int32, which int64 is at run time
//                (tflite/reader.h), or an int64 constant
//   x:ib         int32 or bool, whatever the op's types
//   x:w          weights: float32 or float16, dense, complete
//   x:-, x:c     not checked here; a constant of the model
//   bias:-s      beside quantized values also int32 or int64: sums of products
//   x y -> x     tensors with one name have one shape
//   ""           the parser checks all of it

// kInvalidArgument, kUnimplemented: a tensor of the node is not as the op's
// signature says. The message has the rule and the tensors.
absl::Status CheckSignature(const OpDefinition& op, const NodeView& node);

// The first input with this name, or with this type; -1: the op has none.
int InputNamed(const OpDefinition& op, absl::string_view name);
int InputOfType(const OpDefinition& op, char type);

// How many of the first inputs TFLite's kernel needs: those before the first
// that may be absent. -1: all.
int InputsBeforeOptional(const OpDefinition& op);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_OP_LIST_H_
