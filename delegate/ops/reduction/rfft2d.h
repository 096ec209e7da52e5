// RFFT2D of single rows, as mel front ends have it, and COMPLEX_ABS, REAL and
// IMAG. A complex tensor has twice as many channels here, real and imaginary
// parts in turn (Tensor::is_complex), in 32 bits.
//
// RFFT2D: [..., 1, N] to [..., 1, L / 2 + 1] complex, where L, a power of two,
// is the second of the constant lengths in input 1 and the first is 1. Rows are
// filled up with zeros, or cut, to L samples. A work group transforms a row in
// shared memory, 8 bytes a sample: 2,048 samples on every device.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_RFFT2D_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_RFFT2D_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

struct Rfft2dAttributes {
  int length = 2;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_RFFT2D_H_
