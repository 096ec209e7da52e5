// The symbols that LiteRT looks up in libLiteRtGpuAccelerator.so, and the part
// of LiteRT's accelerator ABI (2.2 and newer) that is used here.
//
// Building does not need LiteRT's headers: its structs carry their size and
// version, and members are read by offset after checking these
// (accelerator.cc).
#ifndef GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_ACCELERATOR_H_
#define GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_ACCELERATOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gles_delegate/gles_delegate.h"

namespace gles_delegate::litert {

// LiteRtStatus.
enum Status : int {
  kOk = 0,
  kInvalidArgument = 1,
  kRuntimeFailure = 3,
  kUnsupported = 5,
  kNotFound = 6,
  kWrongVersion = 8,
};

// LiteRtHwAccelerators, as bits.
inline constexpr int kGpu = 2;

// The start of each struct of the ABI. A newer minor version appends members;
// another major version is incompatible.
struct Header {
  uint16_t struct_size;
  uint16_t major;
  uint16_t minor;
  uint16_t reserved;
};
static_assert(sizeof(Header) == 8);
// The sizes and offsets below are for 64-bit machines.
inline constexpr bool kIs64Bit = sizeof(void*) == 8;

inline constexpr uint16_t kMajor = 1;

// LiteRtEnvOptionTag.
enum EnvironmentTag : int {
  kEglDisplay = 6,
  kEglContext = 7,
};

// LiteRtAny: a tagged value.
struct Any {
  int type;  // 0: none
  union {
    bool flag;
    int64_t integer;
    double real;
    const char* text;
    const void* pointer;
  };
};
static_assert(sizeof(Any) == 16);

// LiteRtApiVersion: the accelerator's own version.
struct ApiVersion {
  int major;
  int minor;
  int patch;
};

// Opaque pointers owned by LiteRT.
using Accelerator = void*;
using Environment = void*;
using Options = void*;
using DelegateWrapper = void*;

// HwMemoryInfo: LiteRT reads the two pointers, and gives back the first as the
// buffer's handle.
struct MemoryInfo {
  void* memory_handle;
  void* raw_handle;
};
// Functions that allocate and lock tensors in an accelerator's own kind of
// memory, and which kinds those are (accelerator.cc).
struct BufferHandlers {
  Header header;
  int (*create)(void* device, void* queue, const void* tensor_type, int type,
                size_t bytes, size_t packed_bytes, MemoryInfo** info);
  int (*destroy)(MemoryInfo* info);
  int (*lock)(MemoryInfo* info, int mode, void** memory);
  int (*unlock)(MemoryInfo* info);
  int (*clear)(MemoryInfo* info);
  void* import;
  int device_tag;
  int queue_tag;
  size_t type_count;
  int types[16];
};
static_assert(!kIs64Bit || sizeof(BufferHandlers) == 136);
static_assert(!kIs64Bit || offsetof(BufferHandlers, device_tag) == 56);
static_assert(!kIs64Bit || offsetof(BufferHandlers, types) == 72);

inline constexpr int kNoTag = 255;

// LiteRtAcceleratorDef: the data symbol LiteRtAcceleratorImpl.
struct AcceleratorDefinition {
  Header header;
  int (*get_name)(Accelerator accelerator, const char** name);
  int (*get_version)(Accelerator accelerator, ApiVersion* version);
  int (*get_hardware_support)(Accelerator accelerator, int* hardware);
  int (*is_responsible_for_jit_compilation)(Accelerator accelerator, bool* is);
  int (*create_delegate)(const void* runtime_context, Environment environment,
                         Accelerator accelerator, Options options,
                         DelegateWrapper* wrapper);
  void* start_metrics_collection;
  void* stop_metrics_collection;
  BufferHandlers buffer_handlers;
};
static_assert(!kIs64Bit || sizeof(AcceleratorDefinition) == 200);
static_assert(!kIs64Bit ||
              offsetof(AcceleratorDefinition, create_delegate) == 40);
static_assert(!kIs64Bit ||
              offsetof(AcceleratorDefinition, buffer_handlers) == 64);

// --- LiteRT's GPU options as the delegate's ----------------------------------

// The mapped options of one model.
struct MappedOptions {
  // Points to `texts`.
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  // One sentence for each deviation from the request.
  std::vector<std::string> warnings;
  // LiteRT's keys that this library does not know.
  std::vector<std::string> unknown_keys;
  std::vector<std::unique_ptr<std::string>> texts;
};

// `toml`: the text of LiteRT's "gpu_options"; "": all defaults. docs/litert.md
// lists the keys and their meaning. kInvalidArgument: not TOML, with the line;
// or a value of the wrong type or out of range.
absl::StatusOr<MappedOptions> FromGpuOptions(absl::string_view toml);

}  // namespace gles_delegate::litert

extern "C" {

// For LiteRT 2.2 and newer. Its functions may be called on any thread.
GLES_DELEGATE_EXPORT extern const gles_delegate::litert::AcceleratorDefinition
    LiteRtAcceleratorImpl;

// For older versions, which do not know the struct's version. Refuses, and
// prints the LiteRT version that is needed to stderr.
GLES_DELEGATE_EXPORT int LiteRtRegisterGpuAccelerator(
    gles_delegate::litert::Environment environment);

}  // extern "C"

#endif  // GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_ACCELERATOR_H_
