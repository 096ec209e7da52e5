// The baseline plan, which a partition runs until the programs of its optimized
// plan are compiled.
#ifndef GLES_DELEGATE_DELEGATE_DEVICE_BASELINE_H_
#define GLES_DELEGATE_DELEGATE_DEVICE_BASELINE_H_

#include "delegate/device/device_profile.h"

namespace gles_delegate {

// The choices with the fewest and simplest programs, for drivers that compile
// slowly: one output per invocation, nothing fused, split or unrolled, programs
// shared as much as possible. Storage and transfers stay as they are, so that a
// partition can switch plans and keep the memory of its inputs and outputs.
DeviceChoices BaselineChoices(DeviceChoices choices);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_DEVICE_BASELINE_H_
