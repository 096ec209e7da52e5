// The exported functions: the C boundary and nothing more.
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "delegate/cpu_ops/custom_ops.h"
#include "delegate/graph/printable.h"
#include "delegate/tflite/gles_simple_delegate.h"
#include "delegate/tflite/options.h"
#include "delegate/tflite/report.h"
#include "delegate/tflite/runtime_buffers.h"
#include "delegate/tflite/simple_delegate.h"
#include "egl/context.h"
#include "egl/gl_api.h"
#include "egl/process.h"
#include "gles_delegate/gles_delegate.h"

namespace {

using gles_delegate::GlesSimpleDelegate;
using gles_delegate::Options;
using gles_delegate::egl::Caught;

constexpr char kPrefix[] = "TfLiteGlesDelegate: ";

std::string& LastError() {
  thread_local std::string error;
  return error;
}

// fn's result, as kTfLiteOk, or kTfLiteError with the reason as the last error.
int32_t Result(absl::FunctionRef<absl::Status()> fn) {
  const absl::Status status = Caught(fn);
  (void)Caught([&status] {
    LastError().clear();
    if (!status.ok()) {
      LastError() =
          gles_delegate::Printable(absl::StrCat(kPrefix, status.message()));
    }
    return absl::OkStatus();
  });
  return status.ok() ? kTfLiteOk : kTfLiteError;
}

// nullptr, with the last error, if there are no such options.
TfLiteDelegate* Create(absl::FunctionRef<absl::StatusOr<Options>()> read) {
  TfLiteDelegate* delegate = nullptr;
  (void)Result([&]() -> absl::Status {
    ASSIGN_OR_RETURN(Options options, read());
    if (!options.fallback_to_cpu) {
      RETURN_IF_ERROR(gles_delegate::egl::CheckDriverProcess());
    }
    delegate = gles_delegate::WrapDelegate(
        std::make_unique<GlesSimpleDelegate>(std::move(options)));
    return absl::OkStatus();
  });
  return delegate;
}

// Runs fn with a delegate of this library, on its thread.
absl::Status On(TfLiteDelegate* delegate,
                absl::FunctionRef<absl::Status(GlesSimpleDelegate&)> fn) {
  return gles_delegate::OnItsThread(
      delegate, [&fn](gles_delegate::SimpleDelegate& own) {
        return fn(static_cast<GlesSimpleDelegate&>(own));
      });
}

absl::Status Bind(TfLiteDelegate* delegate, int32_t tensor,
                  const TfLiteGlesObject* object) {
  return On(delegate, [&](GlesSimpleDelegate& own) {
    return own.BindObject(tensor, object);
  });
}

}  // namespace

void TfLiteGlesDelegateOptionsInit(TfLiteGlesDelegateOptions* options,
                                   size_t struct_size) {
  gles_delegate::InitOptions(options, struct_size);
}

void TfLiteGlesDelegateBestOptionsInit(TfLiteGlesDelegateOptions* options,
                                       size_t struct_size) {
  gles_delegate::InitBestOptions(options, struct_size);
}

const char* TfLiteGlesDelegateBestOptionsText(void) {
  return gles_delegate::BestOptionsText();
}

int32_t TfLiteGlesDelegateIsSupported(
    const TfLiteGlesDelegateOptions* options) {
  const int32_t found = Result([options] {
    const TfLiteGlesDelegateOptions best = TfLiteGlesDelegateBestOptions();
    auto read =
        gles_delegate::OptionsFrom(options == nullptr ? &best : options);
    if (!read.ok()) return read.status();
    read->gpu.context.display = EGL_NO_DISPLAY;
    return gles_delegate::egl::Context::CanCreate(read->gpu.context);
  });
  return found == kTfLiteOk ? 1 : 0;
}

TfLiteDelegate* TfLiteGlesDelegateCreate(
    const TfLiteGlesDelegateOptions* options) {
  return TfLiteGlesDelegateCreateOnDisplay(options, /*egl_display=*/nullptr);
}

TfLiteDelegate* TfLiteGlesDelegateCreateOnDisplay(
    const TfLiteGlesDelegateOptions* options, void* egl_display) {
  return Create([&] {
    const TfLiteGlesDelegateOptions defaults =
        TfLiteGlesDelegateOptionsDefault();
    auto read =
        gles_delegate::OptionsFrom(options == nullptr ? &defaults : options);
    if (read.ok()) read->gpu.context.display = egl_display;
    return read;
  });
}

TfLiteDelegate* TfLiteGlesDelegateCreateRefusal(const char* reason) {
  TfLiteDelegate* delegate = nullptr;
  (void)Caught([&] {
    delegate = gles_delegate::WrapDelegate(std::make_unique<GlesSimpleDelegate>(
        Options(),
        absl::FailedPreconditionError(absl::NullSafeStringView(reason))));
    return absl::OkStatus();
  });
  return delegate;
}

void TfLiteGlesDelegateDelete(TfLiteDelegate* delegate) {
  gles_delegate::DeleteWrapped(delegate);
}

const char* TfLiteGlesDelegateLastError(void) { return LastError().c_str(); }

const char* TfLiteGlesDelegateReport(TfLiteDelegate* delegate) {
  thread_local std::string texts;
  std::string& of_thread = texts;  // of this one, not the worker's
  const char* text = nullptr;
  (void)Result([&] {
    return On(delegate, [&](GlesSimpleDelegate& own) {
      text = own.Report();
      if (own.worker() != nullptr) text = (of_thread = text).c_str();
      return absl::OkStatus();
    });
  });
  return text;
}

