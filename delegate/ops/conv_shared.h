// CONV_2D and matrix products from tiles in the shared memory of a work group:
// for devices where that pays (split_target of the profile).
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_SHARED_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_SHARED_H_

#include <optional>

#include "delegate/ops/conv_split.h"

namespace gles_delegate {

// The dispatch; or nothing where the profile never splits, the weights or the
// bias are computed at run time, or no tile fits the device.
std::optional<Dispatch> PlanConvShared(const ConvSplit& conv, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_SHARED_H_
