// What reading a model goes by, of the user's options (options.h) and of the
// runtime.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_READ_OPTIONS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_READ_OPTIONS_H_

#include <utility>
#include <vector>

#include "quant/cpu_kernels.h"

namespace gles_delegate {

struct ReadOptions {
  bool enable_quantization = true;
  // Each quantized output is rounded to its codes.
  bool simulate_quantization = true;
  // Tensors are stored in 16 bits, so that quantized ranges must fit these.
  bool half = false;
  int params_minor = 0;        // ParamsMinorOf() the runtime
  quant::KernelTraits traits;  // of the kernels whose codes are to be given
  // Ranges of TFLite's node indices, both ends included.
  std::vector<std::pair<int, int>> exclude_nodes;  // stay on the CPU
  std::vector<std::pair<int, int>> float32_nodes;  // floats stay in 32 bits
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_READ_OPTIONS_H_
