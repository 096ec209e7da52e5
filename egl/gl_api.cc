#include "egl/gl_api.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "egl/process.h"

namespace gles_delegate::egl {
namespace {

GlApi g_gl;
EglApi g_egl;

// --- Mesa beside another LLVM ------------------------------------------------

bool g_bound = false;

bool IsLlvm(absl::string_view path) {
  return absl::StrContains(path, "libLLVM");
}

bool LlvmIsLoaded() {
  return dl_iterate_phdr(
             [](dl_phdr_info* library, size_t, void*) {
               return static_cast<int>(IsLlvm(library->dlpi_name));
             },
             nullptr) != 0;
}

// The library whose LLVM all others find; "": there is none but libLLVM.
std::string OtherLlvm() {
  Dl_info found = {};
  void* const constructor =
      dlsym(RTLD_DEFAULT, "_ZN4llvm11LLVMContextC1Ev");  // of LLVMContext
  if (constructor == nullptr || dladdr(constructor, &found) == 0 ||
      IsLlvm(found.dli_fname)) {
    return "";
  }
  return found.dli_fname;
}

#ifdef RTLD_DEEPBIND  // glibc's alone
// Memory of another malloc would be freed by libc's.
bool MallocIsOfLibc() {
  void* const libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  return libc != nullptr &&
         dlsym(libc, "malloc") == dlsym(RTLD_DEFAULT, "malloc");
}
#endif

void BindMesaToItsLlvm() {
#ifdef RTLD_DEEPBIND
  if (OtherLlvm().empty() || LlvmIsLoaded() || !MallocIsOfLibc()) return;
  constexpr int kMode = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
  void* const mesa = dlopen("libEGL_mesa.so.0", kMode);
  link_map* map = nullptr;
  if (mesa == nullptr || dlinfo(mesa, RTLD_DI_LINKMAP, &map) != 0) return;
  // Before 24.2, Mesa's drivers are in other files.
  if (!LlvmIsLoaded()) {
    const std::string path = map->l_name;
    dlopen(absl::StrCat(path.substr(0, path.rfind('/')), "/dri/swrast_dri.so")
               .c_str(),
           kMode);
  }
  g_bound = LlvmIsLoaded();
#endif
}

// --- Libraries ---------------------------------------------------------------

// The first of `names` that opens. It stays open for the process's life: the
// tables point into it, and drivers do not survive being unloaded.
absl::StatusOr<void*> OpenLibrary(const std::vector<std::string>& names,
                                  const char* advice) {
  std::vector<std::string> errors;
  for (const std::string& name : names) {
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return library;
    }
    const char* why = dlerror();
    errors.push_back(why != nullptr ? why : name + ": unknown loader error");
  }
  return Unavailable("cannot open ", names.front(), " (",
                     absl::StrJoin(errors, "; "), "). ", advice);
}

// `chosen`: the user's, or "".
absl::StatusOr<void*> OpenEgl(absl::string_view chosen) {
  if (!chosen.empty()) {
    return OpenLibrary({std::string(chosen)},
                       "It was named by the environment variable "
                       "GLES_DELEGATE_EGL_LIBRARY; unset it to use the "
                       "system's libEGL.so.1.");
  }
  return OpenLibrary({"libEGL.so.1", "libEGL.so"},
                     "Install the system's EGL library (Debian: libegl1, and "
                     "libegl-mesa0 for Mesa's drivers).");
}

absl::Status LoadEgl(void* library) {
  std::vector<std::string> missing;
#define EGL_REQUIRED(name)                                                 \
  g_egl.name =                                                             \
      reinterpret_cast<decltype(g_egl.name)>(dlsym(library, "egl" #name)); \
  if (g_egl.name == nullptr) missing.push_back("egl" #name);
#include "egl/gl_functions.inc"
  if (!missing.empty()) {
    return Unavailable("the EGL library has no ", absl::StrJoin(missing, ", "),
                       "; EGL 1.4 or later is needed.");
  }
#define EGL_OPTIONAL(name, type) \
  g_egl.name = reinterpret_cast<type>(g_egl.GetProcAddress("egl" #name));
#include "egl/gl_functions.inc"
  return absl::OkStatus();
}

// Looks up a GL function in libGLESv2, then with eglGetProcAddress. If the user
// chose the libEGL, eglGetProcAddress comes first: that libEGL may have its own
// GL, like ANGLE, which is not in the system's libGLESv2.
void* FindGl(void* library, bool ask_egl_first, const char* name) {
  const auto of_egl = [name] {
    return reinterpret_cast<void*>(g_egl.GetProcAddress(name));
  };
  if (library == nullptr) return of_egl();
  void* const first = ask_egl_first ? of_egl() : dlsym(library, name);
  if (first != nullptr) return first;
  return ask_egl_first ? dlsym(library, name) : of_egl();
}

absl::Status LoadGles(void* library, bool ask_egl_first) {
  std::vector<std::string> missing;
#define GL_REQUIRED(name)                            \
  g_gl.name = reinterpret_cast<decltype(g_gl.name)>( \
      FindGl(library, ask_egl_first, "gl" #name));   \
  if (g_gl.name == nullptr) missing.push_back("gl" #name);
#include "egl/gl_functions.inc"
  if (!missing.empty()) {
    return Unavailable("the OpenGL ES library has no ",
                       absl::StrJoin(missing, ", "),
                       "; OpenGL ES 3.1 is needed (compute shaders).");
  }
#define GL_OPTIONAL(name, type) \
  g_gl.name = reinterpret_cast<type>(g_egl.GetProcAddress("gl" #name));
#include "egl/gl_functions.inc"
  return absl::OkStatus();
}

absl::Status LoadOnce() {
  BindMesaToItsLlvm();
  const absl::string_view chosen =
      EnvironmentValue("GLES_DELEGATE_EGL_LIBRARY");
  ASSIGN_OR_RETURN(void* egl_library, OpenEgl(chosen));
  RETURN_IF_ERROR(LoadEgl(egl_library));
  absl::StatusOr<void*> gles_library =
      OpenLibrary({"libGLESv2.so.2", "libGLESv2.so"},
                  "Install the system's OpenGL ES library (Debian: libgles2).");
  if (!gles_library.ok() && chosen.empty()) return gles_library.status();
  return LoadGles(gles_library.ok() ? *gles_library : nullptr, !chosen.empty());
}

}  // namespace

absl::Status LoadGl() {
  // Never destroyed: an atexit handler that deletes a delegate may run after
  // the destructors of static objects.
  static const absl::Status* const status = new absl::Status(LoadOnce());
  return status->ok() ? CheckDriverProcess() : *status;
}

const GlApi& gl() { return g_gl; }
const EglApi& egl() { return g_egl; }
absl::Status CheckLlvm(absl::string_view renderer) {
  if (g_bound || !absl::StrContains(renderer, "LLVM") || !LlvmIsLoaded()) {
    return absl::OkStatus();
  }
  const std::string other = OtherLlvm();
  if (other.empty()) return absl::OkStatus();
  return FailedPrecondition(
      renderer, " would crash in this process, in which it finds the LLVM of ",
      other,
      " instead of Mesa's. Use another GPU, or a process without that library "
      "(with Python ai-edge-litert, not tensorflow)");
}

GlApi& MutableGlForTesting() { return g_gl; }
EglApi& MutableEglForTesting() { return g_egl; }

// --- GL's and EGL's answers --------------------------------------------------

GLint GetInteger(GLenum name) {
  GLint value = 0;
  gl().GetIntegerv(name, &value);
  return value;
}

bool HasExtension(absl::string_view name) {
  const GLint count = GetInteger(GL_NUM_EXTENSIONS);
  for (GLint i = 0; i < count; ++i) {
    const GLubyte* extension = gl().GetStringi(GL_EXTENSIONS, i);
    if (extension != nullptr &&
        name == reinterpret_cast<const char*>(extension)) {
      return true;
    }
  }
  return false;
}

std::string EglErrorText(EGLint error) {
  constexpr std::pair<EGLint, const char*> kErrors[] = {
      {EGL_SUCCESS, "EGL gives no reason"},
      {EGL_NOT_INITIALIZED,
       "EGL_NOT_INITIALIZED (the display could not be initialised)"},
      {EGL_BAD_ACCESS,
       "EGL_BAD_ACCESS (the context is current on another thread)"},
      {EGL_BAD_ALLOC, "EGL_BAD_ALLOC (out of memory)"},
      {EGL_BAD_ATTRIBUTE,
       "EGL_BAD_ATTRIBUTE (the driver does not know an attribute)"},
      {EGL_BAD_CONFIG, "EGL_BAD_CONFIG (no such configuration)"},
      {EGL_BAD_CONTEXT,
       "EGL_BAD_CONTEXT (the context does not exist any more)"},
      {EGL_BAD_CURRENT_SURFACE,
       "EGL_BAD_CURRENT_SURFACE (the current surface is gone)"},
      {EGL_BAD_DISPLAY, "EGL_BAD_DISPLAY (no such display)"},
      {EGL_BAD_MATCH, "EGL_BAD_MATCH (the driver offers no such context)"},
      {EGL_BAD_NATIVE_PIXMAP, "EGL_BAD_NATIVE_PIXMAP"},
      {EGL_BAD_NATIVE_WINDOW, "EGL_BAD_NATIVE_WINDOW (the window is gone)"},
      {EGL_BAD_PARAMETER, "EGL_BAD_PARAMETER"},
      {EGL_BAD_SURFACE,
       "EGL_BAD_SURFACE (the surface does not exist any more)"},
      {EGL_CONTEXT_LOST,
       "EGL_CONTEXT_LOST (power management took the context away)"},
  };
  for (const auto& [code, text] : kErrors) {
    if (code == error) return text;
  }
  return absl::StrCat("EGL error 0x", absl::Hex(error));
}

std::string LastEglError() { return EglErrorText(egl().GetError()); }

bool HasEglExtension(const char* extensions, absl::string_view name) {
  if (extensions == nullptr) return false;
  // Without memory: an Invoke asks.
  for (absl::string_view word : absl::StrSplit(extensions, ' ')) {
    if (word == name) return true;
  }
  return false;
}

bool IsOfVendor(EGLDisplay display, absl::string_view name) {
  const char* vendor = egl().QueryString(display, EGL_VENDOR);
  return vendor != nullptr && absl::StrContains(vendor, name);
}

// --- Who uses the driver -----------------------------------------------------

namespace {

// 0: none. A child inherits it from its parent.
std::atomic<pid_t> g_driver_process = 0;

// exit() in a child of a process that uses Mesa: Mesa's own handler joins
// threads that the child does not have, and dies. The handlers that were
// registered before Mesa's do not run either way.
void EndChildBeforeMesa() {
#ifdef __GLIBC__
  static const int registered = on_exit(
      +[](int status, void*) {
        if (CheckDriverProcess().ok()) return;
        std::fflush(nullptr);
        _exit(status);
      },
      nullptr);
  (void)registered;
#endif
}

// Thread-safe.
class Displays {
 public:
  absl::Status Initialize(EGLDisplay display, EGLint* version) {
    const absl::MutexLock lock(&mutex_);
    Use& use = uses_[display];
    if (use.count == 0 && !use.is_pinned) {
      use.is_pinned = egl().QueryString(display, EGL_VERSION) != nullptr;
      if (!use.is_pinned) egl().GetError();  // EGL_NOT_INITIALIZED
    }
    ++use.count;
    Note();
    EGLint major = 0, minor = 0;
    if (!egl().Initialize(display, &major, &minor)) {
      absl::Status status = Unavailable("eglInitialize: ", LastEglError());
      --use.count;
      Forget(display);
      return status;
    }
    *version = 10 * major + minor;
    if (IsOfVendor(display, "Mesa")) {
      EndChildBeforeMesa();
    } else {
      use.is_pinned = true;
    }
    return absl::OkStatus();
  }

  void Drop(EGLDisplay display) {
    const absl::MutexLock lock(&mutex_);
    const auto use = uses_.find(display);
    if (use == uses_.end()) return;  // the parent's
    if (--use->second.count > 0 || use->second.is_pinned) return;
    egl().Terminate(display);
    Forget(display);
  }

  void Pin(EGLDisplay display) {
    const absl::MutexLock lock(&mutex_);
    Use& use = uses_[display];
    --use.count;
    use.is_pinned = true;
  }

  void PinDriver() {
    const absl::MutexLock lock(&mutex_);
    is_pinned_ = true;
    Note();
  }

 private:
  struct Use {
    int count = 0;  // DisplayUse that are not pinned
    bool is_pinned = false;
  };

  void Forget(EGLDisplay display) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const Use& use = uses_[display];
    if (use.count == 0 && !use.is_pinned) uses_.erase(display);
    Note();
  }
  void Note() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    g_driver_process = is_pinned_ || !uses_.empty() ? getpid() : 0;
  }

  absl::Mutex mutex_;
  HashMap<EGLDisplay, Use> uses_ ABSL_GUARDED_BY(mutex_);
  bool is_pinned_ ABSL_GUARDED_BY(mutex_) = false;
};

Displays& DisplaysOfProcess() { return OfProcess<Displays>(); }

}  // namespace

absl::Status CheckNotForked(pid_t process, absl::string_view what) {
  if (process == 0 || process == getpid()) return absl::OkStatus();
  return FailedPrecondition(
      what, " belongs to process ", process, ", and this is process ", getpid(),
      ", which was forked from it: OpenGL drivers do not survive a fork. Start "
      "processes by spawn or forkserver, or fork before the first use of the "
      "driver");
}

absl::Status CheckDriverProcess() {
  return CheckNotForked(g_driver_process, "the OpenGL driver");
}

void PinDriver() { DisplaysOfProcess().PinDriver(); }

absl::StatusOr<DisplayUse> DisplayUse::Initialize(EGLDisplay display) {
  DisplayUse use;
  RETURN_IF_ERROR(DisplaysOfProcess().Initialize(display, &use.version_));
  use.display_.reset(display);
  return use;
}

void DisplayUse::Dropper::operator()(EGLDisplay display) const {
  DisplaysOfProcess().Drop(display);
}

void DisplayUse::Pin() {
  if (display_ != nullptr) DisplaysOfProcess().Pin(display_.release());
}

// --- Debugging ---------------------------------------------------------------

namespace {

// A length that every driver accepts (GL_MAX_DEBUG_MESSAGE_LENGTH and
// GL_MAX_LABEL_LENGTH are 256 or more in practice).
constexpr size_t kMaxNameBytes = 255;
// A driver that repeats itself must not fill the memory.
constexpr size_t kMaxStoredErrors = 8;
constexpr size_t kMaxTexts = 1000;

std::vector<std::string>& ErrorsOfThread() {
  thread_local std::vector<std::string> errors;
  return errors;
}

const char* SeverityName(GLenum severity) {
  return severity == GL_DEBUG_SEVERITY_HIGH_KHR     ? "high"
         : severity == GL_DEBUG_SEVERITY_MEDIUM_KHR ? "medium"
         : severity == GL_DEBUG_SEVERITY_LOW_KHR    ? "low"
                                                    : "note";
}

// True the first time that this process sees the text; false of every new text
// once there were kMaxTexts.
bool IsNew(const std::string& text) {
  static absl::Mutex& mutex = *new absl::Mutex;
  static std::set<std::string>& seen = *new std::set<std::string>;
  const absl::MutexLock lock(&mutex);
  return seen.size() < kMaxTexts && seen.insert(text).second;
}

void GL_APIENTRY LogMessage(GLenum /*source*/, GLenum type, GLuint /*id*/,
                            GLenum severity, GLsizei length,
                            const GLchar* message, const void* /*user*/) {
  // Our own groups, which drivers report when they begin and end.
  if (type == GL_DEBUG_TYPE_PUSH_GROUP_KHR ||
      type == GL_DEBUG_TYPE_POP_GROUP_KHR) {
    return;
  }
  const std::string text(message,
                         length < 0 ? std::strlen(message) : size_t(length));
  if (type == GL_DEBUG_TYPE_ERROR_KHR) {
    std::vector<std::string>& errors = ErrorsOfThread();
    if (errors.size() >= kMaxStoredErrors) errors.erase(errors.begin());
    errors.push_back(text);
  }
  const std::string line = absl::StrCat(SeverityName(severity), ": ", text);
  if (!ProgramTraceIsOn() && !IsNew(line)) return;
  std::fprintf(stderr, "TfLiteGlesDelegate: driver: %s\n", line.c_str());
}

}  // namespace

bool DebugIsOn() { return DebugHas("context") || ProgramTraceIsOn(); }

bool ProgramTraceIsOn() { return DebugHas("programs"); }

void StartDebugLog() {
  gl().DebugMessageCallbackKHR(LogMessage, /*userParam=*/nullptr);
}

std::vector<std::string> TakeLoggedErrors() {
  return std::exchange(ErrorsOfThread(), {});
}

void LabelObject(GLenum kind, GLuint object, absl::string_view label) {
  if (object == 0 || !DebugIsOn() || !HasExtension("GL_KHR_debug")) return;
  gl().ObjectLabelKHR(
      kind, object, static_cast<GLsizei>(std::min(label.size(), kMaxNameBytes)),
      label.data());
}

void PushDebugGroup(absl::string_view label) {
  gl().PushDebugGroupKHR(
      GL_DEBUG_SOURCE_APPLICATION_KHR, /*id=*/0,
      static_cast<GLsizei>(std::min(label.size(), kMaxNameBytes)),
      label.data());
}

}  // namespace gles_delegate::egl
