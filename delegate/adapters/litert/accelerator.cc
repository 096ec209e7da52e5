// libLiteRtGpuAccelerator.so: the GPU of LiteRT's CompiledModel, by the
// functions of libgles_delegate.so.
#include "delegate/adapters/litert/accelerator.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <set>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/tflite/runtime_buffers.h"
#include "egl/gl_api.h"
#include "egl/process.h"

struct TfLiteDelegate;

namespace gles_delegate::litert {
namespace {

// --- The LiteRT runtime that loaded the accelerator --------------------------

// The functions that are called of LiteRtRuntimeContext, a struct of function
// pointers that LiteRT owns and that outlives each delegate; by their offsets
// in bytes.
constexpr size_t kCreateRequirements = 8, kGetBuffer = 16,
                 kRegisterRequirements = 48, kGetOpaqueOptions = 80,
                 kFindOpaqueOptionsData = 88, kGetEnvironmentOptions = 104,
                 kGetEnvironmentOptionsValue = 112, kWrapDelegate = 144,
                 kDestroyBuffer = 176, kGetType = 184, kGetSize = 200,
                 kLockBuffer = 224, kUnlockBuffer = 232, kGetCustomHandle = 264,
                 kHasEvent = 296, kGetEvent = 304, kWaitForEvent = 384;

Header HeaderOf(const void* runtime) {
  Header header;
  std::memcpy(&header, runtime, sizeof(header));
  return header;
}

// Null if the struct ends before the member or the member is null, so that
// older and newer versions are safe.
template <typename Function>
Function* At(const void* runtime, size_t offset) {
  Function* function = nullptr;
  if (offset + sizeof(function) <= HeaderOf(runtime).struct_size) {
    std::memcpy(&function, static_cast<const char*>(runtime) + offset,
                sizeof(function));
  }
  return function;
}

template <typename... Arguments>
int Call(const void* runtime, size_t offset, Arguments... arguments) {
  auto* function = At<int(Arguments...)>(runtime, offset);
  return function == nullptr ? kUnsupported : function(arguments...);
}

// kInvalidArgument: null. kFailedPrecondition: an unknown major version, or a
// struct too short to make a delegate with.
absl::Status CheckRuntime(const void* runtime) {
  if (runtime == nullptr) return Invalid("LiteRT gave no runtime context");
  const Header header = HeaderOf(runtime);
  const std::string version = absl::StrCat(
      header.major, ".", header.minor, " of ", header.struct_size, " bytes");
  if (header.major != kMajor) {
    return FailedPrecondition("LiteRT's runtime context has version ", version,
                              ", and this library knows ", kMajor,
                              ".x: install a newer gles_delegate");
  }
  if (At<void()>(runtime, kWrapDelegate) == nullptr) {
    return FailedPrecondition(
        "LiteRT's runtime context has version ", version,
        ", without a function at ", kWrapDelegate,
        " that takes a delegate: install LiteRT 2.2 or newer");
  }
  return absl::OkStatus();
}

// The program's GPU options as TOML text; "" if there are none. `options` may
// be null. kUnavailable: LiteRT has options but cannot find them.
absl::StatusOr<std::string> GpuOptions(const void* runtime, Options options) {
  auto* find =
      At<int(void*, const char*, void**)>(runtime, kFindOpaqueOptionsData);
  void *opaque = nullptr, *data = nullptr;
  if (options == nullptr || find == nullptr ||
      Call(runtime, kGetOpaqueOptions, options, &opaque) != kOk ||
      opaque == nullptr) {
    return "";
  }
  const int status = find(opaque, "gpu_options", &data);
  if (status == kNotFound) return "";
  if (status != kOk) {
    return Unavailable("LiteRT cannot give its GPU options (status ", status,
                       ")");
  }
  return data == nullptr ? std::string() : static_cast<const char*>(data);
}

// The environment's pointer for `tag`, or null.
const void* EnvironmentPointer(const void* runtime, Environment environment,
                               EnvironmentTag tag) {
  void* options = nullptr;
  Any any = {};
  if (environment == nullptr ||
      Call(runtime, kGetEnvironmentOptions, environment, &options) != kOk ||
      options == nullptr ||
      Call<void*, int, Any*>(runtime, kGetEnvironmentOptionsValue, options, tag,
                             &any) != kOk ||
      any.type == 0) {
    return nullptr;
  }
  // Programs store EGL's handles as pointers or as integers of their size.
  return any.pointer;
}

// --- TensorBuffers, which the GPU accesses without copies (docs/litert.md) ---

// LiteRtTensorBufferType: 100 to 199 are custom.
constexpr int kHostMemory = 1;
constexpr int kFirstCustom = 100, kLastCustom = 199;
constexpr int kOwnType = 150;
// LiteRtTensorBufferLockMode.
constexpr int kLockRead = 0, kLockWrite = 1;

const GlesTensorBufferFunctions& Functions() {
  return *GlesDelegatePrivateTensorBuffers();
}

// After a resize LiteRT takes `bytes` from the old shape and `packed_bytes`
// from the new one.
int Create(void*, void*, const void*, int type, size_t bytes,
           size_t packed_bytes, MemoryInfo** info) {
  if (info == nullptr || type != kOwnType) return kInvalidArgument;
  void* buffer = Functions().create(std::max(bytes, packed_bytes));
  if (buffer == nullptr) return kRuntimeFailure;
  *info = new (std::nothrow) MemoryInfo{buffer, buffer};
  if (*info != nullptr) return kOk;
  Functions().destroy(buffer);
  return kRuntimeFailure;
}

int Destroy(MemoryInfo* info) {
  if (info == nullptr) return kInvalidArgument;
  Functions().destroy(info->memory_handle);
  delete info;
  return kOk;
}

int Lock(MemoryInfo* info, int mode, void** memory) {
  if (info == nullptr || memory == nullptr) return kInvalidArgument;
  return Functions().lock(info->memory_handle, mode != kLockWrite,
                          mode != kLockRead, memory) == 0
             ? kOk
             : kRuntimeFailure;
}

int Unlock(MemoryInfo* info) {
  if (info == nullptr) return kInvalidArgument;
  Functions().unlock(info->memory_handle);
  return kOk;
}

int Clear(MemoryInfo* info) {
  if (info == nullptr) return kInvalidArgument;
  return Functions().clear(info->memory_handle) == 0 ? kOk : kRuntimeFailure;
}

// Those that can be locked, the one that LiteRT is to make first.
std::array<int, kLastCustom - kFirstCustom + 2> LockedTypes() {
  std::array<int, kLastCustom - kFirstCustom + 2> types = {kOwnType,
                                                           kHostMemory};
  auto next = types.begin() + 2;
  for (int type = kFirstCustom; type <= kLastCustom; ++type) {
    if (type != kOwnType) *next++ = type;
  }
  return types;
}

int Require(const void* runtime, void* buffers, void* tensor, size_t bytes) {
  if (buffers == nullptr) return kUnsupported;
  const auto types = LockedTypes();
  void* requirements = nullptr;
  const int made = Call<int, const int*, size_t, int, const uint32_t*, void**>(
      runtime, kCreateRequirements, types.size(), types.data(), bytes, 0,
      nullptr, &requirements);
  if (made != kOk) return made;
  return Call<void*, void*, void*>(runtime, kRegisterRequirements, buffers,
                                   tensor, requirements);
}

// Gives back what kGetBuffer has given.
void Return(const void* runtime, void* found) {
  auto* destroy = At<void(void*)>(runtime, kDestroyBuffer);
  if (destroy != nullptr) destroy(found);
}

// As locking does.
int AwaitEvent(const void* runtime, void* found) {
  bool has_event = false;
  const int status = Call<void*, bool*>(runtime, kHasEvent, found, &has_event);
  if (status != kOk || !has_event) return status;
  void* event = nullptr;
  const int got = Call<void*, void**>(runtime, kGetEvent, found, &event);
  return got == kOk ? Call<void*, int64_t>(runtime, kWaitForEvent, event,
                                           /*timeout_ms=*/-1)
                    : got;
}

int FindOwn(const void* runtime, void* found, void** buffer) {
  const int status = AwaitEvent(runtime, found);
  if (status != kOk) return status;
  return Call<void*, void**>(runtime, kGetCustomHandle, found, buffer);
}

int LockFound(const void* runtime, void* found, int writes, void** memory,
              size_t* bytes) {
  const int status = Call<void*, size_t*>(runtime, kGetSize, found, bytes);
  if (status != kOk) return status;
  return Call<void*, void**, int>(runtime, kLockBuffer, found, memory,
                                  writes != 0 ? kLockWrite : kLockRead);
}

int Find(const void* runtime, void* buffers, void* tensor, int writes,
         void** buffer, void** memory, size_t* bytes, void** locked) {
  void* found = nullptr;
  int status =
      Call<void*, void*, void**>(runtime, kGetBuffer, buffers, tensor, &found);
  if (status != kOk) return status;
  int type = 0;
  status = Call<void*, int*>(runtime, kGetType, found, &type);
  if (status == kOk && type != kOwnType) {
    status = LockFound(runtime, found, writes, memory, bytes);
    if (status == kOk) {
      *locked = found;
      return kOk;
    }
  } else if (status == kOk) {
    status = FindOwn(runtime, found, buffer);
  }
  Return(runtime, found);
  return status;
}

void UnlockFound(const void* runtime, void* locked) {
  (void)Call<void*>(runtime, kUnlockBuffer, locked);
  Return(runtime, locked);
}

// The functions by which LiteRT makes, locks and deletes such buffers: for
// AcceleratorDefinition, constant-initialised.
const BufferHandlers kBufferHandlers = {{sizeof(BufferHandlers), kMajor, 0, 0},
                                        Create,
                                        Destroy,
                                        Lock,
                                        Unlock,
                                        Clear,
                                        nullptr,  // import
                                        kNoTag,
                                        kNoTag,
                                        1,
                                        {kOwnType}};

void Say(absl::string_view text) {
  std::fprintf(stderr, "%.*s.\n", static_cast<int>(text.size()), text.data());
}

// Names each key once in the life of the process: a server compiles many
// models with the same options.
void NameOnce(const std::vector<std::string>& keys) {
  static std::mutex mutex;
  static auto* named = new std::set<std::string>;  // outlives exit handlers
  std::vector<std::string> fresh;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    for (const std::string& key : keys) {
      if (named->insert(key).second) fresh.push_back(key);
    }
  }
  if (fresh.empty()) return;
  Say(absl::StrCat(
      "WARNING: libLiteRtGpuAccelerator: GPU options of LiteRT that are not "
      "known here and have no effect: ",
      absl::StrJoin(fresh, ", ")));
}

int ToLiteRt(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kOk;
    case absl::StatusCode::kInvalidArgument:
      return kInvalidArgument;
    case absl::StatusCode::kFailedPrecondition:
      return kWrongVersion;
    default:
      return kRuntimeFailure;
  }
}

