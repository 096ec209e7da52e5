// CONV_2D with its sums split over the invocations of a work group: for outputs
// that are too small to fill a big GPU.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SPLIT_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SPLIT_H_

#include <optional>

#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

struct ConvSplit {
  TensorId src = kNoTensor;
  TensorId dst = kNoTensor;
  WeightIds weights;            // OHWI, or [O, K]
  Conv2dAttributes attributes;  // groups must be 1
  int window_w = 1;
  int window_h = 1;
  InputGate gate = {};  // only of a 1x1 window
};

// The dispatch, or nothing where the output fills the device (or nearly) by
// itself, or the profile never splits. Weights that are no constants are packed
// by a dispatch that goes to `planner` first. Nothing where there is a gate.
std::optional<Dispatch> PlanConvSplit(const ConvSplit& conv, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SPLIT_H_
