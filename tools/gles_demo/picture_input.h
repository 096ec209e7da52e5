// The input of the demo's model.
#ifndef GLES_DELEGATE_TOOLS_GLES_DEMO_PICTURE_INPUT_H_
#define GLES_DELEGATE_TOOLS_GLES_DEMO_PICTURE_INPUT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/common/tflite_host.h"
#include "tools/gles_demo/canvas.h"
#include "tools/runner/inputs.h"

namespace gles_delegate::demo {

// A model's input, and the picture to show of it.
struct Input {
  Canvas picture;             // empty if the input is not an image
  int width = 0, height = 0;  // of the model's input; 0 without a picture
  std::vector<InputBytes> tensors;
};

// The picture for the first input, as (pixel - mean) / std where the input
// holds floats; random numbers for the others. `image` is a file, or empty for
// a scene that the demo draws. kInvalidArgument: an image, but no input for it.
absl::StatusOr<Input> MakeInput(const Interpreter& interpreter,
                                const std::string& image, double mean,
                                double std);

}  // namespace gles_delegate::demo

#endif  // GLES_DELEGATE_TOOLS_GLES_DEMO_PICTURE_INPUT_H_
