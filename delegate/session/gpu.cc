#include "delegate/session/gpu.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/session/share_groups.h"

namespace gles_delegate {
namespace {

using Log = absl::FunctionRef<void(const std::string&)>;

// `made`, as a replacement for the app's context: tells the user why, with the
// failure if there is one.
template <typename T>
absl::StatusOr<T> InPlace(absl::StatusOr<T> made, const std::string& why,
                          Log log) {
  if (!made.ok()) {
    return absl::Status(made.status().code(),
                        absl::StrCat(made.status().message(), "; ", why));
  }
  log(why);
  return made;
}

// On the app's display, if it gave one that works.
absl::StatusOr<std::unique_ptr<egl::Context>> MakeUnshared(
    const GpuOptions& options, Log log) {
  auto context = egl::Context::Create(options.context);
  if (options.context.display == EGL_NO_DISPLAY) return context;
  if (context.ok()) return context;
  const std::string why = absl::StrCat("the app's EGLDisplay is not used: ",
                                       context.status().message());
  egl::ContextOptions elsewhere = options.context;
  elsewhere.display = EGL_NO_DISPLAY;
  return InPlace(egl::Context::Create(elsewhere), why, log);
}

// The delegate's own context, and the objects shared by its partitions.
absl::StatusOr<SharingContext> MakeOwn(const GpuOptions& options, Log log) {
  if (options.share_key.empty()) {
    ASSIGN_OR_RETURN(auto context, MakeUnshared(options, log));
    return SharingContext{std::move(context),
                          std::make_shared<SharedObjects>()};
  }
  const auto make = [&](const egl::Context* other) {
    if (other != nullptr) {
      return egl::Context::CreateSharing(*other, /*debug=*/false);
    }
    auto context = MakeUnshared(options, log);
    if (context.ok()) (*context)->FlushWhenReleased();
    return context;
  };
  const auto may_join = [&](const egl::Context& other) {
    return options.context.allow_software || !other.device().software;
  };
  const auto tell = [&](const absl::Status& why) {
    log(
        absl::StrCat("share_key: nothing is shared "
                     "with the delegates that there are: ",
                     why.message()));
  };
  return JoinShareGroup(absl::StrCat(options.has_worker ? "worker\n" : "own\n",
                                     options.Place(), "\n", options.share_key),
                        may_join, make, tell,
                        /*on_one_thread=*/options.has_worker);
}

// The EGLContext, as long as it lives.
std::string KeyOf(const egl::Context& context) {
  const auto address = [](const void* handle) {
    return absl::Hex(reinterpret_cast<uintptr_t>(handle));
  };
  return absl::StrCat(address(context.display()), "\n",
                      address(context.handle()));
}

// Around the app's context.
absl::StatusOr<SharingContext> Around(std::unique_ptr<egl::Context> adopted,
                                      const GpuOptions& options) {
  if (options.share_key.empty()) {
    return SharingContext{std::move(adopted),
                          std::make_shared<SharedObjects>()};
  }
  const std::string key =
      absl::StrCat("borrowed\n", KeyOf(*adopted), "\n", options.share_key);
  return JoinShareGroup(
      key, [](const egl::Context&) { return true; },
      [&](const egl::Context* other)
          -> absl::StatusOr<std::unique_ptr<egl::Context>> {
        if (other != nullptr) adopted->TakeShareGroupOf(*other);
        return std::move(adopted);
      },
      [](const absl::Status&) {});
}

// A context for a worker, with the app's objects.
absl::StatusOr<SharingContext> MakeWithObjectsOf(const egl::Context& app,
                                                 const GpuOptions& options) {
  const auto make = [&](const egl::Context*) {
    return egl::Context::CreateSharing(app, /*debug=*/false);
  };
  if (options.share_key.empty()) {
    ASSIGN_OR_RETURN(auto context, make(nullptr));
    return SharingContext{std::move(context),
                          std::make_shared<SharedObjects>()};
  }
  return JoinShareGroup(
      absl::StrCat("sharing\n", KeyOf(app), "\n", options.share_key),
      [](const egl::Context&) { return true; }, make,
      [](const absl::Status&) {}, /*on_one_thread=*/true);
}

absl::StatusOr<SharingContext> MakeContext(const GpuOptions& options,
                                           const ContextOrError& of_caller,
                                           Log log) {
  if (options.worker_shares) {
    if (of_caller.ok()) return MakeWithObjectsOf(**of_caller, options);
    return absl::Status(
        of_caller.status().code(),
        absl::StrCat("thread_mode: worker_sharing wants the app's EGLContext "
                     "current on the thread that applies the delegate: ",
                     of_caller.status().message()));
  }
  // On a worker's thread, the current context belongs to another delegate.
  if (!options.force_own_context && !options.has_worker &&
      egl::Context::HasCurrent()) {
    auto adopted = AdoptCurrent(options.context.allow_software);
    if (adopted.ok()) return Around(*std::move(adopted), options);
    const std::string why = absl::StrCat(
        "the current EGL context is not used: ", adopted.status().message());
    return InPlace(MakeOwn(options, log), why, log);
  }
  return MakeOwn(options, log);
}

}  // namespace

std::string GpuOptions::Place() const {
  if (context.display == EGL_NO_DISPLAY) return context.device;
  return absl::StrCat(absl::Hex(reinterpret_cast<uintptr_t>(context.display)),
                      " ", context.device);
}

absl::StatusOr<std::unique_ptr<egl::Context>> AdoptCurrent(
    bool allow_software) {
  auto adopted = egl::Context::AdoptCurrent();
  if (adopted.ok() && (*adopted)->device().software && !allow_software) {
    return absl::UnavailableError(absl::StrCat(
        "it is of software rendering (", (*adopted)->device().renderer,
        "), which device: hardware declines"));
  }
  return adopted;
}

Gpu::~Gpu() {
  if (context == nullptr) return;
  // Deletes objects while their context is current; if it cannot be made
  // current (another thread holds it), they are deleted with it.
  (void)context->Run([this] {
    objects.reset();
    return absl::OkStatus();
  });
  if (pins_context) context->Unpin();
}

absl::Status Gpu::Renew() {
  if (!context->is_lost()) return absl::OkStatus();
  const egl::DeviceInfo& before = context->device();
  objects->lost = true;
  if (has_objects_of_app()) {
    return absl::FailedPreconditionError(absl::StrCat(
        context->owned() ? "the OpenGL ES context that shares objects with the "
                           "app's on "
                         : "the app's OpenGL ES context on ",
        before.renderer,
        " was reset, and what the delegate held in it is gone. Apply the "
        "delegate again (ModifyGraphWithDelegate on a new interpreter) with a "
        "new context current"));
  }
  ASSIGN_OR_RETURN(auto renewed, MakeOwn(options, [](const std::string&) {}));
  const egl::DeviceInfo& now = renewed.context->device();
  if (now.renderer != before.renderer || now.version != before.version) {
    return absl::UnavailableError(absl::StrCat(
        "the OpenGL ES context on ", before.renderer, " (", before.version,
        ") is lost, and there is none but on ", now.renderer, " (", now.version,
        "), for which nothing is planned. Apply the delegate again"));
  }
  background = nullptr;  // kernels that it builds for still hold it
  objects = std::move(renewed.objects);  // the lost context is not current
  context = std::move(renewed.context);
  if (pins_context) context->Pin();
  ++losses;
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Gpu>> MakeGpu(
    const GpuOptions& options, const ContextOrError& of_caller,
    absl::FunctionRef<void(const std::string&)> log) {
  ASSIGN_OR_RETURN(auto context, MakeContext(options, of_caller, log));
  auto gpu = std::make_shared<Gpu>();
  gpu->options = options;
  gpu->context = std::move(context.context);
  gpu->objects = std::move(context.objects);
  if (options.worker_shares) gpu->shared_with = (*of_caller)->handle();
  const egl::DeviceInfo& device = gpu->context->device();
  if (device.software) {
    // The report says why no hardware was found.
    log(absl::StrCat("software rendering: ", device.renderer,
                     " computes on the CPU; device: hardware declines it"));
  }
  return gpu;
}

}  // namespace gles_delegate
