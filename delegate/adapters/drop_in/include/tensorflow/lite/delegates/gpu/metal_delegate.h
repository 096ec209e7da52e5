// delegate.h declares everything that the stock header declares here.
#ifndef TENSORFLOW_LITE_DELEGATES_GPU_METAL_DELEGATE_H_
#define TENSORFLOW_LITE_DELEGATES_GPU_METAL_DELEGATE_H_

#include "tensorflow/lite/delegates/gpu/delegate.h"

#endif  // TENSORFLOW_LITE_DELEGATES_GPU_METAL_DELEGATE_H_
