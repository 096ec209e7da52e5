// SOFTMAX: exp(beta * (x - max)) / sum of the same, along the last axis.
// LOG_SOFTMAX: x - max - log(sum exp(x - max)). BHWC, any rank and batch, in
// highp whatever the storage is.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_SOFTMAX_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_SOFTMAX_H_

#include <memory>
#include <vector>

#include "delegate/graph/op.h"
#include "quant/sixteen_bit.h"

namespace gles_delegate {

// Of 8-bit codes, as TFLite's kernels compute it.
struct SoftmaxOfCodes {
  std::vector<float> exps;  // [256]: of a code so far below the row's largest
  float in_scale = 1;
  float out_scale = 1;
  int zero_in = 0;
  int zero_out = 0;
  bool is_unsigned = false;
};

struct SoftmaxAttributes {
  float beta = 1;
  bool log = false;
  std::shared_ptr<const SoftmaxOfCodes> codes = nullptr;
  // Of 16-bit codes, as TFLite's kernel computes it. Both null: of floats.
  std::shared_ptr<const quant::SoftmaxOfSixteenBits> sixteen = nullptr;
};

// kInvalidArgument: input and output differ in shape.
ParseFunction ParseSoftmax;
ParseFunction ParseLogSoftmax;
PlanFunction PlanSoftmax;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_SOFTMAX_H_
