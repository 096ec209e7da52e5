// Functions that libtensorflowlite_c.so 2.9 exports and whose headers the
// package does not bring (TFLite's c_api_experimental.h and
// xnnpack_delegate.h).
#ifndef GLES_DELEGATE_TOOLS_COMMON_TFLITE_ABI_H_
#define GLES_DELEGATE_TOOLS_COMMON_TFLITE_ABI_H_

#include <cstdint>

#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/common.h"

extern "C" {

TfLiteStatus TfLiteInterpreterModifyGraphWithDelegate(
    const TfLiteInterpreter* interpreter, TfLiteDelegate* delegate);

TfLiteStatus TfLiteInterpreterResetVariableTensors(
    TfLiteInterpreter* interpreter);

// The registration is copied; `name` must outlive the options' interpreters.
void TfLiteInterpreterOptionsAddCustomOp(TfLiteInterpreterOptions* options,
                                         const char* name,
                                         const TfLiteRegistration* registration,
                                         int32_t min_version,
                                         int32_t max_version);

void TfLiteSetAllowBufferHandleOutput(const TfLiteInterpreter* interpreter,
                                      bool allow_buffer_handle_output);

// The bits of TfLiteXNNPackDelegateOptions::flags: nodes of int8, of uint8.
enum { TFLITE_XNNPACK_DELEGATE_FLAG_QS8 = 1 };
enum { TFLITE_XNNPACK_DELEGATE_FLAG_QU8 = 2 };

struct TfLiteXNNPackDelegateOptions {
  int32_t num_threads;
  uint32_t flags;
  void* weights_cache;
  uint64_t younger_fields[8];  // zeros: a younger library reads more
};
TfLiteDelegate* TfLiteXNNPackDelegateCreate(
    const TfLiteXNNPackDelegateOptions* options);
void TfLiteXNNPackDelegateDelete(TfLiteDelegate* delegate);

}  // extern "C"

#endif  // GLES_DELEGATE_TOOLS_COMMON_TFLITE_ABI_H_
