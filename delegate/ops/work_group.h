// Work groups for shaders of a few reads an invocation.
#ifndef GLES_DELEGATE_DELEGATE_OPS_WORK_GROUP_H_
#define GLES_DELEGATE_DELEGATE_OPS_WORK_GROUP_H_

#include "delegate/plan/planner.h"

namespace gles_delegate {

// At least 64 invocations a work group, once the grid is set: where a profile
// asks for fewer, it does so for the tiles of convolutions, and here the work
// groups would cost more than what they do (llvmpipe, resize_bilinear of
// 257x257x24: 57 ms at 8 invocations, 31 at 16, 20 at 64, 22 at 256).
void UseLightWorkGroup(const DeviceProfile& profile, Dispatch* dispatch);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_WORK_GROUP_H_
