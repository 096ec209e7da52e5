// Models made out of a model, to look inside: TFLite's C API shows inputs and
// outputs alone, so what is to be seen must be an output.
//
// Only the first subgraph is looked at. Errors: kInvalidArgument, if an
// index in the model leads nowhere.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_MODEL_LAYERS_H_
#define GLES_DELEGATE_TOOLS_RUNNER_MODEL_LAYERS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "third_party/tflite_schema/schema_generated.h"

namespace gles_delegate {

// A tensor that an op of the model writes.
struct Layer {
  int node = 0;             // the op's place in the model
  std::string op;           // "CONV_2D", or a custom op's name
  int tensor = 0;           // the model's index
  std::vector<int> inputs;  // that ops of the model or its caller fill
};

// Every op's name: "CONV_2D", or a custom op's.
absl::StatusOr<std::vector<std::string>> OpNamesOf(const schema::ModelT& model);

// Every tensor that an op writes, in the model's order.
absl::StatusOr<std::vector<Layer>> LayersOf(absl::Span<const uint8_t> model);

// The same model with exactly `tensors` as outputs. A delegate sees other
// outputs of its partition then: it must write what it had fused away.
absl::StatusOr<std::vector<uint8_t>> WithOutputs(
    absl::Span<const uint8_t> model, const std::vector<int>& tensors);

// Node `layer.node` alone: its inputs are layer.inputs, its outputs all that
// the node writes. `shapes`, unless empty, are those of layer.inputs, which the
// file need not say.
absl::StatusOr<std::vector<uint8_t>> LayerAlone(
    absl::Span<const uint8_t> model, const Layer& layer,
    const std::vector<std::vector<int>>& shapes = {});

// A .tflite file as the schema's objects.

// `file` may come from anyone. kInvalidArgument: an offset in it leads to what
// it does not name, it has no subgraph, or a number of 64 bits does not lie on
// a multiple of eight bytes (FlatBuffers' verifier is content with four).
absl::StatusOr<std::unique_ptr<schema::ModelT>> UnpackModel(
    absl::Span<const uint8_t> file);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_MODEL_LAYERS_H_
