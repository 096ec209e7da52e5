// The inputs that the tools feed to a model.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_INPUTS_H_
#define GLES_DELEGATE_TOOLS_RUNNER_INPUTS_H_

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate {

// How floats are drawn. In either case all quantized values of an 8-bit input
// are equally likely, int32 and int64 are 0 to 99, bools 0 or 1, as in TFLite's
// own tools.
enum class FloatInputs {
  kUniform,   // -0.5 to 0.5: benchmark_model's
  kGaussian,  // mean 0.5, deviation 1/3, clamped to -1..1: inference diff's
};

// The bytes of one input tensor.
using InputBytes = std::vector<uint8_t>;

// Bytes for each input: those of the file that `files` names for it, else drawn
// again. kUnimplemented: an input without a file has a type for which nothing
// random can be made (string, say).
absl::StatusOr<std::vector<InputBytes>> MakeInputs(
    const Interpreter& interpreter, FloatInputs floats, std::mt19937& random,
    const std::map<std::string, std::string>& files = {});

// Copies `inputs` to the interpreter's tensors. kInvalidArgument: a size
// differs.
absl::Status WriteInputs(Interpreter& interpreter,
                         const std::vector<InputBytes>& inputs);

// "name:file,name:file" (raw bytes of the tensor each). kInvalidArgument: an
// item without a colon.
absl::StatusOr<std::map<std::string, std::string>> ParseValueFiles(
    const std::string& text);

// From TFLite's pair of flags, names "a,b" and shapes "1,224,224,3:1,20": one
// shape for each of the interpreter's inputs (empty: the model's own).
// kInvalidArgument: no such input, or the counts differ.
absl::StatusOr<std::vector<std::vector<int>>> ParseInputShapes(
    const Interpreter& interpreter, const std::string& names,
    const std::string& shapes);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_INPUTS_H_
