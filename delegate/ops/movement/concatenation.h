// CONCATENATION along any axis, with a fused activation. Any number of inputs,
// constants included.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_CONCATENATION_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_CONCATENATION_H_

#include <vector>

#include "delegate/graph/op.h"

namespace gles_delegate {

struct ConcatenationAttributes {
  int axis = 3;   // of AxisArray
  int outer = 0;  // of ExtentsOf()
};

// Writes `inputs`, in order, along `axis` (of AxisArray) of `output`. If every
// channel offset is a multiple of 4, each dispatch copies one input; otherwise
// a dispatch writes whole texels from up to three inputs.
void AddConcatenation(Planner* planner, std::vector<TensorId> inputs,
                      TensorId output, int axis);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_CONCATENATION_H_
