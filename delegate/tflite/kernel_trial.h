// Runs one of the runtime's kernels on separate tensors, outside the model, to
// find out what it computes where runtimes differ. Needs only the node's
// registration, and the context for resources shared by kernels (threads).
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_TRIAL_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_TRIAL_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

struct TrialTensor {
  TfLiteType type = kTfLiteFloat32;
  std::vector<int> dims;
  float scale = 0;  // 0: not quantized
  int zero_point = 0;
  std::vector<uint8_t> bytes;  // empty: the kernel's output
  bool is_constant = false;

  template <typename T>
  static TrialTensor Of(TfLiteType type, std::vector<int> dims,
                        const std::vector<T>& values, float scale = 0,
                        int zero_point = 0) {
    const auto* first = reinterpret_cast<const uint8_t*>(values.data());
    return {type,
            std::move(dims),
            scale,
            zero_point,
            {first, first + values.size() * sizeof(T)}};
  }
};

// A node's parameters: a builtin op's struct, or a custom op's bytes.
struct TrialParams {
  TrialParams(const void* builtin) : builtin(builtin) {}
  TrialParams(const std::vector<uint8_t>& custom, int outputs)
      : custom(custom.data()), bytes(custom.size()), outputs(outputs) {}
  const void* builtin = nullptr;
  const uint8_t* custom = nullptr;
  size_t bytes = 0;
  int outputs = 1;
};

// The bytes of the first output. `tensors`: the node's inputs and, last, its
// outputs. Empty: the kernel refuses the node, or the runtime does not give
// kernels what they need. The context is left as it was; to be called in the
// delegate's Prepare.
std::vector<uint8_t> TryKernel(TfLiteContext* context,
                               const TfLiteRegistration& kernel,
                               const std::vector<TrialTensor>& tensors,
                               const TrialParams& params);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_TRIAL_H_
