// y = f(a, b), elementwise: ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, POW,
// SQUARED_DIFFERENCE, FLOOR_DIV, FLOOR_MOD; PRELU = x < 0 ? alpha * x : x; and
// ADD_N, the sum of any number of tensors of one shape. Except for ADD_N,
// either side may be broadcast on any axis by TFLite's rule (aligned from the
// right), constant or not. kInvalidArgument: the shapes do not broadcast to the
// output's; kUnimplemented: the tensors are not float.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_BINARY_H_
#define GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_BINARY_H_

#include "absl/status/statusor.h"
#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"

namespace gles_delegate {

ParseFunction ParseBinary;
ParseFunction ParseAddN;
PlanFunction PlanAddN;

// The node as f(inputs[0], inputs[1]), or as f(inputs[1], inputs[0]) with
// `function.operand_first`; with `first_is_source` the first input is the
// copied one.
// Shared by PRELU and the functions above.
absl::StatusOr<ParsedNode> ParseFunctionOfTwo(const NodeView& node,
                                              const PostOp& function,
                                              bool first_is_source);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_BINARY_H_
