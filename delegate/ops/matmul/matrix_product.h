// Rows of K elements times a matrix of weights: FULLY_CONNECTED, and CONV_2D
// with a 1x1 window and stride 1.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MATMUL_MATRIX_PRODUCT_H_
#define GLES_DELEGATE_DELEGATE_OPS_MATMUL_MATRIX_PRODUCT_H_

#include "delegate/ops/conv/conv_weights.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// dst[m][n] = bias[n] + sum over k of src[m][k] * weights[n][k]. Rows are src
// taken flat in BHWC order, K elements each, whatever its shape; dst has a
// channel per output and a pixel per row.
struct MatrixProduct {
  TensorId src = kNoTensor;
  TensorId dst = kNoTensor;
  WeightIds weights;  // [outputs][K]
  int outputs = 1;
  int k = 1;
};

// Adds its dispatch, and one before it that packs weights computed at run time,
// by the first strategy that applies (conv_strategies.h).
void PlanMatrixProduct(const MatrixProduct& product, Planner* planner);

// Products apart from one another: row h of src (whose batch is 1) times the
// h-th matrix of weights.
struct MatrixProducts {
  TensorId src = kNoTensor;
  TensorId dst = kNoTensor;  // of src's shape, but for its channels
  // [height][dst channel][src channel]; no bias.
  FilterValues weights;
  int weights_id = -1;  // PackedConstant::shared_id
};

// Adds their one dispatch.
void PlanMatrixProducts(const MatrixProducts& products, Planner* planner);

// Their weights as one filter, each matrix padded to `outputs` rows by zeros.
FilterValues StackedWeights(const MatrixProducts& products, int outputs,
                            const Graph& graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MATMUL_MATRIX_PRODUCT_H_
