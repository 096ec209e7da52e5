// CONCATENATION along any axis, with a fused activation. Any number of inputs,
// constants included.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_CONCATENATION_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_CONCATENATION_H_

#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/movement/remap.h"

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

// --- PACK --------------------------------------------------------------------

// PACK: stacks inputs of one shape along a new axis, of any number and rank,
// constants included.

struct PackAttributes {
  int axis = 0;           // of the output's AxisArray
  int step = 1;           // an input's extent there
  std::vector<int> view;  // an input's dims with the new axis, of extent 1
  Remap remap;            // from the input to that view
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_CONCATENATION_H_
