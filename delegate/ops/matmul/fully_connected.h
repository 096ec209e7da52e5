// FULLY_CONNECTED: y[m,n] = bias[n] + sum over k of x[m,k] * weights[n,k], with
// x of any rank as flat rows of K elements. The output is [M,N], or with
// keep_num_dims the input's shape with N as its last dimension. Weights and
// bias are constant (float32 or float16) or computed at run time (float32).
// kInvalidArgument: inconsistent shapes; kUnimplemented: shuffled weights.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MATMUL_FULLY_CONNECTED_H_
#define GLES_DELEGATE_DELEGATE_OPS_MATMUL_FULLY_CONNECTED_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

struct FullyConnectedAttributes {
  // TFLite sums 16-bit activations without a bias in 64 bits.
  bool sums_in_64_bits = false;
  // Only passes make the following (delegate/passes/fuse_products.cc). Rows are
  // normalized (RowNorm).
  bool normalizes = false;
  float epsilon = 0;
};

// The input RowNorm::scale of a node that normalizes. No model has it.
constexpr size_t kRowScale = 3;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MATMUL_FULLY_CONNECTED_H_
