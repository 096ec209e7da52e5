// Reduces the number of different tilings, and so of programs.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_SHARE_TILINGS_H_
#define GLES_DELEGATE_DELEGATE_PLAN_SHARE_TILINGS_H_

#include <vector>

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

// The dispatches of a program switch to Dispatch::other_tiling if all of them
// then share the program of at least half as many others.
void ShareTilings(const Graph& graph, const DeviceProfile& profile,
                  std::vector<Dispatch>* dispatches);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_SHARE_TILINGS_H_
