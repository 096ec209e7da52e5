// libLiteRtGpuAccelerator.so: the GPU of LiteRT's CompiledModel, by the
// functions of libgles_delegate.so.
#include "delegate/adapters/litert/accelerator.h"

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/adapters/litert/app_context.h"
#include "delegate/adapters/litert/gpu_options.h"
#include "delegate/adapters/litert/runtime_context.h"
#include "delegate/adapters/litert/tensor_buffers.h"
#include "egl/caught.h"
#include "gles_delegate/gles_delegate.h"

namespace gles_delegate::litert {
namespace {

// The accelerator's name in LiteRT's log.
constexpr char kName[] = "GPU OpenGL ES (gles_delegate)";

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
int ThreadMode(const RuntimeContext& runtime, Environment environment) {
  const void* context = runtime.EnvironmentPointer(environment, kEglContext);
  if (IsCurrentHere(context)) return kTfLiteGlesThreadCaller;
  if (context != nullptr) {
    Say("WARNING: libLiteRtGpuAccelerator: the environment's EGL context is "
        "not current on this thread, so that the model runs in a context of "
        "its own");
  }
  return kTfLiteGlesThreadWorker;
}

absl::Status Create(const void* runtime_context, Environment environment,
                    Options options, DelegateWrapper* wrapper) {
  if (wrapper == nullptr) {
    return absl::InvalidArgumentError("LiteRT gave no place for the delegate");
  }
  ASSIGN_OR_RETURN(const RuntimeContext runtime,
                   RuntimeContext::Read(runtime_context));
  ASSIGN_OR_RETURN(const std::string toml, runtime.GpuOptions(options));
  ASSIGN_OR_RETURN(MappedOptions mapped, FromGpuOptions(toml));
  for (const std::string& warning : mapped.warnings) {
    Say(absl::StrCat("WARNING: libLiteRtGpuAccelerator: ", warning));
  }
  NameOnce(mapped.unknown_keys);

  mapped.options.thread_mode = ThreadMode(runtime, environment);
  // A delegate that fails makes the whole compilation fail, even if the program
  // allows the CPU. One that takes no node leaves the decision to LiteRT.
  mapped.options.fallback_to_cpu = 1;
  // Its own context is made on the app's display.
  TfLiteDelegate* delegate = TfLiteGlesDelegateCreateOnDisplay(
      &mapped.options,
      const_cast<void*>(runtime.EnvironmentPointer(environment, kEglDisplay)));
  if (delegate == nullptr) {
    return absl::InvalidArgumentError(TfLiteGlesDelegateLastError());
  }
  // Locking copies on the delegate's thread, so there must be one.
  if (mapped.options.thread_mode == kTfLiteGlesThreadWorker) {
    UseTensorBuffers(runtime_context, delegate);
  }
  absl::Status wrapped =
      runtime.WrapDelegate(delegate, TfLiteGlesDelegateDelete, wrapper);
  if (!wrapped.ok()) TfLiteGlesDelegateDelete(delegate);
  return wrapped;
}

int GetName(Accelerator, const char** name) {
  if (name == nullptr) return kInvalidArgument;
  *name = kName;
  return kOk;
}

// The version of the ABI, by which LiteRT compares accelerators.
int GetVersion(Accelerator, ApiVersion* version) {
  if (version == nullptr) return kInvalidArgument;
  *version = {kMajor, 0, 0};
  return kOk;
}

int GetHardwareSupport(Accelerator, int* hardware) {
  if (hardware == nullptr) return kInvalidArgument;
  *hardware = kGpu;
  return kOk;
}

// True: LiteRT need not compile the model before it asks for the delegate.
int IsResponsibleForJitCompilation(Accelerator, bool* is) {
  if (is == nullptr) return kInvalidArgument;
  *is = true;
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
    GetName,
    GetVersion,
    GetHardwareSupport,
    IsResponsibleForJitCompilation,
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
