// Copies of the input's elements, by constant parameters.
//   TILE          repeats the input along each axis
//   BROADCAST_TO  repeats axes of extent 1, and missing leading axes
//   MATRIX_DIAG   makes matrices with vectors as diagonals: [..., M] -> [...,
//   M,
//                 M], 0 elsewhere; not of quantized tensors
// kInvalidArgument: shapes that do not broadcast, or a wrong output shape.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TILE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TILE_H_

#include "delegate/graph/op.h"
#include "delegate/ops/movement/remap.h"

namespace gles_delegate {

ParseFunction ParseTile;
ParseFunction ParseBroadcastTo;
ParseFunction ParseMatrixDiag;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TILE_H_
