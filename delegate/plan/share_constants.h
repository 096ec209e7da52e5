// Finds packed constants of a plan that have the same values.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_SHARE_CONSTANTS_H_
#define GLES_DELEGATE_DELEGATE_PLAN_SHARE_CONSTANTS_H_

#include <cstddef>

#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

// Convolutions and FULLY_CONNECTEDs with the same weights, such as those of a
// loop's steps, upload them once: their cacheable constants
// (PackedConstant::cacheable) get the same shared_id if dispatches of the same
// text pack the same constant tensors. `ends`: where each node's dispatches
// end.
void ShareConstants(const Graph& graph, absl::Span<const size_t> ends,
                    absl::Span<Dispatch> dispatches);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_SHARE_CONSTANTS_H_
