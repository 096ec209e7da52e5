// TILE: repeats the input along each axis. BROADCAST_TO: repeats axes of extent
// 1, and missing leading axes, to the given shape. Rank <= 5 (BROADCAST_TO: or
// more, if axes before the last three fold into two); constant multiples and
// shape. kInvalidArgument: shapes that do not broadcast, or a wrong output
// shape.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TILE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TILE_H_

#include "delegate/graph/op.h"
#include "delegate/ops/movement/remap.h"

namespace gles_delegate {

ParseFunction ParseTile;
ParseFunction ParseBroadcastTo;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TILE_H_
