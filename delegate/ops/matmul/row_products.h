// Shared by the strategies for products of few rows (GEMV).
#ifndef GLES_DELEGATE_DELEGATE_OPS_MATMUL_ROW_PRODUCTS_H_
#define GLES_DELEGATE_DELEGATE_OPS_MATMUL_ROW_PRODUCTS_H_

#include "delegate/device/device_profile.h"
#include "delegate/ops/conv/convolution.h"

namespace gles_delegate {

// True if the convolution is computed as rows of elements times rows of its
// weights: matrix products, convolutions of single pixels, and, on SIMD
// devices, those with one window per batch.
bool IsRowProduct(const Convolution& conv, const DeviceChoices& choices);

// Maximum rows per invocation: as many as registers hold.
inline int MaxProductRows(const DeviceChoices& choices) {
  return choices.few_registers != 0 ? 2 : 4;
}

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MATMUL_ROW_PRODUCTS_H_
