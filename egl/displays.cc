#include "egl/displays.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "egl/driver_use.h"
#include "egl/egl_error.h"

namespace gles_delegate::egl {
namespace {

// --- GBM render nodes, opened without linking libgbm -------------------------

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

// The DRM render nodes of this machine: "/dev/dri/renderD128", ...
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

// The gbm_device of a render node. Made once per node and kept until the
// process ends, since its EGLDisplay is never terminated. Thread-safe.
// kUnavailable, with the reason.
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

absl::StatusOr<EGLDisplay> PlatformDisplay(EGLenum platform, void* native) {
  if (egl().GetPlatformDisplayEXT == nullptr) {
    return absl::UnavailableError("no eglGetPlatformDisplayEXT in this libEGL");
  }
  EGLDisplay display =
      egl().GetPlatformDisplayEXT(platform, native, /*attrib_list=*/nullptr);
  if (display == EGL_NO_DISPLAY) {
    return absl::UnavailableError(
        absl::StrCat("eglGetPlatformDisplayEXT: ", LastEglError()));
  }
  return display;
}

std::function<std::string()> Named(std::string name) {
  return [name = std::move(name)] { return name; };
}

DisplayCandidate Missing(std::string description, std::string why) {
  return {Named(std::move(description)), /*software=*/false,
          [why = std::move(why)]() -> absl::StatusOr<EGLDisplay> {
            return absl::UnavailableError(why);
          },
          nullptr};
}

// Its render node, or "" if EGL does not report it.
std::string DeviceFile(EGLDeviceEXT device) {
  const char* extensions = egl().QueryDeviceStringEXT(device, EGL_EXTENSIONS);
  const char* file = nullptr;
  if (HasEglExtension(extensions, "EGL_EXT_device_drm_render_node")) {
    file = egl().QueryDeviceStringEXT(device, EGL_DRM_RENDER_NODE_FILE_EXT);
  }
  egl().GetError();  // a refused query is no error of ours
  return file == nullptr ? "" : file;
}

std::string DescribeDevice(EGLDeviceEXT device, int index) {
  const char* extensions = egl().QueryDeviceStringEXT(device, EGL_EXTENSIONS);
  std::vector<std::string> facts;
  auto add_file = [&](const char* extension, EGLint name) {
    if (!HasEglExtension(extensions, extension)) return;
    const char* file = egl().QueryDeviceStringEXT(device, name);
    if (file != nullptr) facts.push_back(file);
  };
  add_file("EGL_EXT_device_drm_render_node", EGL_DRM_RENDER_NODE_FILE_EXT);
  if (facts.empty()) add_file("EGL_EXT_device_drm", EGL_DRM_DEVICE_FILE_EXT);
  EGLAttrib cuda = 0;
  if (HasEglExtension(extensions, "EGL_NV_device_cuda") &&
      egl().QueryDeviceAttribEXT != nullptr &&
      egl().QueryDeviceAttribEXT(device, EGL_CUDA_DEVICE_NV, &cuda)) {
    facts.push_back(absl::StrCat("CUDA device ", cuda));
  }
  if (HasEglExtension(extensions, "EGL_MESA_device_software")) {
    facts.push_back("software");
  }
  egl().GetError();  // a refused query is no error of ours
  return absl::StrCat("EGL device ", index, facts.empty() ? "" : " (",
                      absl::StrJoin(facts, ", "), facts.empty() ? "" : ")");
}

DisplayCandidate DeviceCandidate(EGLDeviceEXT device, int index) {
  const char* extensions = egl().QueryDeviceStringEXT(device, EGL_EXTENSIONS);
  const bool software = HasEglExtension(extensions, "EGL_MESA_device_software");
  egl().GetError();  // a refused query is no error of ours
  return {[device, index] { return DescribeDevice(device, index); }, software,
          [device] { return PlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device); },
          [device] { return AccessObstacle(DeviceFile(device)); }};
}

void AddDevices(const char* client, std::vector<DisplayCandidate>* out) {
  if (!HasEglExtension(client, "EGL_EXT_platform_device") ||
      egl().QueryDevicesEXT == nullptr ||
      egl().QueryDeviceStringEXT == nullptr) {
    out->push_back(
        Missing("EGL devices", "this libEGL has no EGL_EXT_platform_device"));
    return;
  }
  EGLint count = 0;
  std::vector<EGLDeviceEXT> devices;
  if (egl().QueryDevicesEXT(0, nullptr, &count) && count > 0) {
    devices.resize(count);
    if (!egl().QueryDevicesEXT(count, devices.data(), &count)) count = 0;
    devices.resize(count);
  }
  if (devices.empty()) {
    out->push_back(Missing("EGL devices", "eglQueryDevicesEXT finds none"));
    return;
  }
  const size_t first = out->size();
  for (size_t i = 0; i < devices.size(); ++i) {
    out->push_back(DeviceCandidate(devices[i], static_cast<int>(i)));
  }
  std::stable_partition(out->begin() + first, out->end(),
                        [](const DisplayCandidate& c) { return !c.software; });
}

void AddSurfaceless(const char* client, std::vector<DisplayCandidate>* out) {
  if (!HasEglExtension(client, "EGL_MESA_platform_surfaceless")) {
    out->push_back(Missing("surfaceless",
                           "this libEGL has no EGL_MESA_platform_surfaceless"));
    return;
  }
  out->push_back({Named("surfaceless"), /*software=*/false,
                  [] {
                    return PlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA,
                                           EGL_DEFAULT_DISPLAY);
                  },
                  nullptr});
}

