#include "egl/gl_api.h"

#include <dlfcn.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "egl/driver_use.h"
#include "egl/environment.h"
#include "egl/other_llvm.h"

namespace gles_delegate::egl {
namespace {

GlApi g_gl;
EglApi g_egl;

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
  return absl::UnavailableError(absl::StrCat("cannot open ", names.front(),
                                             " (", absl::StrJoin(errors, "; "),
                                             "). ", advice));
}

// The user's libEGL, or null.
const char* ChosenEgl() {
  const char* chosen = EnvironmentValue("GLES_DELEGATE_EGL_LIBRARY");
  return chosen != nullptr && *chosen != '\0' ? chosen : nullptr;
}

absl::StatusOr<void*> OpenEgl() {
  if (const char* chosen = ChosenEgl(); chosen != nullptr) {
    return OpenLibrary({chosen},
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
    return absl::UnavailableError(
        absl::StrCat("the EGL library has no ", absl::StrJoin(missing, ", "),
                     "; EGL 1.4 or later is needed."));
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
  void* from_egl = nullptr;
  if (ask_egl_first || library == nullptr) {
    from_egl = reinterpret_cast<void*>(g_egl.GetProcAddress(name));
    if (from_egl != nullptr || library == nullptr) return from_egl;
  }
  void* found = dlsym(library, name);
  if (found != nullptr || ask_egl_first) return found;
  return reinterpret_cast<void*>(g_egl.GetProcAddress(name));
}

absl::Status LoadGles(void* library, bool ask_egl_first) {
  std::vector<std::string> missing;
#define GL_REQUIRED(name)                            \
  g_gl.name = reinterpret_cast<decltype(g_gl.name)>( \
      FindGl(library, ask_egl_first, "gl" #name));   \
  if (g_gl.name == nullptr) missing.push_back("gl" #name);
#include "egl/gl_functions.inc"
  if (!missing.empty()) {
    return absl::UnavailableError(absl::StrCat(
        "the OpenGL ES library has no ", absl::StrJoin(missing, ", "),
        "; OpenGL ES 3.1 is needed (compute shaders)."));
  }
#define GL_OPTIONAL(name, type) \
  g_gl.name = reinterpret_cast<type>(g_egl.GetProcAddress("gl" #name));
#include "egl/gl_functions.inc"
  return absl::OkStatus();
}

absl::Status LoadOnce() {
  BindMesaToItsLlvm();
  ASSIGN_OR_RETURN(void* egl_library, OpenEgl());
  RETURN_IF_ERROR(LoadEgl(egl_library));

  const bool chosen = ChosenEgl() != nullptr;
  absl::StatusOr<void*> gles_library =
      OpenLibrary({"libGLESv2.so.2", "libGLESv2.so"},
                  "Install the system's OpenGL ES library (Debian: libgles2).");
  if (!gles_library.ok() && !chosen) return gles_library.status();
  return LoadGles(gles_library.ok() ? *gles_library : nullptr, chosen);
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
GlApi& MutableGlForTesting() { return g_gl; }
EglApi& MutableEglForTesting() { return g_egl; }

}  // namespace gles_delegate::egl
