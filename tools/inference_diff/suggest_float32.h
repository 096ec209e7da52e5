// inference_diff --suggest_float32_nodes: which nodes lose by 16-bit storage.
#ifndef GLES_DELEGATE_TOOLS_INFERENCE_DIFF_SUGGEST_FLOAT32_H_
#define GLES_DELEGATE_TOOLS_INFERENCE_DIFF_SUGGEST_FLOAT32_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/inference_diff/per_layer.h"

namespace gles_delegate {

// The largest error of a node in 16 bits that is expected, relative to the
// largest magnitude of its output: ten roundings of 2^-11.
constexpr double kFloat16Error = 5e-3;

struct Float32Suggestion {
  // Whose error, each alone in 16 bits on the CPU's inputs, is past
  // kFloat16Error. In the model's order.
  std::vector<LayerError> layers;
  // Their nodes and those that write what they read, as the option
  // float32_nodes takes them: "3,17-20". "": none.
  std::string nodes;
};

// Runs each node of the model alone, on `spec` with 16-bit storage.
absl::StatusOr<Float32Suggestion> SuggestFloat32Nodes(const Model& model,
                                                      BackendSpec spec,
                                                      PerLayerOptions options);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_INFERENCE_DIFF_SUGGEST_FLOAT32_H_
