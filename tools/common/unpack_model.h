// A .tflite file as the schema's objects.
#ifndef GLES_DELEGATE_TOOLS_COMMON_UNPACK_MODEL_H_
#define GLES_DELEGATE_TOOLS_COMMON_UNPACK_MODEL_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "third_party/tflite_schema/schema_generated.h"

namespace gles_delegate {

// `file` may come from anyone. kInvalidArgument: an offset in it leads to what
// it does not name, it has no subgraph, or a number of 64 bits does not lie on
// a multiple of eight bytes (FlatBuffers' verifier is content with four).
absl::StatusOr<std::unique_ptr<schema::ModelT>> UnpackModel(
    absl::Span<const uint8_t> file);

// "CONV_2D"; a custom op's own name.
std::string OpName(const schema::OperatorCodeT& code);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_COMMON_UNPACK_MODEL_H_
