#include "tools/common/tflite_library.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

constexpr char kVariable[] = "GLES_DELEGATE_TFLITE_LIBRARY";

struct Library {
  std::mutex mutex;
  void* handle = nullptr;
  std::string path;  // as the dynamic linker found it
};

Library& TheLibrary() {
  static auto* library = new Library;  // outlives every static object
  return *library;
}

std::string PathOf(void* function) {
  Dl_info info = {};
  return dladdr(function, &info) != 0 && info.dli_fname != nullptr
             ? info.dli_fname
             : "";
}

std::string DefaultPath() {
  const char* named = std::getenv(kVariable);
  return named != nullptr && *named != '\0' ? named : GLES_HOST_TFLITE_LIBRARY;
}

// The mutex is held.
absl::Status OpenTfliteAt(Library& library, const std::string& path) {
  // Local: its symbols are for no one else, and it exports thousands.
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return absl::NotFoundError(
        absl::StrCat("Cannot open the TensorFlow Lite library ", path, ": ",
                     reason == nullptr ? "no reason given" : reason,
                     ". Name one with --tflite_library=PATH or ", kVariable));
  }
  void* function = dlsym(handle, "TfLiteInterpreterCreate");
  if (function == nullptr) {
    dlclose(handle);
    return absl::InvalidArgumentError(
        absl::StrCat(path, " does not export TensorFlow Lite's C functions (",
                     "TfLiteInterpreterCreate is missing). Name a build of the "
                     "C library, such as libtensorflowlite_c.so"));
  }
  const std::string found = PathOf(function);
  if (library.handle != nullptr && library.path != found) {
    dlclose(handle);
    return absl::FailedPreconditionError(
        absl::StrCat("Cannot open the TensorFlow Lite library ", path, ": ",
                     library.path, " is open already, and a process runs one"));
  }
  library.handle = handle;
  library.path = found;
  return absl::OkStatus();
}

[[noreturn]] void End(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(EXIT_FAILURE);
}

// The handle of the open library, the default one if none is open.
void* Handle() {
  Library& library = TheLibrary();
  const std::lock_guard<std::mutex> lock(library.mutex);
  if (library.handle == nullptr) {
    const absl::Status opened = OpenTfliteAt(library, DefaultPath());
    if (!opened.ok()) End(std::string(opened.message()));
  }
  return library.handle;
}

}  // namespace

absl::Status OpenTfliteLibrary(const std::string& path) {
  Library& library = TheLibrary();
  const std::lock_guard<std::mutex> lock(library.mutex);
  return OpenTfliteAt(library, path.empty() ? DefaultPath() : path);
}

std::string TfliteLibraryPath() {
  Handle();
  return TheLibrary().path;
}

void* TfliteSymbol(const char* name) { return dlsym(Handle(), name); }

void* RequiredTfliteSymbol(const char* name) {
  void* symbol = TfliteSymbol(name);
  if (symbol != nullptr) return symbol;
  auto* version = AsFunction<const char*()>(TfliteSymbol("TfLiteVersion"));
  End(absl::StrCat("TensorFlow Lite ",
                   version == nullptr ? "of unknown version" : version(), " (",
                   TfliteLibraryPath(), ") does not export ", name));
}

}  // namespace gles_delegate
