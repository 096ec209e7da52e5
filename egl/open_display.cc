// Chooses the display for a context, and makes the context.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "egl/context.h"
#include "egl/process.h"

namespace gles_delegate::egl {

// --- The displays that there are ---------------------------------------------

namespace {

// A display that has not been opened: starting a driver takes milliseconds.
struct DisplayCandidate {
  // "EGL device 0 (/dev/dri/renderD128)", "surfaceless", ... For messages only:
  // NVIDIA's driver takes 100 ms to name a device's files and CUDA number.
  std::function<std::string()> describe;
  // True if the display is known to be a software renderer before it is opened.
  bool software = false;
  // Returns the display, not yet initialised, or the reason why there is none.
  std::function<absl::StatusOr<EGLDisplay>()> open;
  // A likely reason why the display cannot be opened: "; cannot open
  // /dev/dri/renderD128: Permission denied", or "" if unknown. Appended to
  // EGL's error, which often is just EGL_NOT_INITIALIZED. Called only after a
  // failure. May be an empty function.
  std::function<std::string()> obstacle;
};

// --- GBM render nodes, opened without linking libgbm -------------------------

absl::StatusOr<void*> OpenNode(const std::string& node) {
  void* library = dlopen("libgbm.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Unavailable("no GBM: ", dlerror());
  auto create =
      reinterpret_cast<void* (*)(int fd)>(dlsym(library, "gbm_create_device"));
  if (create == nullptr) {
    return Unavailable("libgbm.so.1 has no gbm_create_device");
  }
  const int fd = open(node.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    return Unavailable("cannot open ", node, ": ", std::strerror(errno));
  }
  void* device = create(fd);
  if (device == nullptr) {
    close(fd);
    return Unavailable("gbm_create_device failed on ", node);
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
    return Unavailable("no eglGetPlatformDisplayEXT in this libEGL");
  }
  EGLDisplay display =
      egl().GetPlatformDisplayEXT(platform, native, /*attrib_list=*/nullptr);
  if (display == EGL_NO_DISPLAY) {
    return Unavailable("eglGetPlatformDisplayEXT: ", LastEglError());
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

bool DeviceHas(EGLDeviceEXT device, const char* extension) {
  const bool has = HasEglExtension(
      egl().QueryDeviceStringEXT(device, EGL_EXTENSIONS), extension);
  egl().GetError();  // a refused query is no error of ours
  return has;
}

// One of its files, or "" if EGL does not report it.
std::string DeviceFile(EGLDeviceEXT device, const char* extension,
                       EGLint name) {
  if (!DeviceHas(device, extension)) return "";
  const char* file = egl().QueryDeviceStringEXT(device, name);
  egl().GetError();  // a refused query is no error of ours
  return file == nullptr ? "" : file;
}

std::string RenderNodeOf(EGLDeviceEXT device) {
  return DeviceFile(device, "EGL_EXT_device_drm_render_node",
                    EGL_DRM_RENDER_NODE_FILE_EXT);
}

std::string DescribeDevice(EGLDeviceEXT device, int index) {
  std::string file = RenderNodeOf(device);
  if (file.empty()) {
    file = DeviceFile(device, "EGL_EXT_device_drm", EGL_DRM_DEVICE_FILE_EXT);
  }
  std::vector<std::string> facts;
  if (!file.empty()) facts.push_back(std::move(file));
  EGLAttrib cuda = 0;
  if (DeviceHas(device, "EGL_NV_device_cuda") &&
      egl().QueryDeviceAttribEXT != nullptr &&
      egl().QueryDeviceAttribEXT(device, EGL_CUDA_DEVICE_NV, &cuda)) {
    facts.push_back(absl::StrCat("CUDA device ", cuda));
  }
  if (DeviceHas(device, "EGL_MESA_device_software")) {
    facts.push_back("software");
  }
  return absl::StrCat("EGL device ", index, facts.empty() ? "" : " (",
                      absl::StrJoin(facts, ", "), facts.empty() ? "" : ")");
}

DisplayCandidate DeviceCandidate(EGLDeviceEXT device, int index) {
  return {[device, index] { return DescribeDevice(device, index); },
          DeviceHas(device, "EGL_MESA_device_software"),
          [device] { return PlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device); },
          [device] { return AccessObstacle(RenderNodeOf(device)); }};
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
                      ASSIGN_OR_RETURN(void* device, GbmDevice(node));
                      return PlatformDisplay(EGL_PLATFORM_GBM_KHR, device);
                    },
                    nullptr});
  }
}

