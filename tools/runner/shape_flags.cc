#include "tools/runner/backend_flags.h"

#include <string>

#include "absl/flags/flag.h"
#include "base/status_macros.h"
#include "tools/runner/inputs.h"

ABSL_FLAG(std::string, input_layer, "", "inputs to resize: name,name");
ABSL_FLAG(std::string, input_layer_shape, "", "their shapes: 1,224,224,3:1,20");

namespace gles_delegate {

absl::StatusOr<std::vector<std::vector<int>>> ShapesFromFlags(
    const Model& model) {
  if (absl::GetFlag(FLAGS_input_layer_shape).empty()) {
    return std::vector<std::vector<int>>();
  }
  ASSIGN_OR_RETURN(auto interpreter, Interpreter::Create(model));
  return ParseInputShapes(*interpreter, absl::GetFlag(FLAGS_input_layer),
                          absl::GetFlag(FLAGS_input_layer_shape));
}

}  // namespace gles_delegate
