// Makes the parameters of dispatches constants of their program.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_FIX_PARAMS_H_
#define GLES_DELEGATE_DELEGATE_PLAN_FIX_PARAMS_H_

#include <vector>

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

// A dispatch that leaves most of the device idle takes as long as its longest
// chain of instructions: divisions of indices by sizes, loops that wait for
// memory in each step. Compilers shorten it if they know the sizes. So if
// several such dispatches of a program have the same parameters, as the layers
// of a decoder, they get a program that has them as constants
// (Dispatch::fixed_params). No effect at split_k_target 0.
void FixParams(const Graph& graph, const DeviceProfile& profile,
               std::vector<Dispatch>* dispatches);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_FIX_PARAMS_H_