void TfLiteGlesDelegateObjectInit(TfLiteGlesObject* object,
                                  size_t struct_size) {
  gles_delegate::InitObject(object, struct_size);
}

int32_t TfLiteGlesDelegateBindObject(TfLiteDelegate* delegate,
                                     int32_t tensor_index,
                                     const TfLiteGlesObject* object) {
  return Result([&] {
    auto whole = gles_delegate::WholeObject(object);
    return whole.ok() ? Bind(delegate, tensor_index, &*whole) : whole.status();
  });
}

int32_t TfLiteGlesDelegateUnbindObject(TfLiteDelegate* delegate,
                                       int32_t tensor_index) {
  return Result([&] { return Bind(delegate, tensor_index, nullptr); });
}

const TfLiteGlesCustomOp* TfLiteGlesDelegateCustomOps(size_t* count) {
  const absl::Span<const TfLiteGlesCustomOp> ops = gles_delegate::CustomOps();
  if (count != nullptr) *count = ops.size();
  return ops.data();
}

void TfLiteGlesDelegateRegisterCustomOps(
    TfLiteInterpreterOptions* options,
    void (*add_custom_op)(TfLiteInterpreterOptions*, const char*,
                          const TfLiteRegistration*, int32_t, int32_t)) {
  for (const TfLiteGlesCustomOp& op : gles_delegate::CustomOps()) {
    add_custom_op(options, op.name, op.registration, op.version, op.version);
  }
}

const char* TfLiteGlesDelegateDevices(void) {
  thread_local std::string text;
  text.clear();
  (void)Caught([] {
    using gles_delegate::Json;
    Json devices = Json::Array();
    for (const auto& report : gles_delegate::egl::ListDisplays()) {
      devices.Add({{"index", report.index},
                   {"description", report.description},
                   {"renderer", report.renderer},
                   {"version", report.version},
                   {"software", report.software},
                   {"error", report.error}});
    }
    text = devices.Text();
    return absl::OkStatus();
  });
  return text.empty() ? "[]" : text.c_str();
}

const char* TfLiteGlesDelegateVersion(void) { return GLES_DELEGATE_VERSION; }

TfLiteDelegate* tflite_plugin_create_delegate(
    char** options_keys, char** options_values, size_t num_options,
    void (*report_error)(const char*)) {
  TfLiteDelegate* delegate = Create([&] {
    std::vector<std::pair<absl::string_view, absl::string_view>> pairs;
    for (size_t i = 0; i < num_options; ++i) {
      if (options_keys[i] == nullptr) continue;
      pairs.emplace_back(options_keys[i],
                         options_values[i] == nullptr ? "" : options_values[i]);
    }
    return gles_delegate::OptionsFrom(pairs);
  });
  if (delegate != nullptr) return delegate;
  if (report_error != nullptr) {
    report_error(TfLiteGlesDelegateLastError());
    return nullptr;
  }
  // TFLite's own C loaders of 2.9 to 2.14 pass no report_error and call the
  // delegate without looking whether there is one: they get one that says why.
  return TfLiteGlesDelegateCreateRefusal(
      absl::StripPrefix(TfLiteGlesDelegateLastError(), kPrefix).data());
}

void tflite_plugin_destroy_delegate(TfLiteDelegate* delegate) {
  TfLiteGlesDelegateDelete(delegate);
}

// --- Buffers of a runtime ----------------------------------------------------

namespace {

using gles_delegate::TensorBuffer;

// nullptr: no memory.
void* CreateBuffer(size_t bytes) {
  TensorBuffer* made = nullptr;
  (void)Caught([&] {
    made = new TensorBuffer(bytes);
    return absl::OkStatus();
  });
  return made;
}
void DestroyBuffer(void* buffer) { delete static_cast<TensorBuffer*>(buffer); }
int LockBuffer(void* buffer, int reads, int writes, void** memory) {
  const absl::Status locked = Caught([&] {
    auto held =
        static_cast<TensorBuffer*>(buffer)->Lock(reads != 0, writes != 0);
    if (held.ok()) *memory = held->data;
    return held.status();
  });
  return locked.ok() ? 0 : 1;
}
void UnlockBuffer(void* buffer) {
  static_cast<TensorBuffer*>(buffer)->Unlock();
}
int ClearBuffer(void* buffer) {
  void* memory = nullptr;
  if (LockBuffer(buffer, /*reads=*/0, /*writes=*/1, &memory) != 0) return 1;
  std::memset(memory, 0, static_cast<TensorBuffer*>(buffer)->bytes());
  UnlockBuffer(buffer);
  return 0;
}
int UseBuffers(TfLiteDelegate* delegate, const GlesRuntimeBuffers* buffers) {
  const absl::Status used = Caught([&]() -> absl::Status {
    ASSIGN_OR_RETURN(auto* const own, gles_delegate::Unwrapped(delegate));
    return static_cast<GlesSimpleDelegate*>(own)->UseBuffersOfRuntime(*buffers);
  });
  return used.ok() ? 0 : 1;
}

}  // namespace

const GlesTensorBufferFunctions* GlesDelegatePrivateTensorBuffers(void) {
  static constexpr GlesTensorBufferFunctions kFunctions = {
      CreateBuffer, DestroyBuffer, LockBuffer,
      UnlockBuffer, ClearBuffer,   UseBuffers};
  return &kFunctions;
}
