// What the elementwise ops share: a node of one is a copy whose post-op is the
// function (gl_shaders/lib/elementwise.glsl), so that the fusion pass can move
// the function into the node that makes its input.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_H_
#define GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// A function of the source that cannot be a post-op of the node: its operand,
// an index into the node's inputs, is to be read as another shape than its own.
struct RealignedFunction {
  PostOp function;
  Shape operand_shape;
};

struct ElementwiseAttributes {
  int source = 0;      // index into the node's inputs: what is copied
  Shape source_shape;  // as the output sees it: its own but for realigned ones
  // Applied before the node's post-ops.
  std::vector<RealignedFunction> functions;
  // ADD and SUB of 16-bit codes: TFLite shifts them where all three scales are
  // powers of two (pot_scale_int16).
  bool shifts_codes = false;
};

// The dims of an elementwise result, by TFLite's rule: aligned from the right,
// equal or 1. kInvalidArgument: they do not broadcast.
absl::StatusOr<std::vector<int>> BroadcastDims(absl::Span<const int> a,
                                               absl::Span<const int> b);

// `dims` as a tensor of the output's rank, filled with 1 from the left:
// [W,C] beside [B,H,W,C] is 1,1,W,C here though its own shape is W,1,1,C.
// Broadcasting is then a matter of each axis. kUnimplemented: axes that fold
// into the batch (rank > 4) broadcast in part.
absl::StatusOr<Shape> AlignedShape(absl::Span<const int> dims,
                                   absl::Span<const int> output_dims);

// Element types that a function takes; float16 constants count as floats.
enum ElementTypes : unsigned { kFloats = 1, kInts = 2, kBools = 4 };

// kUnimplemented: a tensor of none of `types`.
absl::Status CheckOperand(const Tensor& tensor, unsigned types = kFloats);
// Likewise, and kInvalidArgument where the two are not of one type.
absl::Status CheckSameType(const Tensor& a, const Tensor& b);

// For ops that are no post-ops: reads inputs 0, 1, ... into `d` as names[0],
// names[1], ..., each in its aligned shape, to be clamped to its size; and
// defines LANES_<NAME>, the swizzle that spreads one channel over all of the
// output's.
absl::Status ReadBroadcast(const Node& node, absl::Span<const Shape> aligned,
                           absl::Span<const char* const> names,
                           Planner* planner, Dispatch* d);

// For nodes with ElementwiseAttributes.
PlanFunction PlanElementwise;

// True where the post-ops are all that the node does: no broadcast of its
// source, nothing realigned. What the fusion pass may dissolve.
bool IsPlainElementwise(const Graph& graph, const Node& node);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_ELEMENTWISE_H_
