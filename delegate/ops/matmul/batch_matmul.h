// BATCH_MATMUL: z[.., m, n] = sum over k of x[.., m, k] * y[.., k, n], with x
// or y transposed in its last two axes according to adj_x and adj_y. Ranks 2 to
// 5; leading axes broadcast. Each side is a constant (float32 or float16) or
// computed at run time. Sums are highp.
//
// kInvalidArgument: inconsistent shapes; kUnimplemented: a broadcast within the
// first two of three leading axes, which share the GPU's batch axis.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MATMUL_BATCH_MATMUL_H_
#define GLES_DELEGATE_DELEGATE_OPS_MATMUL_BATCH_MATMUL_H_

#include <algorithm>
#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "quant/fixed_point.h"

namespace gles_delegate {

// Node inputs: x, y.
struct BatchMatMulAttributes {
  bool adj_x = false;
  bool adj_y = false;
  // The dims of x, y and the output in the model. The tensors of a plan may
  // have others, since a RESHAPE that moves nothing is removed.
  std::vector<int> x;
  std::vector<int> y;
  std::vector<int> product;

  int rank() const { return static_cast<int>(std::max(x.size(), y.size())); }
};

// The node that computes the BATCH_MATMUL `of` int16 values from x and y, with
// 64-bit sums of at most 2^17 terms, for the pass integer_path. `multiplier`
// rescales a sum before the post-ops: 1 <= right <= 62.
Node Int16BatchMatMulNode(const Node& of, TensorId x, TensorId y,
                          const quant::Int16Multiplier& multiplier);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MATMUL_BATCH_MATMUL_H_
