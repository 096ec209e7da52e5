// A .tflite file as the schema's objects.
#ifndef GLES_DELEGATE_TOOLS_COMMON_UNPACK_MODEL_H_
#define GLES_DELEGATE_TOOLS_COMMON_UNPACK_MODEL_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "third_party/tflite_schema/schema_generated.h"

namespace gles_delegate {

// `file` may come from anyone. kInvalidArgument: its offsets do not lead to
// what they say, it has no subgraph, or numbers of 64 bits lie where such may
// not (FlatBuffers' verifier lets them lie on any four bytes).
absl::StatusOr<std::unique_ptr<schema::ModelT>> UnpackModel(
    absl::Span<const uint8_t> file);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_COMMON_UNPACK_MODEL_H_
