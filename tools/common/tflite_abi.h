// Functions that a TensorFlow Lite C library exports and whose headers the
// package of 2.9 does not bring (TFLite's c_api_experimental.h and
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

void TfLiteInterpreterOptionsSetEnableDelegateFallback(
    TfLiteInterpreterOptions* options, bool enable);

void TfLiteSetAllowBufferHandleOutput(const TfLiteInterpreter* interpreter,
                                      bool allow_buffer_handle_output);

// The options' struct differs between versions: see xnnpack_delegate.cc.
TfLiteDelegate* TfLiteXNNPackDelegateCreate(const void* options);
void TfLiteXNNPackDelegateDelete(TfLiteDelegate* delegate);

}  // extern "C"

#endif  // GLES_DELEGATE_TOOLS_COMMON_TFLITE_ABI_H_
