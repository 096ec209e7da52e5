// What the strategies for products of few rows have in common.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MATMUL_ROW_PRODUCTS_H_
#define GLES_DELEGATE_DELEGATE_OPS_MATMUL_ROW_PRODUCTS_H_

#include "delegate/device/device_profile.h"
#include "delegate/ops/conv/convolution.h"

namespace gles_delegate {

// True where the convolution is computed as rows of elements times the rows of
// its weights: matrix products, convolutions of single pixels, and, on devices
// that run invocations abreast, those of one window a batch.
bool IsRowProduct(const Convolution& conv, const DeviceChoices& choices);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MATMUL_ROW_PRODUCTS_H_
