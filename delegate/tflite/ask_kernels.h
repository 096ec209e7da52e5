// Detects differences between runtimes' kernels by running the kernels of a
// model's nodes on small tensors. Python wheels export nothing else that would
// tell.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_ASK_KERNELS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_ASK_KERNELS_H_

#include "delegate/tflite/reader.h"
#include "quant/cpu_kernels.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// `traits` updated by the results of the model's kernels. `follows`: also
// detect rounding; otherwise the user chose it, and only CAST is run. Call it
// in the delegate's Prepare.
quant::KernelTraits AskKernels(TfLiteContext* context, const ModelNodes& nodes,
                               quant::KernelTraits traits, bool follows);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_ASK_KERNELS_H_
