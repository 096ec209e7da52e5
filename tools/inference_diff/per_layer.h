// inference_diff --per_layer: the error of each tensor that an op writes.
#ifndef GLES_DELEGATE_TOOLS_INFERENCE_DIFF_PER_LAYER_H_
#define GLES_DELEGATE_TOOLS_INFERENCE_DIFF_PER_LAYER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/runner/backend.h"
#include "tools/runner/code_diff.h"
#include "tools/runner/inputs.h"
#include "tools/runner/model_layers.h"
#include "tools/runner/output_diff.h"

namespace gles_delegate {

// A tensor that an op writes.
struct WrittenTensor {
  Layer layer;
  std::string tensor;  // its name
  std::vector<int> dims;

  void Describe(const Layer& of, const TensorView& view);
};

// The model with each layer's tensor as an output, in their order.
absl::StatusOr<std::unique_ptr<Model>> Opened(const Model& model,
                                              const std::vector<Layer>& layers);

// An inference on these inputs, from variables as the model begins with.
absl::Status RunAgain(Interpreter& interpreter,
                      const std::vector<InputBytes>& inputs);

struct LayerError : WrittenTensor {
  bool quantized = false;
  bool delegated = true;  // of one alone: the delegate took the node
  CodeDiff steps;         // if quantized
  OutputDiff values;
};

struct PerLayerOptions {
  int runs = 1;
  int seed = 1;
  // True: each op runs alone, on the reference's inputs, so that its error is
  // its own. False: the whole model runs, with every tensor as an output. Then
  // errors add up on the way, and the delegate can fuse no ops.
  bool alone = false;
  std::map<std::string, std::string> files;  // of inputs, by name
};

// Runs the backend and TFLite's built-in kernels. Tensors that hold neither
// floats nor quantized values (strings, say) are left out.
absl::StatusOr<std::vector<LayerError>> CompareLayers(
    const Model& model, const BackendSpec& spec,
    const PerLayerOptions& options);

void PrintLayers(const std::vector<LayerError>& layers);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_INFERENCE_DIFF_PER_LAYER_H_
