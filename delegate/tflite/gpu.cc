#include "delegate/tflite/gpu.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

// What a user must know who thinks that a GPU computes.
std::string SoftwareWarning(const egl::Context& context) {
  return absl::StrCat(
      "WARNING: TfLiteGlesDelegate: software rendering: ",
      context.device().renderer,
      " computes on the CPU, where float models are slower than with XNNPACK",
      context.hardware_errors().empty()
          ? ""
          : absl::StrCat(". No hardware: ", context.hardware_errors()),
      ". allow_software=0 declines software rendering");
}

egl::ContextOptions WantedContext(const Options& options) {
  egl::ContextOptions wanted;
  wanted.device = options.device;
  wanted.allow_software = options.allow_software;
  return wanted;
}

absl::StatusOr<std::unique_ptr<egl::Context>> AdoptCurrent(
    const Options& options) {
  auto adopted = egl::Context::AdoptCurrent();
  if (adopted.ok() && (*adopted)->device().software &&
      !options.allow_software) {
    return absl::UnavailableError(absl::StrCat(
        "it is of software rendering (", (*adopted)->device().renderer,
        "), which allow_software=0 declines"));
  }
  return adopted;
}

absl::StatusOr<std::unique_ptr<egl::Context>> MakeContext(
    const Options& options, absl::FunctionRef<void(const std::string&)> log) {
  if (!options.force_own_context && egl::Context::HasCurrent()) {
    auto adopted = AdoptCurrent(options);
    if (adopted.ok()) return adopted;
    if (options.verbosity >= 1) {
      log(absl::StrCat(
          "TfLiteGlesDelegate: the current EGL context is not used: ",
          adopted.status().message(), "; the delegate makes its own"));
    }
  }
  return egl::Context::Create(WantedContext(options));
}

}  // namespace

Gpu::~Gpu() {
  if (context == nullptr) return;
  // Programs go while their context is current; where it cannot be made current
  // (another thread holds it), they go with it.
  (void)context->Run([this] {
    programs = ProgramCache();
    return absl::OkStatus();
  });
}

absl::Status Gpu::Renew(const Options& options) {
  if (!context->is_lost()) return absl::OkStatus();
  const egl::DeviceInfo& before = context->device();
  if (!context->owned()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the app's OpenGL ES context on ", before.renderer,
        " was reset, and what the delegate held in it is gone. Apply the "
        "delegate again (ModifyGraphWithDelegate on a new interpreter) with a "
        "new context current"));
  }
  auto renewed = egl::Context::Create(WantedContext(options));
  if (!renewed.ok()) return renewed.status();
  const egl::DeviceInfo& now = (*renewed)->device();
  if (now.renderer != before.renderer || now.version != before.version) {
    return absl::UnavailableError(absl::StrCat(
        "the OpenGL ES context on ", before.renderer, " (", before.version,
        ") is lost, and there is none but on ", now.renderer, " (", now.version,
        "), for which nothing is planned. Apply the delegate again"));
  }
  programs = ProgramCache();  // of the lost context, which is not current
  context = *std::move(renewed);
  if (keeps_current) context->KeepCurrent();
  ++losses;
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Gpu>> MakeGpu(
    const Options& options, absl::FunctionRef<void(const std::string&)> log) {
  auto context = MakeContext(options, log);
  if (!context.ok()) return context.status();
  auto gpu = std::make_shared<Gpu>();
  gpu->context = *std::move(context);
  const egl::DeviceInfo& device = gpu->context->device();
  if (options.verbosity >= 1 && device.software) {
    log(SoftwareWarning(*gpu->context));
  }
  if (options.verbosity >= 2) {
    log(absl::StrCat("TfLiteGlesDelegate: running on ", device.renderer, " (",
                     device.version, ")"));
  }
  return gpu;
}

}  // namespace gles_delegate