absl::StatusOr<EGLDisplay> DefaultDisplay() {
  EGLDisplay display = egl().GetDisplay(EGL_DEFAULT_DISPLAY);
  if (display == EGL_NO_DISPLAY) {
    return Unavailable("eglGetDisplay: ", LastEglError());
  }
  return display;
}

// All candidates in the order to try and of ListDisplays(): EGL devices
// (software last), surfaceless, GBM render nodes, the default display. Includes
// those that this libEGL does not support, whose open() says so. Needs
// LoadGl(). Thread-safe.
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

// A display's features.
struct DisplayInfo {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLint version = 0;
  const char* extensions = nullptr;

  bool Has(absl::string_view name) const {
    return HasEglExtension(extensions, name);
  }
  bool AtLeast15() const { return version >= 15; }
};

absl::StatusOr<DisplayInfo> InfoOf(const DisplayUse& use) {
  const DisplayInfo info = {use.display(), use.version(),
                            egl().QueryString(use.display(), EGL_EXTENSIONS)};
  if (!info.AtLeast15() && !info.Has("EGL_KHR_create_context")) {
    return Unavailable(
        "EGL ", info.version / 10, ".", info.version % 10,
        " without EGL_KHR_create_context cannot make an OpenGL ES 3.1 context");
  }
  return info;
}

