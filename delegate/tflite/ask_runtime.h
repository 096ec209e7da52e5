// Detects a TFLite library's integer kernels by running four models of one op,
// whose sums are ties, through its C API, with XNNPACK if the library applies
// it. The version number is not enough: builds of one version differ.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_ASK_RUNTIME_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_ASK_RUNTIME_H_

#include <optional>
#include <string>

#include "quant/cpu_kernels.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// `library`: path of a loaded library. Runs once per process and library; any
// thread. nullopt: it does not export TFLite's C API (Python wheels do not), or
// its results match no known kernels.
std::optional<quant::CpuKernels> AskForCpuKernels(const std::string& library);

// Whether any tensor of the model has a type that may be quantized; otherwise
// the answer does not matter.
bool MayHoldQuantized(const TfLiteContext& context);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_ASK_RUNTIME_H_
