// Sums of products of int16 values in 64-bit integers. Products are computed
// from parts of a few bits, whose sums 32-bit floats hold exactly; this op
// joins the sums and rescales them as TFLite's kernels for 16-bit activations
// do. Not an op of models: the pass integer_path makes it.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_INT16_SUMS_H_
#define GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_INT16_SUMS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "quant/fixed_point.h"

namespace gles_delegate {

constexpr int kMaxInt16Sums = 8;

struct Int16SumsAttributes {
  // Input i is multiplied by 2^shifts[i], 0 to 31; two, four or eight inputs of
  // the output's shape.
  std::vector<int> shifts;
};

// The rescaling of a channel's sum: (sum + bias) * multiplier, rounded once.
// The product must fit 64 bits.
struct Int16SumRow {
  quant::Int16Multiplier multiplier;  // 1 <= right <= 62
  int64_t bias = 0;
};

// Adds the op's last input, a constant with one row per channel or one for all.
// `name`: the tensor that it rescales.
TensorId AddInt16SumRows(const std::vector<Int16SumRow>& rows,
                         const std::string& name, Graph* graph);

// The node that joins `parts` into `to`, for the model's node `of`. Its
// post-ops apply to the rescaled sums.
Node Int16Sums(const Node& of, const std::vector<TensorId>& parts,
               const std::vector<int>& shifts, TensorId rows, TensorId to);

PlanFunction PlanInt16Sums;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_INT16_SUMS_H_
