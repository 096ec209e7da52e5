// ARG_MAX, ARG_MIN: the position of the first maximum or minimum along one
// constant axis, which is removed, as int32. Numbers take precedence over NaNs,
// as in TFLite's newest kernel (2.9 keeps a leading NaN); if all are NaN, the
// first is taken. Input of float32 or int32, any rank. int64 outputs are
// refused.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ARG_EXTREME_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ARG_EXTREME_H_

#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"

namespace gles_delegate {

using ArgExtremeAttributes = AxisView;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ARG_EXTREME_H_
