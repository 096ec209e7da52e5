// An accelerator of LiteRT for tests, which negates on the CPU, and which names
// LiteRT the memory that its inputs and outputs want, as
// libLiteRtGpuAccelerator.so does not (docs/decisions/0008): so that the reason
// is measured with each LiteRT. REQUIREMENTS_PROBE=silent: it names none.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/adapters/litert/abi.h"
#include "delegate/tflite/simple_delegate.h"

namespace gles_delegate::litert {
namespace {

constexpr int kHostMemory = 1;
constexpr int kRead = 0, kWrite = 1;
constexpr auto kBufferContext = static_cast<TfLiteExternalContextType>(4);

bool NamesRequirements() {
  const char* text = std::getenv("REQUIREMENTS_PROBE");
  return text == nullptr || std::string(text) != "silent";
}

// LiteRT's functions, by their offsets in its runtime context.
class Runtime {
 public:
  explicit Runtime(const void* context) : context_(context) {}

  absl::Status Require(TfLiteContext* context, TfLiteTensor& tensor) const {
    constexpr size_t kCreate = 8, kRegister = 48;
    const int types[] = {kHostMemory};
    void* requirements = nullptr;
    auto s = Check(Call<int, const int*, size_t, int, const uint32_t*, void**>(
        kCreate, 1, types, tensor.bytes, 0, nullptr, &requirements));
    if (!s.ok()) return s;
    return Check(Call<void*, void*, void*>(kRegister, Buffers(context), &tensor,
                                           requirements));
  }
  // The tensor's memory, to be let go of by Unlock().
  absl::StatusOr<float*> Lock(TfLiteContext* context, TfLiteTensor& tensor,
                              int mode, void** buffer) const {
    constexpr size_t kGetBuffer = 16, kLock = 224;
    auto s = Check(Call<void*, void*, void**>(kGetBuffer, Buffers(context),
                                              &tensor, buffer));
    if (!s.ok()) return s;
    void* data = nullptr;
    s = Check(Call<void*, void**, int>(kLock, *buffer, &data, mode));
    if (!s.ok()) return s;
    return static_cast<float*>(data);
  }
  void Unlock(void* buffer) const {
    constexpr size_t kUnlock = 232;
    Call<void*>(kUnlock, buffer);
  }
  int Wrap(TfLiteDelegate* delegate, DelegateWrapper* wrapper) const {
    constexpr size_t kWrap = 144;
    return Call<TfLiteDelegate*, void (*)(TfLiteDelegate*), void*>(
        kWrap, delegate, DeleteWrapped, wrapper);
  }

 private:
  template <typename... Arguments>
  int Call(size_t offset, Arguments... arguments) const {
    int (*function)(Arguments...) = nullptr;
    std::memcpy(&function, static_cast<const char*>(context_) + offset,
                sizeof(function));
    return function(arguments...);
  }
  static absl::Status Check(int status) {
    return status == kOk
               ? absl::OkStatus()
               : absl::InternalError(absl::StrCat("LiteRT: status ", status));
  }
  static void* Buffers(TfLiteContext* context) {
    return context->GetExternalContext(context, kBufferContext);
  }
  const void* context_;
};

// One node, NEG.
class ProbeKernel final : public SimpleDelegateKernel {
 public:
  ProbeKernel(Runtime runtime, ModelPartition partition)
      : runtime_(runtime), partition_(std::move(partition)) {}

  absl::Status Prepare(TfLiteContext* context) override {
    TfLiteTensor &in = Input(context), &out = Output(context);
    const size_t bytes = sizeof(int) * (in.dims->size + 1);
    auto* dims = static_cast<TfLiteIntArray*>(std::malloc(bytes));
    std::memcpy(dims, in.dims, bytes);
    if (context->ResizeTensor(context, &out, dims) != kTfLiteOk) {
      return absl::InternalError("ResizeTensor");
    }
    if (!NamesRequirements()) return absl::OkStatus();
    if (auto s = runtime_.Require(context, in); !s.ok()) return s;
    return runtime_.Require(context, out);
  }

