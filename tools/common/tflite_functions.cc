// TensorFlow Lite's C functions, each a call of the open library's function of
// the same name (tflite_library.h). A function that a program or a test calls
// and that is not here does not link: add its line.
#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/common.h"
#include "tools/common/tflite_abi.h"
#include "tools/common/tflite_library.h"

// The compiler compares each with its declaration in the headers.
#define FORWARD(result, name, parameters, arguments)                         \
  result name parameters {                                                   \
    static auto* const function = gles_delegate::AsFunction<decltype(name)>( \
        gles_delegate::RequiredTfliteSymbol(#name));                         \
    return function arguments;                                               \
  }

extern "C" {

using Options = TfLiteInterpreterOptions;
using ErrorReporter = void (*)(void*, const char*, va_list);

FORWARD(const char*, TfLiteVersion, (), ())
FORWARD(const char*, TfLiteTypeGetName, (TfLiteType t), (t))

FORWARD(TfLiteIntArray*, TfLiteIntArrayCreate, (int size), (size))
FORWARD(void, TfLiteIntArrayFree, (TfLiteIntArray * a), (a))

FORWARD(TfLiteModel*, TfLiteModelCreate, (const void* data, size_t size),
        (data, size))
FORWARD(TfLiteModel*, TfLiteModelCreateFromFile, (const char* path), (path))
FORWARD(void, TfLiteModelDelete, (TfLiteModel * m), (m))

FORWARD(Options*, TfLiteInterpreterOptionsCreate, (), ())
FORWARD(void, TfLiteInterpreterOptionsDelete, (Options * o), (o))
FORWARD(void, TfLiteInterpreterOptionsSetNumThreads, (Options * o, int32_t n),
        (o, n))
FORWARD(void, TfLiteInterpreterOptionsAddDelegate,
        (Options * o, TfLiteDelegate* d), (o, d))
FORWARD(void, TfLiteInterpreterOptionsSetErrorReporter,
        (Options * o, ErrorReporter reporter, void* data), (o, reporter, data))
FORWARD(void, TfLiteInterpreterOptionsAddCustomOp,
        (Options * o, const char* name, const TfLiteRegistration* registration,
         int32_t min_version, int32_t max_version),
        (o, name, registration, min_version, max_version))
FORWARD(void, TfLiteInterpreterOptionsSetEnableDelegateFallback,
        (Options * o, bool enable), (o, enable))

FORWARD(TfLiteInterpreter*, TfLiteInterpreterCreate,
        (const TfLiteModel* m, const Options* o), (m, o))
FORWARD(void, TfLiteInterpreterDelete, (TfLiteInterpreter * i), (i))
FORWARD(int32_t, TfLiteInterpreterGetInputTensorCount,
        (const TfLiteInterpreter* i), (i))
FORWARD(TfLiteTensor*, TfLiteInterpreterGetInputTensor,
        (const TfLiteInterpreter* i, int32_t index), (i, index))
FORWARD(int32_t, TfLiteInterpreterGetOutputTensorCount,
        (const TfLiteInterpreter* i), (i))
FORWARD(const TfLiteTensor*, TfLiteInterpreterGetOutputTensor,
        (const TfLiteInterpreter* i, int32_t index), (i, index))
FORWARD(TfLiteStatus, TfLiteInterpreterResizeInputTensor,
        (TfLiteInterpreter * i, int32_t index, const int* dims, int32_t rank),
        (i, index, dims, rank))
FORWARD(TfLiteStatus, TfLiteInterpreterAllocateTensors, (TfLiteInterpreter * i),
        (i))
FORWARD(TfLiteStatus, TfLiteInterpreterInvoke, (TfLiteInterpreter * i), (i))
FORWARD(TfLiteStatus, TfLiteInterpreterModifyGraphWithDelegate,
        (const TfLiteInterpreter* i, TfLiteDelegate* d), (i, d))
FORWARD(TfLiteStatus, TfLiteInterpreterResetVariableTensors,
        (TfLiteInterpreter * i), (i))
FORWARD(void, TfLiteSetAllowBufferHandleOutput,
        (const TfLiteInterpreter* i, bool allow), (i, allow))

FORWARD(int32_t, TfLiteTensorDim, (const TfLiteTensor* t, int32_t axis),
        (t, axis))
FORWARD(size_t, TfLiteTensorByteSize, (const TfLiteTensor* t), (t))
FORWARD(void*, TfLiteTensorData, (const TfLiteTensor* t), (t))
FORWARD(TfLiteStatus, TfLiteTensorCopyFromBuffer,
        (TfLiteTensor * t, const void* data, size_t size), (t, data, size))
FORWARD(TfLiteStatus, TfLiteTensorCopyToBuffer,
        (const TfLiteTensor* t, void* data, size_t size), (t, data, size))

FORWARD(TfLiteDelegate*, TfLiteXNNPackDelegateCreate, (const void* o), (o))
FORWARD(void, TfLiteXNNPackDelegateDelete, (TfLiteDelegate * d), (d))

}  // extern "C"
