#include "egl/context.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "egl/current_context.h"
#include "egl/displays.h"
#include "egl/egl_error.h"
#include "egl/gl_state.h"
#include "egl/headless.h"

namespace gles_delegate::egl {
namespace {

constexpr char kDeviceVariable[] = "GLES_DELEGATE_DEVICE";

// A display that was tried: with a context and its device, or an error.
struct Opened {
  HeadlessContext context;
  DeviceInfo device;
  std::string hardware_errors;  // see Context
};

absl::StatusOr<Opened> OpenCandidate(const DisplayCandidate& candidate,
                                     bool debug) {
  absl::StatusOr<HeadlessContext> context =
      HeadlessContext::Open(candidate, debug);
  if (!context.ok()) return context.status();
  SavedCurrent saved;
  if (absl::Status status = context->MakeCurrent(); !status.ok()) return status;
  absl::StatusOr<DeviceInfo> device = ReadDeviceInfo();
  // Restored before `context` can be destroyed: a context that is current only
  // goes when it is let go.
  if (absl::Status status = saved.Restore(context->display()); !status.ok()) {
    return status;
  }
  if (!device.ok()) return device.status();
  return Opened{*std::move(context), *std::move(device), ""};
}

// All but its description.
DisplayReport Report(int index, const DisplayCandidate& candidate,
                     const absl::StatusOr<Opened>& opened) {
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

// What the user asked for.
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
    const char* from_environment = std::getenv(kDeviceVariable);
    if (from_environment != nullptr) choice.text = from_environment;
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
    return absl::UnavailableError(absl::StrCat(
        "no OpenGL ES 3.1 context could be made without a window. Tried:",
        tried,
        "\nInstall a driver (Debian: libegl-mesa0 has one for any CPU), or "
        "make a context current before the delegate is applied."));
  }
  return absl::UnavailableError(
      absl::StrCat("no device for \"", choice.text, "\" (from ", choice.source,
                   "). It may be an index below or a part of a name:", tried));
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

// Opens candidates until one is hardware and matches; the first matching
// software one where none is and `options` allow that.
absl::StatusOr<Opened> OpenBest(const Choice& choice,
                                const ContextOptions& options) {
  const std::vector<DisplayCandidate> candidates = FindDisplays();
  absl::StatusOr<Opened> software = absl::UnavailableError("none");
  std::vector<DisplayReport> reports;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const int index = static_cast<int>(i);
    absl::StatusOr<Opened> opened =
        choice.MayOpen(index) ? OpenCandidate(candidates[i], options.debug)
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
  return absl::UnavailableError(absl::StrCat(
      "there is software rendering alone (", software->device.renderer,
      "), which allow_software=0 declines. Hardware: ",
      software->hardware_errors.empty() ? "none found"
                                        : software->hardware_errors));
}

void StartDebugMessages() {
  gl().Enable(GL_DEBUG_OUTPUT_KHR);
  // In the call that causes them, so that an error finds its own message.
  gl().Enable(GL_DEBUG_OUTPUT_SYNCHRONOUS_KHR);
}

const char* ResetText(GLenum status) {
  switch (status) {
    case GL_GUILTY_CONTEXT_RESET_KHR:
      return "by commands of this context";
    case GL_INNOCENT_CONTEXT_RESET_KHR:
      return "by another context's commands";
    default:
      return "for a reason that the driver does not know";
  }
}

}  // namespace

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
                             OpenCandidate(candidates[i], /*debug=*/false)));
    reports.back().description = candidates[i].describe();
  }
  return reports;
}

