#include "egl/gbm.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "egl/driver_use.h"

namespace gles_delegate::egl {
namespace {

using CreateDevice = void* (*)(int fd);

absl::StatusOr<CreateDevice> LoadGbm() {
  void* library = dlopen("libgbm.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::UnavailableError(absl::StrCat("no GBM: ", dlerror()));
  }
  auto create =
      reinterpret_cast<CreateDevice>(dlsym(library, "gbm_create_device"));
  if (create == nullptr) {
    return absl::UnavailableError("libgbm.so.1 has no gbm_create_device");
  }
  return create;
}

absl::StatusOr<void*> OpenNode(const std::string& node) {
  ASSIGN_OR_RETURN(CreateDevice create, LoadGbm());
  const int fd = open(node.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot open ", node, ": ", std::strerror(errno)));
  }
  void* device = create(fd);
  if (device == nullptr) {
    close(fd);
    return absl::UnavailableError(
        absl::StrCat("gbm_create_device failed on ", node));
  }
  return device;
}

}  // namespace

std::vector<std::string> RenderNodes() {
  // DRM numbers render nodes from 128 to 191.
  std::vector<std::string> nodes;
  for (int minor = 128; minor < 192; ++minor) {
    std::string node = absl::StrCat("/dev/dri/renderD", minor);
    struct stat info;
    if (stat(node.c_str(), &info) == 0) nodes.push_back(std::move(node));
  }
  return nodes;
}

absl::StatusOr<void*> GbmDevice(const std::string& node) {
  static absl::Mutex* const mutex = new absl::Mutex;
  static auto* const devices = new HashMap<std::string, void*>;
  absl::MutexLock lock(mutex);
  if (auto it = devices->find(node); it != devices->end()) return it->second;
  absl::StatusOr<void*> device = OpenNode(node);
  if (device.ok()) {
    devices->emplace(node, *device);
    PinDriver();
  }
  return device;
}

}  // namespace gles_delegate::egl
