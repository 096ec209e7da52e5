#include "egl/other_llvm.h"

#include <dlfcn.h>
#include <link.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gles_delegate::egl {
namespace {

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

}  // namespace

void BindMesaToItsLlvm() {
#ifdef RTLD_DEEPBIND
  if (OtherLlvm().empty() || LlvmIsLoaded() || !MallocIsOfLibc()) return;
  constexpr int kMode = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
  void* const mesa = dlopen("libEGL_mesa.so.0", kMode);
  link_map* map = nullptr;
  if (mesa == nullptr || dlinfo(mesa, RTLD_DI_LINKMAP, &map) != 0) return;
  if (!LlvmIsLoaded()) {  // before 24.2, Mesa's drivers are in files of their
                          // own
    const std::string path = map->l_name;
    dlopen(absl::StrCat(path.substr(0, path.rfind('/')), "/dri/swrast_dri.so")
               .c_str(),
           kMode);
  }
  g_bound = LlvmIsLoaded();
#endif
}

absl::Status CheckLlvm(absl::string_view renderer) {
  if (g_bound || !absl::StrContains(renderer, "LLVM") || !LlvmIsLoaded()) {
    return absl::OkStatus();
  }
  const std::string other = OtherLlvm();
  if (other.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      renderer, " would crash in this process, in which it finds the LLVM of ",
      other,
      " instead of its own. Use another GPU, or a process without that library "
      "(with Python ai-edge-litert, not tensorflow)"));
}

}  // namespace gles_delegate::egl
