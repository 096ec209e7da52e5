// SOFTMAX: exp(beta * (x - max)) / sum of the same, along the last axis.
// LOG_SOFTMAX: x - max - log(sum exp(x - max)). BHWC, any rank and batch, in
// highp with any storage.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_SOFTMAX_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_SOFTMAX_H_

#include <memory>
#include <vector>

#include "delegate/graph/op.h"
#include "quant/code_table.h"

namespace gles_delegate {

// For 8-bit quantized values, as in TFLite's kernels.
struct SoftmaxOfQuantized {
  std::vector<float> exps;  // [256]: by distance from the row's maximum
  float in_scale = 1;
  float out_scale = 1;
  int zero_in = 0;
  int zero_out = 0;
  bool is_unsigned = false;
};

struct SoftmaxAttributes {
  float beta = 1;
  bool log = false;
  std::shared_ptr<const SoftmaxOfQuantized> quantized = nullptr;
  // For int16, as in TFLite's kernel. If both are null: floats.
  std::shared_ptr<const quant::SoftmaxOfInt16> int16 = nullptr;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_SOFTMAX_H_
