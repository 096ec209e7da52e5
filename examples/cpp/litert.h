// The part of LiteRT's C API that compiled_model.cc needs, as LiteRT 2.2 and
// 2.3 have it: PyPI's ai-edge-litert brings libLiteRt.so without headers. The
// names are LiteRT's; if you have its own headers (litert/c/), include those.
#ifndef GLES_DELEGATE_EXAMPLES_CPP_LITERT_H_
#define GLES_DELEGATE_EXAMPLES_CPP_LITERT_H_

#include <cstddef>
#include <cstdint>

extern "C" {

typedef struct LiteRtEnvironmentT* LiteRtEnvironment;
typedef struct LiteRtModelT* LiteRtModel;
typedef struct LiteRtSignatureT* LiteRtSignature;
typedef struct LiteRtTensorT* LiteRtTensor;
typedef struct LiteRtOptionsT* LiteRtOptions;
typedef struct LiteRtCompiledModelT* LiteRtCompiledModel;
typedef struct LiteRtTensorBufferT* LiteRtTensorBuffer;

typedef int LiteRtStatus;  // 0: fine

enum { kLiteRtElementTypeFloat32 = 1, kLiteRtElementTypeUInt8 = 3 };
enum { kLiteRtHwAcceleratorCpu = 1, kLiteRtHwAcceleratorGpu = 2 };
#define LITERT_HOST_MEMORY_BUFFER_ALIGNMENT 64

typedef struct {
  unsigned rank : 7;
  unsigned has_strides : 1;
  int32_t dimensions[8];
  uint32_t strides[8];
} LiteRtLayout;
typedef struct {
  int element_type;
  LiteRtLayout layout;
} LiteRtRankedTensorType;

typedef struct {
  int type;
  union {
    int64_t int_value;
    const char* str_value;
  };
} LiteRtAny;
typedef struct {
  int tag;
  LiteRtAny value;
} LiteRtEnvOption;
enum { kLiteRtEnvOptionTagRuntimeLibraryDir = 22, kLiteRtAnyTypeString = 8 };

LiteRtStatus LiteRtCreateEnvironment(int count, const LiteRtEnvOption* options,
                                     LiteRtEnvironment* environment);
void LiteRtDestroyEnvironment(LiteRtEnvironment environment);
LiteRtStatus LiteRtCreateModelFromFile(LiteRtEnvironment environment,
                                       const char* path, LiteRtModel* model);
void LiteRtDestroyModel(LiteRtModel model);
LiteRtStatus LiteRtGetModelSignature(LiteRtModel model, size_t index,
                                     LiteRtSignature* signature);
LiteRtStatus LiteRtGetSignatureInputTensorByIndex(LiteRtSignature signature,
                                                  size_t index,
                                                  LiteRtTensor* tensor);
LiteRtStatus LiteRtGetSignatureOutputTensorByIndex(LiteRtSignature signature,
                                                   size_t index,
                                                   LiteRtTensor* tensor);
LiteRtStatus LiteRtGetRankedTensorType(LiteRtTensor tensor,
                                       LiteRtRankedTensorType* type);
LiteRtStatus LiteRtCreateOptions(LiteRtOptions* options);
void LiteRtDestroyOptions(LiteRtOptions options);
LiteRtStatus LiteRtSetOptionsHardwareAccelerators(LiteRtOptions options,
                                                  int hardware);
LiteRtStatus LiteRtCreateCompiledModel(LiteRtEnvironment environment,
                                       LiteRtModel model, LiteRtOptions options,
                                       LiteRtCompiledModel* compiled);
void LiteRtDestroyCompiledModel(LiteRtCompiledModel compiled);
LiteRtStatus LiteRtCreateTensorBufferFromHostMemory(
    const LiteRtRankedTensorType* type, void* memory, size_t bytes,
    void (*deallocator)(void*), LiteRtTensorBuffer* buffer);
void LiteRtDestroyTensorBuffer(LiteRtTensorBuffer buffer);
LiteRtStatus LiteRtRunCompiledModel(LiteRtCompiledModel compiled,
                                    size_t signature, size_t input_count,
                                    LiteRtTensorBuffer* inputs,
                                    size_t output_count,
                                    LiteRtTensorBuffer* outputs);

}  // extern "C"

#endif
