// A model as the delegate reads it: the graph that its partition would be.
#ifndef GLES_DELEGATE_BENCHES_COMMON_READ_GRAPH_H_
#define GLES_DELEGATE_BENCHES_COMMON_READ_GRAPH_H_

#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate {

// Before the passes. Constants are the model's memory, so it must outlive the
// graph. Where some nodes cannot run on the GPU, the largest partition of the
// others; kUnimplemented, with the first refusal: there is none.
absl::StatusOr<Graph> ReadGraph(const Model& model,
                                const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_BENCHES_COMMON_READ_GRAPH_H_
