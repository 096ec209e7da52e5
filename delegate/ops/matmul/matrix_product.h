// Rows of K elements times a matrix of weights: FULLY_CONNECTED, and CONV_2D
// with a 1x1 window and stride 1. And BATCH_MATMUL.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MATMUL_MATRIX_PRODUCT_H_
#define GLES_DELEGATE_DELEGATE_OPS_MATMUL_MATRIX_PRODUCT_H_

#include <algorithm>
#include <array>
#include <vector>

#include "absl/strings/string_view.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/plan/dispatch.h"
#include "delegate/plan/planner.h"
#include "quant/fixed_point.h"

namespace gles_delegate {

// --- The places of a product's matrices in its tensors -----------------------

constexpr int kMaxMatrixRank = 5;

// The last two axes of a matrix, and the leading ones, filled up with 1.
struct Matrix {
  static constexpr int kLeadingAxes = kMaxMatrixRank - 2;
  int rows = 0;
  int columns = 0;
  std::array<int, kLeadingAxes> leading = {1, 1, 1};

  int count() const { return leading[0] * leading[1] * leading[2]; }
  std::vector<int> dims() const { return {count(), rows, columns}; }
};

Matrix MatrixOf(const std::vector<int>& dims, bool transposed = false);

// Defines `name`_PLACE(row, slice): x, y, slice and batch of a texel of the
// matrix of this shape for the product's matrix (`height`, `batch`). `rank`: of
// the product.
void AddMatrixPlace(absl::string_view name, const std::vector<int>& dims,
                    const Shape& shape, int rank, Dispatch* d);

// Several products with different matrices: row h of src, whose batch is 1,
// times the h-th matrix of weights.
struct MatrixProducts {
  TensorId src = kNoTensor;
  TensorId dst = kNoTensor;  // of src's shape, but for its channels
  // [height][dst channel][src channel]; no bias.
  FilterValues weights;
  int weights_id = -1;  // PackedConstant::shared_id
};

// Products of computed matrices: each (batch, height) of dst is a matrix of
// `width` rows, and so in x and y, whose batch and height are dst's or 1.
struct MatrixPairs {
  TensorId x = kNoTensor;  // rows of terms
  TensorId y = kNoTensor;  // rows of outputs
  TensorId dst = kNoTensor;
  bool adj_y = false;  // y's rows are the outputs, of terms
};

// Adds one dispatch for all products.
absl::Status PlanMatrixProducts(const MatrixProducts& products,
                                Planner* planner);

// The weights of all products as one filter, each matrix padded to `outputs`
// rows with zeros.
FilterValues StackedWeights(const MatrixProducts& products, int outputs,
                            const Graph& graph);

// --- Products of few rows ----------------------------------------------------

// True if the convolution is computed as rows of elements times rows of its
// weights: matrix products, convolutions of single pixels, and, on SIMD
// devices, those with one window per batch.
bool IsRowProduct(const Convolution& conv, const DeviceChoices& choices);

// Maximum rows per invocation: as many as registers hold.
inline int MaxProductRows(const DeviceChoices& choices) {
  return choices.few_registers != 0 ? 2 : 4;
}

// --- FULLY_CONNECTED ---------------------------------------------------------

// FULLY_CONNECTED: y[m,n] = bias[n] + sum over k of x[m,k] * weights[n,k], with
// x of any rank as flat rows of K elements. The output is [M,N], or with
// keep_num_dims the input's shape with N as its last dimension. Weights and
// bias are constant (float32 or float16) or computed at run time (float32).
// kUnimplemented: shuffled weights.

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

// --- BATCH_MATMUL ------------------------------------------------------------

// BATCH_MATMUL: z[.., m, n] = sum over k of x[.., m, k] * y[.., k, n], with x
// or y transposed in its last two axes according to adj_x and adj_y. Ranks 2 to
// 5; leading axes broadcast. Each side is a constant (float32 or float16) or
// computed at run time. Sums are highp.
//
// kInvalidArgument: inconsistent shapes; kUnimplemented: a broadcast within the
// first two of three leading axes, which share the GPU's batch axis.

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

#endif  // GLES_DELEGATE_DELEGATE_OPS_MATMUL_MATRIX_PRODUCT_H_
