// Fewer programs for a partition.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_SHARE_PROGRAMS_H_
#define GLES_DELEGATE_DELEGATE_PLAN_SHARE_PROGRAMS_H_

#include <vector>

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

// Gives one program to dispatches whose programs differ only by
// - post-ops: the program has all of them, and a uniform skips those that a
//   dispatch does not have. In place of their operands it binds its first
//   input, or the constant that others have.
// - channels past the last: all write zeros there.
// - where in its memory the output lies (in memory of its own, as a box, as
//   rows).
// - at choices.share_programs 2, WHOLE_CHUNKS: none has it.
// - at 3, their tiling: some take Dispatch::other_tiling.
// What a dispatch computes stays as it was, in the same order. A dispatch that
// finds no other one is left alone. Nothing happens at share_programs 0.
void SharePrograms(const Graph& graph, const DeviceProfile& profile,
                   std::vector<Dispatch>* dispatches);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_SHARE_PROGRAMS_H_