void AddGbm(const char* client, std::vector<DisplayCandidate>* out) {
  if (!HasEglExtension(client, "EGL_KHR_platform_gbm") &&
      !HasEglExtension(client, "EGL_MESA_platform_gbm")) {
    out->push_back(Missing("GBM", "this libEGL has no EGL_KHR_platform_gbm"));
    return;
  }
  const std::vector<std::string> nodes = RenderNodes();
  if (nodes.empty()) {
    out->push_back(Missing("GBM",
                           "there is no render node /dev/dri/renderD* (in a "
                           "container: --device /dev/dri, or --gpus all)"));
  }
  for (const std::string& node : nodes) {
    out->push_back({Named(absl::StrCat("GBM ", node)), /*software=*/false,
                    [node]() -> absl::StatusOr<EGLDisplay> {
                      absl::StatusOr<void*> device = GbmDevice(node);
                      if (!device.ok()) return device.status();
                      return PlatformDisplay(EGL_PLATFORM_GBM_KHR, *device);
                    },
                    nullptr});
  }
}

absl::StatusOr<EGLDisplay> DefaultDisplay() {
  EGLDisplay display = egl().GetDisplay(EGL_DEFAULT_DISPLAY);
  if (display == EGL_NO_DISPLAY) {
    return absl::UnavailableError(
        absl::StrCat("eglGetDisplay: ", LastEglError()));
  }
  return display;
}

}  // namespace

bool HasEglExtension(const char* extensions, absl::string_view name) {
  if (extensions == nullptr) return false;
  for (absl::string_view word : absl::StrSplit(extensions, ' ')) {
    if (word == name) return true;
  }
  return false;
}

std::string AccessObstacle(const std::string& file) {
  if (file.empty() || access(file.c_str(), R_OK | W_OK) == 0) return "";
  const int error = errno;
  return absl::StrCat(
      "; cannot open ", file, ": ", std::strerror(error),
      error == EACCES ? " (add the user to the group render)" : "");
}

std::vector<DisplayCandidate> FindDisplays() {
  const char* client = egl().QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  if (client == nullptr) egl().GetError();  // EGL 1.4: no client extensions
  std::vector<DisplayCandidate> displays;
  AddDevices(client, &displays);
  AddSurfaceless(client, &displays);
  AddGbm(client, &displays);
  displays.push_back(
      {Named("default display"), /*software=*/false, DefaultDisplay, nullptr});
  return displays;
}

}  // namespace gles_delegate::egl