// The delegate's thread: the app's, in the app's context, if the program gave
// LiteRT one that is current here, as with an interpreter; otherwise its own,
// since a CompiledModel may run on any thread.
int ThreadMode(const void* runtime, Environment environment) {
  const void* context = EnvironmentPointer(runtime, environment, kEglContext);
  if (context != nullptr && egl::LoadGl().ok() &&
      egl::egl().GetCurrentContext() == context) {
    return kTfLiteGlesThreadCaller;
  }
  if (context != nullptr) {
    Say("WARNING: libLiteRtGpuAccelerator: the environment's EGL context is "
        "not current on this thread, so that the model runs in a context of "
        "its own");
  }
  return kTfLiteGlesThreadWorker;
}

absl::Status Create(const void* runtime, Environment environment,
                    Options options, DelegateWrapper* wrapper) {
  if (wrapper == nullptr) {
    return Invalid("LiteRT gave no place for the delegate");
  }
  RETURN_IF_ERROR(CheckRuntime(runtime));
  ASSIGN_OR_RETURN(const std::string toml, GpuOptions(runtime, options));
  ASSIGN_OR_RETURN(MappedOptions mapped, FromGpuOptions(toml));
  for (const std::string& warning : mapped.warnings) {
    Say(absl::StrCat("WARNING: libLiteRtGpuAccelerator: ", warning));
  }
  NameOnce(mapped.unknown_keys);

  mapped.options.thread_mode = ThreadMode(runtime, environment);
  mapped.options.startup = kTfLiteGlesStartupAuto;
  // A delegate that fails makes the whole compilation fail, even if the program
  // allows the CPU. One that takes no node leaves the decision to LiteRT.
  mapped.options.fallback_to_cpu = 1;
  // Its own context is made on the app's display.
  TfLiteDelegate* delegate = TfLiteGlesDelegateCreateOnDisplay(
      &mapped.options,
      const_cast<void*>(EnvironmentPointer(runtime, environment, kEglDisplay)));
  if (delegate == nullptr) {
    return absl::InvalidArgumentError(TfLiteGlesDelegateLastError());
  }
  // Locking copies on the delegate's thread, so there must be one. Older
  // versions of LiteRT have no such buffers.
  if (mapped.options.thread_mode == kTfLiteGlesThreadWorker &&
      HeaderOf(runtime).struct_size >= kWaitForEvent + sizeof(void*)) {
    const GlesRuntimeBuffers buffers = {runtime, Require, Find, UnlockFound};
    (void)Functions().use(delegate, &buffers);
  }
  using Deleter = void (*)(TfLiteDelegate*);
  const int status = Call<TfLiteDelegate*, Deleter, DelegateWrapper*>(
      runtime, kWrapDelegate, delegate, TfLiteGlesDelegateDelete, wrapper);
  if (status == kOk) return absl::OkStatus();
  TfLiteGlesDelegateDelete(delegate);
  return Unavailable("LiteRT does not take the delegate (status ", status, ")");
}

