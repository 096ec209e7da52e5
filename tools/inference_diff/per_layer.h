// inference_diff --per_layer: the error of each tensor that an op writes.
#ifndef GLES_DELEGATE_TOOLS_INFERENCE_DIFF_PER_LAYER_H_
#define GLES_DELEGATE_TOOLS_INFERENCE_DIFF_PER_LAYER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/runner/backend.h"
#include "tools/runner/code_diff.h"
#include "tools/runner/model_layers.h"
#include "tools/runner/output_diff.h"

namespace gles_delegate {

struct LayerError {
  Layer layer;
  std::string tensor;  // its name
  std::vector<int> dims;
  bool quantized = false;
  bool delegated = true;  // of one alone: the delegate took the node
  CodeDiff codes;         // where quantized
  OutputDiff values;
};

struct PerLayerOptions {
  int runs = 1;
  int seed = 1;
  // Each op alone, on the reference's inputs, so that its error is its own.
  // Else the model at once, every tensor an output: errors add up on the way,
  // and what a delegate fuses across tensors, it cannot.
  bool alone = false;
  std::map<std::string, std::string> files;  // of inputs, by name
};

// Runs the backend and TFLite's built-in kernels. Tensors that neither floats
// nor codes can be told of (strings, say) are left out.
absl::StatusOr<std::vector<LayerError>> CompareLayers(
    const Model& model, const BackendSpec& spec,
    const PerLayerOptions& options);

void PrintLayers(const std::vector<LayerError>& layers);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_INFERENCE_DIFF_PER_LAYER_H_
