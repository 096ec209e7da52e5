// 1 / sqrt(x) in fixed point, as TFLite's integer kernels compute it: RSQRT and
// L2_NORMALIZATION of 8-bit codes.
#ifndef GLES_DELEGATE_QUANT_INVERSE_ROOT_H_
#define GLES_DELEGATE_QUANT_INVERSE_ROOT_H_

#include <cstdint>

#include "quant/fixed_point.h"

namespace gles_delegate::quant {

// The multiplier that is about 1 / sqrt(x), by five steps of Newton's iteration
// with three bits before the point; the shift is not above zero. Of what is 1
// or less: just below 1.
Multiplier InverseRoot(int32_t x);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_INVERSE_ROOT_H_
