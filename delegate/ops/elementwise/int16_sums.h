// Sums of products of int16 values in 64-bit integers. Products are computed
// from parts of a few bits, whose sums 32-bit floats hold exactly; this op
// joins the sums and rescales them as TFLite's kernels for 16-bit activations
// do. Not an op of models: the pass integer_path makes it.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_INT16_SUMS_H_
#define GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_INT16_SUMS_H_

#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"

namespace gles_delegate {

constexpr int kMaxInt16Sums = 8;

struct Int16SumsAttributes {
  // Input i is multiplied by 2^shifts[i], 0 to 31; two, four or eight inputs of
  // the output's shape.
  std::vector<int> shifts;
};

// The node that joins `parts` into `to`, for the model's node `of`: (sum +
// bias)
// * multiplier, rounded once, which must fit 64 bits. Its post-ops apply to the
// rescaled sums. `rows`: a constant [1,1,4,C] or [1,1,4,1] of multipliers and
// right shifts (quant::Int16Multiplier), and of the low and the high words of
// the biases.
Node Int16Sums(const Node& of, const std::vector<TensorId>& parts,
               const std::vector<int>& shifts, TensorId rows, TensorId to);

PlanFunction PlanInt16Sums;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_INT16_SUMS_H_
