#include "delegate/ops/matmul/row_products.h"

namespace gles_delegate {

bool IsRowProduct(const Convolution& conv, const DeviceProfile& profile) {
  return conv.kind == Convolution::Kind::kRows || conv.IsPointwise() ||
         (profile.choices.simd_lanes > 1 && conv.IsWholeInput());
}

}  // namespace gles_delegate