  absl::StatusOr<bool> Submit(TfLiteContext* context, bool) override {
    TfLiteTensor &in = Input(context), &out = Output(context);
    const size_t count = in.bytes / sizeof(float);
    if (!NamesRequirements()) {
      Negate(in.data.f, out.data.f, count);
      return false;
    }
    void *from_buffer = nullptr, *to_buffer = nullptr;
    auto from = runtime_.Lock(context, in, kRead, &from_buffer);
    if (!from.ok()) return from.status();
    auto to = runtime_.Lock(context, out, kWrite, &to_buffer);
    if (!to.ok()) return to.status();
    Negate(*from, *to, count);
    runtime_.Unlock(from_buffer);
    runtime_.Unlock(to_buffer);
    return false;
  }
  absl::Status Wait(TfLiteContext*) override { return absl::OkStatus(); }
  GpuQueue* queue() override { return nullptr; }  // without a worker

 private:
  static void Negate(const float* from, float* to, size_t count) {
    for (size_t i = 0; i < count; ++i) to[i] = -from[i];
  }
  TfLiteTensor& Input(TfLiteContext* context) const {
    return context->tensors[partition_.inputs[0]];
  }
  TfLiteTensor& Output(TfLiteContext* context) const {
    return context->tensors[partition_.outputs[0]];
  }
  const Runtime runtime_;
  const ModelPartition partition_;
};

class ProbeDelegate final : public SimpleDelegate {
 public:
  explicit ProbeDelegate(Runtime runtime) : runtime_(runtime) {}

  const char* Name() const override { return "RequirementsProbe"; }
  absl::Status Initialize(TfLiteContext*, const ContextOrError&) override {
    return absl::OkStatus();
  }
  absl::Status IsNodeSupported(int) override { return absl::OkStatus(); }
  std::vector<ModelPartition> ChoosePartitions(
      TfLiteContext*, std::vector<ModelPartition> partitions) override {
    return partitions;
  }
  absl::StatusOr<std::unique_ptr<SimpleDelegateKernel>> CreateKernel(
      TfLiteContext*, const ModelPartition& partition) override {
    return std::make_unique<ProbeKernel>(runtime_, partition);
  }
  absl::Status BindObject(int, const TfLiteGlesObject*) override {
    return absl::UnimplementedError("nothing is bound");
  }
  void Finish(TfLiteContext*, const absl::Status&) override {}
  const char* Report() override { return "{}"; }

 private:
  const Runtime runtime_;
};

int GetName(Accelerator, const char** name) {
  *name = "RequirementsProbe";
  return kOk;
}
int GetVersion(Accelerator, ApiVersion* version) {
  *version = {kMajor, 0, 0};
  return kOk;
}
int GetHardwareSupport(Accelerator, int* hardware) {
  *hardware = kGpu;
  return kOk;
}
int IsResponsible(Accelerator, bool* is) {
  *is = true;
  return kOk;
}
int CreateDelegate(const void* context, Environment, Accelerator, Options,
                   DelegateWrapper* wrapper) {
  const Runtime runtime(context);
  return runtime.Wrap(WrapDelegate(std::make_unique<ProbeDelegate>(runtime)),
                      wrapper);
}

}  // namespace
}  // namespace gles_delegate::litert

extern "C" __attribute__((visibility("default")))
const gles_delegate::litert::AcceleratorDefinition LiteRtAcceleratorImpl = {
    {sizeof(gles_delegate::litert::AcceleratorDefinition),
     gles_delegate::litert::kMajor, 0, 0},
    gles_delegate::litert::GetName,
    gles_delegate::litert::GetVersion,
    gles_delegate::litert::GetHardwareSupport,
    gles_delegate::litert::IsResponsible,
    gles_delegate::litert::CreateDelegate,
    nullptr,
    nullptr,
    {{sizeof(gles_delegate::litert::BufferHandlers),
      gles_delegate::litert::kMajor, 0, 0},
     {},
     gles_delegate::litert::kNoTag,
     gles_delegate::litert::kNoTag,
     0,
     {}}};
