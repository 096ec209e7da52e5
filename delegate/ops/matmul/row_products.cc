#include "delegate/ops/matmul/row_products.h"

namespace gles_delegate {

bool IsRowProduct(const Convolution& conv, const DeviceChoices& choices) {
  return conv.kind == Convolution::Kind::kRows || conv.IsPointwise() ||
         (choices.simd_lanes > 1 && conv.IsWholeInput());
}

}  // namespace gles_delegate
