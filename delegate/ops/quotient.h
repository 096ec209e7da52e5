// Reciprocals with which shaders divide indices (op_quotient of
// gl_shaders/lib/indices.glsl).
#ifndef GLES_DELEGATE_DELEGATE_OPS_QUOTIENT_H_
#define GLES_DELEGATE_DELEGATE_OPS_QUOTIENT_H_

#include <cstdint>

#include "delegate/plan/dispatch.h"

namespace gles_delegate {

// op_quotient is exact for indices below this.
inline constexpr int64_t kQuotientEnd = 1 << 21;

// Requires `divisor` >= 1.
inline float Reciprocal(int64_t divisor) {
  return 1.0f / static_cast<float>(divisor);
}

// Makes the shader use integer division if its indices, up to twice `count`,
// are too large for op_quotient.
inline void BindQuotients(int64_t count, Dispatch* d) {
  if (2 * count > kQuotientEnd) d->Define("LARGE_INDICES");
}

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_QUOTIENT_H_
