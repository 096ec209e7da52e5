// CONCATENATION: the inputs one after another along any axis, then a fused
// activation. The op takes any number of inputs, constants among them, of rank
// 5 or less.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_CONCATENATION_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_CONCATENATION_H_

#include <vector>

#include "delegate/graph/op.h"

namespace gles_delegate {

struct ConcatenationAttributes {
  int axis = 3;  // of AxisArray
};

// kInvalidArgument: inputs that differ on another axis, or do not add up to the
// output.
ParseFunction ParseConcatenation;
PlanFunction PlanConcatenation;

// Writes `inputs`, in order, along `axis` (of AxisArray) of `output`. Where
// every channel offset is a multiple of 4, a dispatch copies one input;
// elsewhere a dispatch writes whole texels from up to three inputs.
void AddConcatenation(Planner* planner, std::vector<TensorId> inputs,
                      TensorId output, int axis);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_CONCATENATION_H_
