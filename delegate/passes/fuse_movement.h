// Functions of values that SLICE, SPLIT, RESHAPE, TRANSPOSE and a CONCATENATION
// of channels move on the way become one MOVED_FUNCTIONS node, with their
// movements (ops/movement/moved_functions.h): rotary embeddings, masks of an
// attention's heads, chains of movements. Each result is looked at with what it
// alone needs, the last results first. A DYNAMIC_UPDATE_SLICE computes such an
// update itself.
//
// Must not fire on the integer path, if no node is saved, or if values do not
// stay whole texels or single channels. O(nodes), with a bound on what is
// looked at for each.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_MOVEMENT_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_MOVEMENT_H_

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

void FuseMovement(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_MOVEMENT_H_
