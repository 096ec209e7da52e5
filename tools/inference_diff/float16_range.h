// inference_diff --check_float16_range: which tensors hold values that 16-bit
// storage (is_precision_loss_allowed) would make infinite.
#ifndef GLES_DELEGATE_TOOLS_INFERENCE_DIFF_FLOAT16_RANGE_H_
#define GLES_DELEGATE_TOOLS_INFERENCE_DIFF_FLOAT16_RANGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/inference_diff/per_layer.h"

namespace gles_delegate {

// A float32 tensor with finite values past 65504, the largest 16-bit float.
struct PastFloat16 : WrittenTensor {
  float largest = 0;   // magnitude, of all runs
  int64_t values = 0;  // the number past it, in all runs
};

// Runs TFLite's built-in kernels in 32 bits on options.runs inputs and looks at
// every float32 tensor that an op writes. In the model's order.
absl::StatusOr<std::vector<PastFloat16>> FindPastFloat16(
    const Model& model, int num_threads, const PerLayerOptions& options);

// The tensors, and the option that keeps their nodes in 32 bits.
void PrintPastFloat16(const std::vector<PastFloat16>& tensors, int runs);

// "3,17-20": the nodes of `tensors`, as the option float32_nodes takes them.
std::string Float32Nodes(const std::vector<PastFloat16>& tensors);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_INFERENCE_DIFF_FLOAT16_RANGE_H_
