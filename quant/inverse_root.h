// 1 / sqrt(x) in fixed point, as TFLite's integer kernels compute it for RSQRT
// and L2_NORMALIZATION of 8-bit tensors.
#ifndef GLES_DELEGATE_QUANT_INVERSE_ROOT_H_
#define GLES_DELEGATE_QUANT_INVERSE_ROOT_H_

#include <cstdint>

#include "quant/fixed_point.h"

namespace gles_delegate::quant {

// A multiplier close to 1 / sqrt(x), by five steps of Newton's iteration with
// three integer bits; its shift is at most 0. For x <= 1: just below 1.
Multiplier InverseRoot(int32_t x);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_INVERSE_ROOT_H_
