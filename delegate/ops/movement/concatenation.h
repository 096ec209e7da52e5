// CONCATENATION: inputs one after another along any axis; a fused activation.
// Any number of inputs, constants among them. Rank <= 5.
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

// Writes `inputs`, in order, along `axis` (of AxisArray) of `output`: a copy
// each where every channel offset is a multiple of 4, else whole texels from up
// to three inputs at a time.
void AddConcatenation(Planner* planner, std::vector<TensorId> inputs,
                      TensorId output, int axis);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_CONCATENATION_H_