// EGL_NO_CONFIG_KHR if the driver allows it, else any config with pbuffers (or,
// failing that, any at all for a surfaceless context).
absl::StatusOr<EGLConfig> ChooseConfig(const DisplayInfo& info) {
  if (info.Has("EGL_KHR_no_config_context") &&
      info.Has("EGL_KHR_surfaceless_context")) {
    return EGL_NO_CONFIG_KHR;
  }
  for (const EGLint surface : {EGL_PBUFFER_BIT, 0}) {
    const EGLint attributes[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT,
                                 EGL_SURFACE_TYPE, surface, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (egl().ChooseConfig(info.display, attributes, &config, 1, &count) &&
        count > 0) {
      return config;
    }
  }
  return Unavailable("eglChooseConfig finds no OpenGL ES 3 config: ",
                     LastEglError());
}

struct Attempt {
  int major;
  int minor;
  bool robust;
};

std::vector<EGLint> ContextAttributes(const DisplayInfo& info,
                                      const Attempt& attempt, bool debug) {
  // EGL_KHR_create_context and EGL 1.5 share these two names' values.
  std::vector<EGLint> list = {EGL_CONTEXT_MAJOR_VERSION, attempt.major,
                              EGL_CONTEXT_MINOR_VERSION, attempt.minor};
  // Letting go of a context flushes it otherwise, which takes NVIDIA's driver
  // 10 us though nothing is left to flush.
  if (info.Has("EGL_KHR_context_flush_control")) {
    list.insert(list.end(), {EGL_CONTEXT_RELEASE_BEHAVIOR_KHR,
                             EGL_CONTEXT_RELEASE_BEHAVIOR_NONE_KHR});
  }
  if (attempt.robust && info.Has("EGL_EXT_create_context_robustness")) {
    list.insert(list.end(), {EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT, EGL_TRUE,
                             EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT,
                             EGL_LOSE_CONTEXT_ON_RESET_EXT});
  } else if (attempt.robust) {
    list.insert(list.end(), {EGL_CONTEXT_OPENGL_ROBUST_ACCESS, EGL_TRUE,
                             EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
                             EGL_LOSE_CONTEXT_ON_RESET});
  }
  if (debug && info.AtLeast15()) {
    list.insert(list.end(), {EGL_CONTEXT_OPENGL_DEBUG, EGL_TRUE});
  } else if (debug) {
    list.insert(list.end(),
                {EGL_CONTEXT_FLAGS_KHR, EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR});
  }
  list.push_back(EGL_NONE);
  return list;
}

EGLContext TryContext(const DisplayInfo& info, EGLConfig config,
                      const Attempt& attempt, bool debug, EGLContext shared) {
  return egl().CreateContext(info.display, config, shared,
                             ContextAttributes(info, attempt, debug).data());
}

// Tries 3.2 before 3.1, since some drivers return exactly the requested
// version; a robust context before another (contexts that share objects must
// agree); and without debug messages if the driver refuses them.
EGLContext TryContexts(const DisplayInfo& info, EGLConfig config, bool debug,
                       EGLContext shared) {
  const bool can_be_robust =
      info.AtLeast15() || info.Has("EGL_EXT_create_context_robustness");
  for (const bool with_debug : {true, false}) {
    if (with_debug && !debug) continue;
    for (const bool robust : {true, false}) {
      if (robust && !can_be_robust) continue;
      for (const int minor : {2, 1}) {
        EGLContext context =
            TryContext(info, config, {3, minor, robust}, with_debug, shared);
        if (context != EGL_NO_CONTEXT) return context;
      }
    }
  }
  return EGL_NO_CONTEXT;
}

// The display's highest version, for the error if it is too old: an ES 2.0
// context may have any later compatible version.
std::string HighestVersion(const DisplayInfo& info, EGLConfig config) {
  EGLContext context =
      TryContext(info, config, {2, 0, false}, false, EGL_NO_CONTEXT);
  if (context == EGL_NO_CONTEXT) return "";
  SavedCurrent saved;
  std::string version;
  if (egl().MakeCurrent(info.display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                        context)) {
    const GLubyte* text = gl().GetString(GL_VERSION);
    if (text != nullptr) version = reinterpret_cast<const char*>(text);
  }
  saved.Restore(info.display).IgnoreError();
  egl().DestroyContext(info.display, context);
  return version;
}

OwnContext Joined(const EglContext& own, std::shared_ptr<ShareGroup> group) {
  group->Join();
  return OwnContext(own.context, LeaveGroup{std::move(group), own});
}

// Makes a context of the highest version from 3.2 down to 3.1: robust if the
// driver supports that, with debug messages if `debug`, sharing objects with
// `shared` if that has a context of the display; with a 1x1 pbuffer if the
// driver lacks surfaceless contexts. Does not change what is current. With
// EGL_KHR_context_flush_control, releasing the context does not flush, so
// callers flush commands that others wait for. kUnavailable, with the failed
// step and EGL's reason or the driver's older version.
absl::StatusOr<OwnContext> MakeOwnContext(const DisplayUse& use, bool debug,
                                          const SharedWith& shared) {
  ASSIGN_OR_RETURN(const DisplayInfo info, InfoOf(use));
  ASSIGN_OR_RETURN(EGLConfig config, ChooseConfig(info));
  EglContext own = {info.display,
                    TryContexts(info, config, debug, shared.context),
                    EGL_NO_SURFACE, debug};
  if (own.context == EGL_NO_CONTEXT) {
    const std::string why = LastEglError();
    if (shared.context != EGL_NO_CONTEXT) {
      return Unavailable("eglCreateContext, of one that shares objects: ", why);
    }
    const std::string version = HighestVersion(info, config);
    return Unavailable("eglCreateContext: ", why,
                       version.empty()
                           ? "; OpenGL ES 3.1 or later is needed"
                           : absl::StrCat("; the driver has \"", version,
                                          "\" and OpenGL ES 3.1 or later is "
                                          "needed (compute shaders)"));
  }
  if (!info.Has("EGL_KHR_surfaceless_context")) {
    const EGLint size[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    own.surface = egl().CreatePbufferSurface(info.display, config, size);
    if (own.surface == EGL_NO_SURFACE) {
      const std::string why = LastEglError();
      Destroy(own);
      return Unavailable("eglCreatePbufferSurface: ", why);
    }
  }
  return Joined(own, shared.group != nullptr ? shared.group
                                             : std::make_shared<ShareGroup>());
}

// A context that was retired, and may be lost by now; nullptr: there is none.
OwnContext TakeUsed(EGLDisplay display, bool debug, const SharedWith& shared) {
  if (shared.group != nullptr) {
    const auto retired = shared.group->TakeRetired(debug);
    return retired ? Joined(*retired, shared.group) : nullptr;
  }
  const auto idle = ShareGroup::TakeIdle(display, debug);
  return idle ? Joined(idle->context, idle->group) : nullptr;
}

// Destroys a context, of which no other use is made.
void Discard(OwnContext context) {
  const auto& [group, own] = context.get_deleter();
  Destroy(own);
  group->Leave(std::nullopt);
  (void)context.release();
}

constexpr char kDeviceVariable[] = "GLES_DELEGATE_DEVICE";

// The context's driver; an error also if the context is lost.
absl::StatusOr<DeviceInfo> LookAt(const EglContext& own, bool is_used) {
  SavedCurrent saved;
  if (!egl().MakeCurrent(own.display, own.surface, own.surface, own.context)) {
    return FailedPrecondition("eglMakeCurrent: ", LastEglError());
  }
  absl::StatusOr<DeviceInfo> device = ReadDeviceInfo();
  if (device.ok() && is_used && ResetStatus(*device) != GL_NO_ERROR) {
    device = absl::AbortedError("the context was reset");
  }
  // Restored before the context can be destroyed: a current context is only
  // destroyed when it is released.
  RETURN_IF_ERROR(saved.Restore(own.display));
  return device;
}

absl::StatusOr<OpenedDisplay> OpenCandidate(const DisplayCandidate& candidate,
                                            const SharedWith& shared = {}) {
  const bool debug = DebugIsOn();
  for (;;) {
    ASSIGN_OR_RETURN(EGLDisplay display, candidate.open());
    ASSIGN_OR_RETURN(DisplayUse use, DisplayUse::Initialize(display));
    OwnContext context = TakeUsed(display, debug, shared);
    const bool is_used = context != nullptr;
    if (!is_used) {
      ASSIGN_OR_RETURN(context, MakeOwnContext(use, debug, shared));
    }
    absl::StatusOr<DeviceInfo> device =
        LookAt(context.get_deleter().own, is_used);
    if (device.ok()) {
      return OpenedDisplay{std::move(use), std::move(context),
                           *std::move(device), ""};
    }
    if (!is_used) return device.status();
    Discard(std::move(context));  // there are fewer each time
  }
}

// All but its description.
DisplayReport Report(int index, const DisplayCandidate& candidate,
                     const absl::StatusOr<OpenedDisplay>& opened) {
  DisplayReport report;
  report.index = index;
  if (!opened.ok()) {
    report.error = std::string(opened.status().message());
    if (candidate.obstacle != nullptr) report.error += candidate.obstacle();
    report.software = candidate.software;
    return report;
  }
  report.renderer = opened->device.renderer;
  report.version = opened->device.version;
  report.software = opened->device.software;
  return report;
}

std::string Line(const DisplayReport& report) {
  return absl::StrCat("\n  ", report.index, ": ", report.description, ": ",
                      report.error.empty()
                          ? absl::StrCat(report.renderer, ", ", report.version)
                          : report.error);
}

// The user's choice.
struct Choice {
  std::string text;    // as given; empty: any
  std::string source;  // where it was given, for messages
  int index = -1;      // where the text is a number

  bool MayOpen(int i) const { return index < 0 || index == i; }
  bool Matches(const DisplayCandidate& candidate,
               const DeviceInfo& device) const {
    if (text.empty() || index >= 0) return true;
    const auto has_text = [this](const std::string& name) {
      return absl::StrContains(absl::AsciiStrToLower(name),
                               absl::AsciiStrToLower(text));
    };
    return has_text(device.renderer) || has_text(device.vendor) ||
           has_text(candidate.describe());
  }
};

Choice ReadChoice(const ContextOptions& options) {
  Choice choice{options.device, "the option `device`"};
  if (choice.text.empty()) {
    choice.text = std::string(EnvironmentValue(kDeviceVariable));
    choice.source = absl::StrCat("the environment variable ", kDeviceVariable);
  }
  int index = 0;
  if (absl::SimpleAtoi(choice.text, &index) && index >= 0) choice.index = index;
  return choice;
}

absl::Status NothingFound(const Choice& choice,
                          const std::vector<DisplayCandidate>& candidates,
                          std::vector<DisplayReport> reports) {
  std::string tried;
  for (DisplayReport& report : reports) {
    report.description = candidates[report.index].describe();
    tried += Line(report);
  }
  if (choice.text.empty()) {
    return Unavailable(
        "no OpenGL ES 3.1 context could be made without a window. Tried:",
        tried,
        "\nInstall a driver (Debian: libegl-mesa0 has one for any CPU), or "
        "make a context current before the delegate is applied.");
  }
  return Unavailable("no device for \"", choice.text, "\" (from ",
                     choice.source,
                     "). It may be an index below or a part of a name:", tried);
}

constexpr char kNotTried[] = "not tried";

// Why no display of hardware was opened, those that the choice left out aside.
std::string HardwareErrors(const std::vector<DisplayCandidate>& candidates,
                           const std::vector<DisplayReport>& reports) {
  std::vector<std::string> errors;
  for (const DisplayReport& report : reports) {
    if (report.error.empty() || report.software || report.error == kNotTried) {
      continue;
    }
    errors.push_back(
        absl::StrCat(candidates[report.index].describe(), ": ", report.error));
  }
  return absl::StrJoin(errors, "; ");
}

// A display that is there already.
DisplayCandidate CandidateOf(EGLDisplay display) {
  DisplayCandidate candidate;
  candidate.describe = [] { return std::string("the app's EGLDisplay"); };
  candidate.open = [display] { return display; };
  return candidate;
}

}  // namespace

std::string AccessObstacle(const std::string& file) {
  if (file.empty() || access(file.c_str(), R_OK | W_OK) == 0) return "";
  const int error = errno;
  return absl::StrCat(
      "; cannot open ", file, ": ", std::strerror(error),
      error == EACCES ? " (add the user to the group render)" : "");
}

absl::StatusOr<OpenedDisplay> OpenBestDisplay(const ContextOptions& options) {
  const Choice choice = ReadChoice(options);
  const std::vector<DisplayCandidate> candidates = FindDisplays();
  absl::StatusOr<OpenedDisplay> software = Unavailable("none");
  std::vector<DisplayReport> reports;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const int index = static_cast<int>(i);
    absl::StatusOr<OpenedDisplay> opened =
        choice.MayOpen(index) ? OpenCandidate(candidates[i])
                              : absl::UnavailableError(kNotTried);
    reports.push_back(Report(index, candidates[i], opened));
    if (!opened.ok() || !choice.Matches(candidates[i], opened->device)) {
      continue;
    }
    if (!opened->device.software) return opened;
    if (!software.ok()) software = std::move(opened);
  }
  if (!software.ok()) {
    return NothingFound(choice, candidates, std::move(reports));
  }
  software->hardware_errors = HardwareErrors(candidates, reports);
  if (options.allow_software) return software;
  return Unavailable(
      "there is software rendering alone (", software->device.renderer,
      "), which device: hardware declines. Hardware: ",
      software->hardware_errors.empty() ? "none found"
                                        : software->hardware_errors);
}

