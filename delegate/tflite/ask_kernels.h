// How the runtime's own kernels of a model's nodes compute what differs from
// one runtime to the next, found by running them on small tensors. Wheels
// export nothing else that tells.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_ASK_KERNELS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_ASK_KERNELS_H_

#include "delegate/tflite/reader.h"
#include "quant/cpu_kernels.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// `traits` with what the kernels of the model's nodes answer. `follows`: how
// codes are rounded, too; else the user said so, and CAST alone is asked. To be
// called in the delegate's Prepare.
quant::KernelTraits AskKernels(TfLiteContext* context, const ModelNodes& nodes,
                               quant::KernelTraits traits, bool follows);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_ASK_KERNELS_H_
