// Movements of each axis by itself, of tensors of any rank: slices, repetitions
// and reversals.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_AXIS_MOVE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_AXIS_MOVE_H_

#include <vector>

#include "absl/types/span.h"
#include "delegate/graph/op.h"
#include "delegate/ops/movement/remap.h"

namespace gles_delegate {

// Element i of the output's axis is element (first + step * i) modulo `in` of
// the input's. If that passes the input's end, the input is repeated from its
// first element to its last: first is 0 and step 1.
struct AxisMove {
  int in = 1, out = 1;  // extents
  int first = 0, step = 1;
};

// The attributes of a node that moves its input by `axes`, those of the output.
// The input may lack leading ones. Above rank 5, the axes before the last three
// become two if neighbors can be merged, and else a table.
RemapAttributes MoveAxes(std::vector<AxisMove> axes, int input_rank);

// The linear index of the input's element, for each element of the output.
std::vector<int> LinearSources(absl::Span<const AxisMove> axes);

// --- REVERSE_V2, REVERSE_SEQUENCE --------------------------------------------

// REVERSE_SEQUENCE: reverses the first elements along one axis; input 1 has
// their number for each index of another axis. Rank 2 to 4. Lengths are
// constant or computed at run time; then, lengths above the extent are clamped,
// for which TFLite fails.

struct ReverseSequenceAttributes {
  int sequence_axis = 0;  // of AxisArray
  int batch_axis = 0;     // of AxisArray
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_AXIS_MOVE_H_