absl::StatusOr<OpenedDisplay> OpenSharing(EGLDisplay display,
                                          const SharedWith& shared) {
  return OpenCandidate(CandidateOf(display), shared);
}

absl::StatusOr<OpenedDisplay> OpenDisplayOfApp(const ContextOptions& options) {
  const Choice choice = ReadChoice(options);
  const DisplayCandidate candidate = CandidateOf(options.display);
  if (choice.index >= 0) {
    return Unavailable(choice.source, " names display ", choice.index,
                       " instead");
  }
  absl::StatusOr<OpenedDisplay> opened = OpenCandidate(candidate);
  if (!opened.ok()) return opened.status();
  if (!choice.Matches(candidate, opened->device)) {
    return Unavailable("it is ", opened->device.renderer, ", not \"",
                       choice.text, "\" (from ", choice.source, ")");
  }
  if (opened->device.software && !options.allow_software) {
    return Unavailable("it is of software rendering (", opened->device.renderer,
                       "), which device: hardware declines");
  }
  return opened;
}

std::vector<DisplayReport> ListDisplays() {
  std::vector<DisplayReport> reports;
  if (absl::Status status = LoadGl(); !status.ok()) {
    DisplayReport report;
    report.description = "EGL";
    report.error = std::string(status.message());
    reports.push_back(std::move(report));
    return reports;
  }
  SavedCurrent saved;
  const std::vector<DisplayCandidate> candidates = FindDisplays();
  for (size_t i = 0; i < candidates.size(); ++i) {
    reports.push_back(Report(static_cast<int>(i), candidates[i],
                             OpenCandidate(candidates[i])));
    reports.back().description = candidates[i].describe();
  }
  return reports;
}

}  // namespace gles_delegate::egl
