// A model of one op, from its shapes alone.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_OP_SHAPE_MODEL_H_
#define GLES_DELEGATE_TOOLS_RUNNER_OP_SHAPE_MODEL_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/runner/op_shapes.h"

namespace gles_delegate {

// The .tflite file of that one op in float32: quantized and 16-bit tensors are
// float32 there, constants of floats hold small numbers. kInvalidArgument: a
// builtin op, type or option that the schema does not have.
absl::StatusOr<std::vector<uint8_t>> OneOpModel(const OpShape& shape);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_OP_SHAPE_MODEL_H_
