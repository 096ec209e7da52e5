// CONV_2D with its sums split over the invocations of a work group: for outputs
// that are too small to fill a big GPU.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_SPLIT_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_SPLIT_H_

#include "delegate/ops/conv_2d.h"
#include "delegate/plan.h"

namespace gles_delegate {

struct ConvSplit {
  TensorId src = kNoTensor;
  TensorId dst = kNoTensor;
  const Tensor* weights = nullptr;  // OHWI, or [O, K]
  const Tensor* bias = nullptr;     // may be null
  Conv2dAttributes attributes;      // groups must be 1
  int window_w = 1;
  int window_h = 1;
};

// How many invocations should share a sum of `terms` (of four channels) where
// the output has `texels`: 1 where the device is filled without, or where the
// profile never splits. A power of two.
int SplitLanes(int texels, int terms, const DeviceProfile& profile);

// The dispatch; SplitLanes() gave `lanes` > 1.
Dispatch PlanConvSplit(const ConvSplit& conv, int lanes, const Planner& planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_SPLIT_H_
