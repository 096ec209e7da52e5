// Work groups for shaders whose invocations read few texels.
#ifndef GLES_DELEGATE_DELEGATE_OPS_WORK_GROUP_H_
#define GLES_DELEGATE_DELEGATE_OPS_WORK_GROUP_H_

#include "delegate/plan/planner.h"

namespace gles_delegate {

// Gives a dispatch, whose grid is set, work groups of at least 64 invocations.
// A profile that asks for fewer does so for the tiles of convolutions; here,
// work groups as small would cost more than what they compute (llvmpipe,
// resize_bilinear of 257x257x24: 57 ms at 8 invocations, 31 at 16, 20 at 64, 22
// at 256).
void UseLightWorkGroup(const DeviceProfile& profile, Dispatch* dispatch);

// Adds a dispatch whose grid is set, in such work groups.
void AddInLightGroups(Dispatch dispatch, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_WORK_GROUP_H_
