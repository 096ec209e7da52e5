// Sums of products of 16-bit codes, in 64-bit integers. The products are
// computed of parts of a few bits, whose sums 32-bit floats hold exactly; this
// op joins those sums and scales the whole as TFLite's kernels of 16-bit
// activations do. It is no op of a model: the pass compute_on_codes makes it.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_WIDE_SUMS_H_
#define GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_WIDE_SUMS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "quant/fixed_point.h"

namespace gles_delegate {

constexpr int kMostWideSums = 8;

struct WideSumsAttributes {
  // Input i is to be multiplied by 2^shifts[i], 0 to 31; two, four or eight
  // inputs of the output's shape.
  std::vector<int> shifts;
};

// What a channel's sum becomes: (sum + bias) * multiplier, rounded once. The
// product must fit 64 bits.
struct WideSumRow {
  quant::WideMultiplier multiplier;  // 1 <= right <= 62
  int64_t bias = 0;
};

// Adds the constant that is the op's last input, with a row for each channel or
// one row for all. `name`: the tensor whose scaling it holds.
TensorId AddWideSumRows(const std::vector<WideSumRow>& rows,
                        const std::string& name, Graph* graph);

// The node that joins `parts` into `to`, for the model's node `of`. Its
// post-ops get the scaled sums.
Node WideSums(const Node& of, const std::vector<TensorId>& parts,
              const std::vector<int>& shifts, TensorId rows, TensorId to);

PlanFunction PlanWideSums;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_WIDE_SUMS_H_
