// Fewer texts for a partition, of shaders that can do several things.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_SHARE_VARIANTS_H_
#define GLES_DELEGATE_DELEGATE_PLAN_SHARE_VARIANTS_H_

#include <vector>

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

// Dispatches whose texts differ take their general one (Dispatch::general)
// where it is the same for them: `variant` then says what each of them does.
// What a dispatch computes stays as it was, but for the order of sums where the
// general text shares these out in another way.
void ShareVariants(const Graph& graph, const DeviceProfile& profile,
                   std::vector<Dispatch>* dispatches);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_SHARE_VARIANTS_H_
