// Whose integer kernels a TensorFlow Lite library runs, found by running them:
// four models of one op, whose sums lie on ties, go through the library's own C
// functions as an app's model would, XNNPACK included if the library applies
// it. A version number does not tell: builds of one version differ.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_ASK_RUNTIME_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_ASK_RUNTIME_H_

#include <optional>
#include <string>

#include "quant/cpu_kernels.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// `library` is the path of a library that the process has loaded. Asked once
// per process and library; any thread. nullopt: it does not export TFLite's C
// functions, as the Python wheels do not, or its codes are those of none of the
// kernels that were measured.
std::optional<quant::CpuKernels> AskForCpuKernels(const std::string& library);

// Whether a tensor of the model has a type that may hold codes: others have no
// use for the answer.
bool MayHoldCodes(const TfLiteContext& context);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_ASK_RUNTIME_H_
