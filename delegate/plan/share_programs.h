// Reduces the number of programs of a partition.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_SHARE_PROGRAMS_H_
#define GLES_DELEGATE_DELEGATE_PLAN_SHARE_PROGRAMS_H_

#include <vector>

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

// Makes dispatches share a program if their programs differ only by
// - post-ops: the program has all of them, and a uniform skips those that a
//   dispatch does not have. Their operands are replaced by its first input, or
//   by the constant that others have.
// - padding channels: all write zeros there.
// - the memory of the output: its own, a box, or rows.
// - WHOLE_CHUNKS: no program has it.
// - tiling: some use Dispatch::other_tiling.
//
// Results and their order do not change. Dispatches without a match are left
// alone. No effect at share_programs 0.
void SharePrograms(const Graph& graph, const DeviceProfile& profile,
                   std::vector<Dispatch>* dispatches);

// --- Params as constants -----------------------------------------------------

// Makes the parameters of dispatches constants of their program.

// A dispatch that leaves most of the device idle takes as long as its longest
// chain of instructions: divisions of indices by sizes, loops that wait for
// memory in each step. Compilers shorten it if they know the sizes. So if
// several such dispatches of a program have the same parameters, as the layers
// of a decoder, they get a program that has them as constants
// (Dispatch::fixed_params). No effect at split_k_target 0.
void FixParams(const Graph& graph, const DeviceProfile& profile,
               std::vector<Dispatch>* dispatches);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_SHARE_PROGRAMS_H_
