// The poses in PoseNet's outputs.
#ifndef GLES_DELEGATE_TOOLS_GLES_DEMO_POSES_H_
#define GLES_DELEGATE_TOOLS_GLES_DEMO_POSES_H_

#include <optional>

#include "absl/types/span.h"
#include "tools/gles_demo/findings.h"

namespace gles_delegate::demo {

// Every pose of five likely points or more. nullopt: the outputs are not
// heatmaps, short offsets and mid offsets for 17 points.
std::optional<Finding> PosesOf(absl::Span<const TensorValues> outputs,
                               int width, int height);

}  // namespace gles_delegate::demo

#endif  // GLES_DELEGATE_TOOLS_GLES_DEMO_POSES_H_