// The accelerator's name in LiteRT's log.
constexpr const char* kName = "GPU OpenGL ES (gles_delegate)";
// The version of the ABI, by which LiteRT compares accelerators.
constexpr ApiVersion kVersion = {kMajor, 0, 0};
// LiteRT need not compile the model before it asks for the delegate.
constexpr bool kCompiles = true;

// A function of AcceleratorDefinition that gives a constant.
template <const auto& kValue>
int Give(Accelerator, std::decay_t<decltype(kValue)>* value) {
  if (value == nullptr) return kInvalidArgument;
  *value = kValue;
  return kOk;
}

int CreateDelegate(const void* runtime_context, Environment environment,
                   Accelerator, Options options, DelegateWrapper* wrapper) {
  const absl::Status status = egl::Caught([&] {
    absl::Status created =
        Create(runtime_context, environment, options, wrapper);
    if (!created.ok()) {
      Say(absl::StrCat("ERROR: libLiteRtGpuAccelerator: ", created.message()));
    }
    return created;
  });
  return ToLiteRt(status);
}

}  // namespace

}  // namespace gles_delegate::litert

extern "C" {

using namespace gles_delegate::litert;  // NOLINT: C functions have no namespace

const AcceleratorDefinition LiteRtAcceleratorImpl = {
    {sizeof(AcceleratorDefinition), kMajor, 0, 0},
    Give<kName>,
    Give<kVersion>,
    Give<kGpu>,
    Give<kCompiles>,
    CreateDelegate,
    /*start_metrics_collection=*/nullptr,
    /*stop_metrics_collection=*/nullptr,
    kBufferHandlers,
};

// LiteRT calls this function if it does not know the struct above.
int LiteRtRegisterGpuAccelerator(Environment) {
  Say("ERROR: libLiteRtGpuAccelerator: this LiteRT does not take accelerators "
      "of version 1.0: install LiteRT 2.2 or newer");
  return kWrongVersion;
}

}  // extern "C"
