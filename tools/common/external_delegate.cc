// Delegates of libraries with the plugin interface.
#include <dlfcn.h>

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tools/common/tflite_abi.h"
#include "tools/common/tflite_host.h"
#include "tools/common/tflite_library.h"

namespace gles_delegate {
namespace {

using PluginCreate = TfLiteDelegate* (*)(char**, char**, size_t,
                                         void (*)(const char*));
using PluginDestroy = void (*)(TfLiteDelegate*);

// The plugin's report; its callback has no user data.
thread_local std::string* plugin_errors = nullptr;

void CollectPluginError(const char* message) {
  if (plugin_errors == nullptr || message == nullptr) return;
  absl::StrAppend(plugin_errors, plugin_errors->empty() ? "" : "\n", message);
}

absl::StatusOr<void*> Open(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* error = dlerror();
    return absl::NotFoundError(absl::StrCat(
        "Cannot load ", path, ": ", error == nullptr ? "no reason" : error));
  }
  return library;
}

template <typename F>
absl::StatusOr<F> Find(void* library, const std::string& path,
                       const char* symbol) {
  void* address = dlsym(library, symbol);
  if (address == nullptr) {
    return absl::NotFoundError(absl::StrCat(path, " has no symbol ", symbol,
                                            ", so it is no external delegate"));
  }
  return reinterpret_cast<F>(address);
}

}  // namespace

absl::StatusOr<DelegatePtr> MakePluginDelegate(PluginCreate create,
                                               PluginDestroy destroy,
                                               const DelegateOptions& options,
                                               const std::string& failure) {
  std::vector<char*> keys, values;
  for (const auto& [key, value] : options) {
    keys.push_back(const_cast<char*>(key.c_str()));
    values.push_back(const_cast<char*>(value.c_str()));
  }
  std::string errors;
  plugin_errors = &errors;
  TfLiteDelegate* delegate =
      create(keys.data(), values.data(), keys.size(), CollectPluginError);
  plugin_errors = nullptr;
  if (delegate == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(failure, errors.empty() ? "it gave no reason" : errors));
  }
  return DelegatePtr(delegate, destroy);
}

absl::StatusOr<DelegatePtr> LoadExternalDelegate(
    const std::string& library_path, const DelegateOptions& options) {
  ASSIGN_OR_RETURN(void* library, Open(library_path));
  ASSIGN_OR_RETURN(auto create,
                   Find<PluginCreate>(library, library_path,
                                      "tflite_plugin_create_delegate"));
  ASSIGN_OR_RETURN(auto destroy,
                   Find<PluginDestroy>(library, library_path,
                                       "tflite_plugin_destroy_delegate"));

  return MakePluginDelegate(create, destroy, options,
                            library_path + " made no delegate: ");
}

// TFLite's optimised CPU kernels, as a delegate that the C library exports.

namespace {

// TfLiteXNNPackDelegateOptions of 2.9.
struct Options29 {
  int32_t num_threads;
  uint32_t flags;
  void* weights_cache;
};

// The struct of a newer version, whose members behind the first one differ from
// version to version, so that only the library writes them. It is longer than
// two registers, so that a function that returns it writes to memory that the
// caller gives, whatever its exact size is.
struct NewerOptions {
  int32_t num_threads;
  uint32_t others[255];
};

absl::StatusOr<DelegatePtr> Own(TfLiteDelegate* delegate) {
  if (delegate == nullptr) {
    return absl::UnavailableError(
        "TfLiteXNNPackDelegateCreate returned NULL; XNNPACK does not support "
        "this processor");
  }
  return DelegatePtr(delegate, TfLiteXNNPackDelegateDelete);
}

}  // namespace

absl::StatusOr<DelegatePtr> CreateXnnpackDelegate(int num_threads,
                                                  XnnpackQuantized quantized) {
  if (TfliteSymbol("TfLiteXNNPackDelegateCreate") == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("TensorFlow Lite ", TfLiteVersion(), " (",
                     TfliteLibraryPath(), ") was built without XNNPACK"));
  }
  auto* get_flags = AsFunction<uint32_t(TfLiteDelegate*)>(
      TfliteSymbol("TfLiteXNNPackDelegateGetFlags"));
  auto* defaults = AsFunction<NewerOptions()>(
      TfliteSymbol("TfLiteXNNPackDelegateOptionsDefault"));
  if (get_flags == nullptr || defaults == nullptr) {
    // Members that a version before get_flags appended are zero.
    struct {
      Options29 options;
      uint64_t appended[8];
    } options = {{num_threads, quantized, nullptr}, {}};
    return Own(TfLiteXNNPackDelegateCreate(&options));
  }
  NewerOptions options = defaults();
  options.num_threads = num_threads;
  auto delegate = Own(TfLiteXNNPackDelegateCreate(&options));
  if (!delegate.ok()) return delegate;
  const uint32_t flags = get_flags(delegate->get());
  if ((flags & quantized) != quantized) {
    return absl::FailedPreconditionError(absl::StrCat(
        "TensorFlow Lite ", TfLiteVersion(), "'s XNNPACK has the flags ", flags,
        " by default; its kernels for int8 and uint8 need ",
        static_cast<uint32_t>(quantized)));
  }
  return delegate;
}

}  // namespace gles_delegate
