// The parameters for reading a model, from the user's options (options.h) and
// the runtime.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_READ_OPTIONS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_READ_OPTIONS_H_

#include <utility>
#include <vector>

#include "quant/cpu_kernels.h"

namespace gles_delegate {

struct ReadOptions {
  bool enable_quantization = true;
  // Round each quantized output to representable values.
  bool simulate_quantization = true;
  // 16-bit storage, so that quantized ranges must fit.
  bool half = false;
  int params_minor = 0;        // ParamsMinorOf() the runtime
  quant::KernelTraits traits;  // of the kernels to match
  // Ranges of TFLite's node indices, inclusive.
  std::vector<std::pair<int, int>> exclude_nodes;  // stay on the CPU
  std::vector<std::pair<int, int>> float32_nodes;  // floats stay in 32 bits
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_READ_OPTIONS_H_
