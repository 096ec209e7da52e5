// ARG_MAX, ARG_MIN: the position of the greatest or least element along one
// constant axis, as int32; the first of several. Any number replaces a NaN, as
// in TFLite's newest kernel (2.9's keeps a NaN in front); of NaNs alone the
// first is taken. Input of float32 or int32, of any rank; the axis goes. int64
// outputs are refused.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ARG_EXTREME_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ARG_EXTREME_H_

#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"

namespace gles_delegate {

using ArgExtremeAttributes = AxisView;

// kInvalidArgument: no axis of the input, or another output shape than it
// gives.
ParseFunction ParseArgExtreme;
PlanFunction PlanArgMax;
PlanFunction PlanArgMin;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ARG_EXTREME_H_
