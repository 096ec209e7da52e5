// Ops along one axis that read its elements in order.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ALONG_AXIS_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ALONG_AXIS_H_

#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"

namespace gles_delegate {

// --- ARG_MAX, ARG_MIN, TOPK_V2 -----------------------------------------------

// ARG_MAX, ARG_MIN: the position of the first maximum or minimum along one
// constant axis, which is removed, as int32. Numbers take precedence over NaNs,
// as in TFLite's newest kernel (2.9 keeps a leading NaN); if all are NaN, the
// first is taken. Input of float32 or int32, any rank.
using ArgExtremeAttributes = AxisView;

// --- CUMSUM ------------------------------------------------------------------

// CUMSUM: running sums along one constant axis, from its end with `reverse`,
// without the element itself with `exclusive`. float32 or int32. Above rank 4:
// along one of the last three axes, or the only leading one that is not 1.
struct CumsumAttributes {
  AxisView view;
  bool exclusive = false;
  bool reverse = false;
};

// --- RFFT2D, COMPLEX_ABS, REAL, IMAG -----------------------------------------

// RFFT2D of single rows, as mel front ends have it, and COMPLEX_ABS, REAL and
// IMAG. A complex tensor has twice as many channels here, real and imaginary
// parts in turn (Tensor::is_complex), in 32 bits.
//
// RFFT2D: [..., 1, N] to [..., 1, L / 2 + 1] complex, where L, a power of two,
// is the second of the constant lengths in input 1 and the first is 1. Rows are
// filled up with zeros, or cut, to L samples. A work group transforms a row in
// shared memory, 8 bytes a sample: 2,048 samples on every device.
struct Rfft2dAttributes {
  int length = 2;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ALONG_AXIS_H_
