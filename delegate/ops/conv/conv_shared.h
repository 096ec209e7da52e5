// Batches of independent matrix products by tiled GEMM in shared memory. (For
// convolutions see kConvShared of conv_strategies.h.)
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SHARED_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SHARED_H_

#include <optional>

#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Each returns the one dispatch; nullopt if the profile never splits
// (split_k_target) or no tile fits the device.
std::optional<Dispatch> ProductsShared(const MatrixProducts& products,
                                       const Planner& planner);
std::optional<Dispatch> MatricesShared(const MatrixPairs& pairs,
                                       const Planner& planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SHARED_H_
