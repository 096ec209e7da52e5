// CUMSUM: running sums along one constant axis, from its end with `reverse`,
// each without its own element with `exclusive`. float32 or int32. Of more than
// four axes: one of the last three, or the only leading one that is not 1.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_CUMSUM_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_CUMSUM_H_

#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"

namespace gles_delegate {

struct CumsumAttributes {
  AxisView view;
  bool exclusive = false;
  bool reverse = false;
};

// kInvalidArgument: no axis of the input, another output shape than its.
ParseFunction ParseCumsum;
PlanFunction PlanCumsum;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_CUMSUM_H_
