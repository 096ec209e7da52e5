// Shared by the elementwise ops: a node is a copy with the function as a
// post-op (gl_shaders/lib/elementwise.glsl), so that the fusion pass can move
// the function into the producer of its input.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_H_
#define GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_H_

#include <array>
#include <vector>

#include "absl/strings/string_view.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "quant/fixed_point.h"

namespace gles_delegate {

// A function that cannot be a post-op of the node, since its operand, an index
// into the node's inputs, has to be read in another shape than its own.
struct RealignedFunction {
  PostOp function;
  Shape operand_shape;
};

struct ElementwiseAttributes {
  int source = 0;      // index into the node's inputs: what is copied
  Shape source_shape;  // as the output sees it: its own but for realigned ones
  // Applied before the node's post-ops.
  std::vector<RealignedFunction> functions;
  // ADD and SUB of int16 tensors with three power-of-two scales: TFLite shifts
  // them (pot_scale_int16).
  bool shifts_quantized = false;
};

// The tensor of which a node's post-ops are functions, if it is read in its own
// shape and no operand is realigned; kNoTensor: another node.
TensorId SourceOfFunctions(const Graph& graph, const Node& node);

// True if the node does nothing but its post-ops: no broadcast of the source,
// no realigned operand. The fusion pass may then remove it.
bool IsPlainElementwise(const Graph& graph, const Node& node);

// y = f(a, b), elementwise: ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, POW,
// SQUARED_DIFFERENCE, FLOOR_DIV, FLOOR_MOD; PRELU = x < 0 ? alpha * x : x; and
// ADD_N, the sum of any number of tensors of one shape. Except for ADD_N,
// either side may be broadcast on any axis by TFLite's rule (aligned from the
// right), constant or not. kInvalidArgument: the shapes do not broadcast to the
// output's; kUnimplemented: the tensors are not float.

// --- Comparisons, SELECT, SELECT_V2 ------------------------------------------

// EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL of two float32 or
// int32 tensors (EQUAL and NOT_EQUAL also of bool), with broadcasting. 8-bit
// tensors are compared as in TFLite: both sides are scaled in integers, so that
// values which become equal by its rounding are equal.

struct ComparisonAttributes {
  absl::string_view function;    // GLSL's: "lessThan", ...
  std::array<Shape, 2> aligned;  // of the inputs, as the output sees them
  // Both inputs are 8-bit quantized values, to be scaled by these.
  bool of_quantized = false;
  std::array<quant::Multiplier, 2> multipliers;
};

// SELECT, SELECT_V2: x where the bool condition holds, else y; any of the three
// constant or not; x, y and output of float32, int32 or bool.
//   SELECT     x and y of one shape; the condition of the same, a scalar, or a
//              vector with an element for each index of the first axis
//   SELECT_V2  the three broadcast to the output
struct SelectAttributes {
  std::array<Shape, 3> aligned;  // of the inputs, as the output sees them
};

// --- Sums of int16 values ----------------------------------------------------

// Sums of products of int16 values in 64-bit integers. Products are computed
// from parts of a few bits, whose sums 32-bit floats hold exactly; this op
// joins the sums and rescales them as TFLite's kernels for 16-bit activations
// do. Not an op of models: the pass integer_path makes it.

// The node that joins `parts` into `to`, for the model's node `of`: (sum +
// bias)
// * multiplier, rounded once, which must fit 64 bits. Its post-ops apply to the
// rescaled sums. `rows`: a constant [1,1,4,C] or [1,1,4,1] of multipliers and
// right shifts (quant::Int16Multiplier), and of the low and the high words of
// the biases.
Node Int16Sums(const Node& of, const std::vector<TensorId>& parts,
               const std::vector<int>& shifts, TensorId rows, TensorId to);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_H_