absl::StatusOr<std::unique_ptr<Context>> Context::Create(
    const ContextOptions& options) {
  if (absl::Status status = LoadGl(); !status.ok()) return status;
  SavedCurrent saved;
  absl::StatusOr<Opened> opened = OpenBest(ReadChoice(options), options);
  if (!opened.ok()) return opened.status();

  std::unique_ptr<Context> context(new Context);
  context->display_ = opened->context.display();
  context->context_ = opened->context.context();
  context->draw_ = context->read_ = opened->context.surface();
  context->owned_ = true;
  context->device_ = std::move(opened->device);
  context->hardware_errors_ = std::move(opened->hardware_errors);
  opened->context.Release();
  if (options.debug && context->device_.Has("GL_KHR_debug")) {
    absl::Status status = context->Run([] {
      StartDebugMessages();
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
  }
  return context;
}

absl::StatusOr<std::unique_ptr<Context>> Context::AdoptCurrent() {
  if (absl::Status status = LoadGl(); !status.ok()) return status;
  std::unique_ptr<Context> context(new Context);
  context->display_ = egl().GetCurrentDisplay();
  context->context_ = egl().GetCurrentContext();
  context->draw_ = egl().GetCurrentSurface(EGL_DRAW);
  context->read_ = egl().GetCurrentSurface(EGL_READ);
  absl::StatusOr<DeviceInfo> device = ReadDeviceInfo();
  if (!device.ok()) return device.status();
  context->device_ = *std::move(device);
  return context;
}

bool Context::HasCurrent() {
  return LoadGl().ok() && egl().GetCurrentContext() != EGL_NO_CONTEXT;
}

Context::~Context() {
  if (!owned_) return;
  // Destroying a current context only marks it; nobody else would let it go.
  if (egl().GetCurrentContext() == context_) {
    egl().MakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  }
  if (draw_ != EGL_NO_SURFACE) egl().DestroySurface(display_, draw_);
  egl().DestroyContext(display_, context_);
}

absl::Status Context::MakeCurrent() {
  if (egl().MakeCurrent(display_, draw_, read_, context_)) {
    return absl::OkStatus();
  }
  EGLint error = egl().GetError();
  // An app may have closed the window that it had when it was adopted.
  if (error == EGL_BAD_SURFACE || error == EGL_BAD_NATIVE_WINDOW) {
    if (egl().MakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_)) {
      return absl::OkStatus();
    }
    error = egl().GetError();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the ", owned_ ? "delegate's own" : "app's",
                   " EGLContext could not be made current on this thread: ",
                   EglErrorText(error)));
}

absl::Status Context::Run(absl::FunctionRef<absl::Status()> fn) {
  if (egl().GetCurrentContext() == context_) return RunCurrent(fn);
  SavedCurrent saved;
  if (absl::Status status = MakeCurrent(); !status.ok()) return status;
  absl::Status status = RunCurrent(fn);
  status.Update(saved.Restore(display_));
  return status;
}

absl::Status Context::RunCurrent(absl::FunctionRef<absl::Status()> fn) {
  if (running_) return fn();
  if (absl::Status status = CheckReset(); !status.ok()) return status;
  running_ = true;
  absl::Status status;
  if (owned_) {
    status = fn();
  } else {
    const GlState state(device_);
    status = fn();
    state.Restore();
  }
  running_ = false;
  // A reset in the middle makes calls fail for no reason of their own.
  if (!status.ok()) {
    if (absl::Status reset = CheckReset(); !reset.ok()) {
      return absl::AbortedError(
          absl::StrCat(reset.message(), "; meanwhile: ", status.message()));
    }
  }
  return status;
}

absl::Status Context::CheckReset() {
  GLenum reset = GL_NO_ERROR;
  if (device_.Has("GL_KHR_robustness")) {
    reset = gl().GetGraphicsResetStatusKHR();
  } else if (device_.Has("GL_EXT_robustness")) {
    reset = gl().GetGraphicsResetStatusEXT();
  }
  if (reset == GL_NO_ERROR && !lost_) return absl::OkStatus();
  lost_ = true;
  return absl::AbortedError(absl::StrCat(
      "the OpenGL ES context on ", device_.renderer, " was reset ",
      ResetText(reset),
      "; every object in it is gone. Make a new context and delegate"));
}

}  // namespace gles_delegate::egl
