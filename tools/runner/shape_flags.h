// --input_layer and --input_layer_shape. A program that calls ShapesFromFlags()
// has these flags.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_SHAPE_FLAGS_H_
#define GLES_DELEGATE_TOOLS_RUNNER_SHAPE_FLAGS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate {

// The shape of each of the model's inputs as the flags resize them, in the
// model's order (ParseInputShapes()); empty where they resize none.
absl::StatusOr<std::vector<std::vector<int>>> ShapesFromFlags(
    const Model& model);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_SHAPE_FLAGS_H_
