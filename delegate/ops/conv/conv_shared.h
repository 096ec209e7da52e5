// Products of matrices apart from one another, from tiles in the shared memory
// of a work group. (Convolutions go the same way: kConvShared of
// conv_strategies.h.)
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SHARED_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SHARED_H_

#include <optional>

#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// The one dispatch; nothing where the profile never splits (split_target) or no
// tile fits the device.
std::optional<Dispatch> ProductsShared(const MatrixProducts& products,
                                       const Planner& planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SHARED_H_
