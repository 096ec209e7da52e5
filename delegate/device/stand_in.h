// The stand-in of a plan: what a partition runs by until the programs of its
// plan proper are compiled.
#ifndef GLES_DELEGATE_DELEGATE_DEVICE_STAND_IN_H_
#define GLES_DELEGATE_DELEGATE_DEVICE_STAND_IN_H_

#include "delegate/device/device_profile.h"

namespace gles_delegate {

// The choices whose plan has the fewest and plainest programs, where a driver
// takes long for each: one output an invocation, nothing fused, split or
// spelled out, programs shared wherever they can be. Tensors are stored as they
// were, and inputs and outputs travel as they did, so that a partition can go
// from one plan to the other with the memory in which these lie.
DeviceChoices StandInChoices(DeviceChoices choices);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_DEVICE_STAND_IN_H_
