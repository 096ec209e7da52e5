// Work groups for shaders whose invocations read few texels.
#ifndef GLES_DELEGATE_DELEGATE_OPS_WORK_GROUP_H_
#define GLES_DELEGATE_DELEGATE_OPS_WORK_GROUP_H_

#include "delegate/plan/planner.h"

namespace gles_delegate {

// Gives a dispatch, whose grid is set, work groups of at least 64 invocations.
// Profiles with smaller groups mean them for convolution tiles; here they would
// cost more than the work itself (llvmpipe is fastest at 64).
void UseLightWorkGroup(const DeviceProfile& profile, Dispatch* dispatch);

// Adds a dispatch, whose grid is set, with such work groups.
void AddInLightGroups(Dispatch dispatch, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_WORK_GROUP_H_
