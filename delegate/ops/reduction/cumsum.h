// CUMSUM: running sums along one constant axis, from its end with `reverse`,
// without the element itself with `exclusive`. float32 or int32. Above rank 4:
// along one of the last three axes, or the only leading one that is not 1.
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

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_CUMSUM_H_
