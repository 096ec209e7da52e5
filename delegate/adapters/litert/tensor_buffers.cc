#include "delegate/adapters/litert/tensor_buffers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "delegate/tflite/runtime_buffers.h"

namespace gles_delegate::litert {
namespace {

// LiteRtTensorBufferType: 100 to 199 are custom.
constexpr int kHostMemory = 1;
constexpr int kFirstCustom = 100, kLastCustom = 199;
constexpr int kOwnType = 150;
// LiteRtTensorBufferLockMode.
constexpr int kLockRead = 0, kLockWrite = 1;

const GlesTensorBufferFunctions& Functions() {
  return *GlesDelegatePrivateTensorBuffers();
}

}  // namespace

// HwMemoryInfo: LiteRT reads the two pointers, and gives back the first as the
// buffer's handle.
struct MemoryInfo {
  void* memory_handle;
  void* raw_handle;
};

namespace {

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

// LiteRtRuntimeContext, a struct of functions, by their offsets.
template <typename... Arguments>
int Call(const void* runtime, size_t offset, Arguments... arguments) {
  int (*function)(Arguments...) = nullptr;
  std::memcpy(&function, static_cast<const char*>(runtime) + offset,
              sizeof(function));
  return function == nullptr ? kUnsupported : function(arguments...);
}

constexpr size_t kCreateRequirements = 8, kGetBuffer = 16,
                 kRegisterRequirements = 48, kDestroyBuffer = 176,
                 kGetType = 184, kGetSize = 200, kLockBuffer = 224,
                 kUnlockBuffer = 232, kGetCustomHandle = 264, kHasEvent = 296,
                 kGetEvent = 304, kWaitForEvent = 384;

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
  void (*destroy)(void*) = nullptr;
  std::memcpy(&destroy, static_cast<const char*>(runtime) + kDestroyBuffer,
              sizeof(destroy));
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

}  // namespace

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

void UseTensorBuffers(const void* runtime_context, TfLiteDelegate* delegate) {
  Header header;
  std::memcpy(&header, runtime_context, sizeof(header));
  if (header.struct_size < kWaitForEvent + sizeof(void*)) return;
  const GlesRuntimeBuffers buffers = {runtime_context, Require, Find,
                                      UnlockFound};
  (void)Functions().use(delegate, &buffers);
}

}  // namespace gles_delegate::litert
