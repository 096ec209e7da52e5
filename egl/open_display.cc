#include "egl/open_display.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "egl/current_context.h"
#include "egl/displays.h"
#include "egl/environment.h"

namespace gles_delegate::egl {
namespace {

constexpr char kDeviceVariable[] = "GLES_DELEGATE_DEVICE";

// The context's driver; an error also if the context is lost.
absl::StatusOr<DeviceInfo> LookAt(const HeadlessContext& context) {
  SavedCurrent saved;
  RETURN_IF_ERROR(context.MakeCurrent());
  absl::StatusOr<DeviceInfo> device = ReadDeviceInfo();
  if (device.ok() && context.is_used() && ResetStatus(*device) != GL_NO_ERROR) {
    device = absl::AbortedError("the context was reset");
  }
  // Restored before `context` can be destroyed: a current context is only
  // destroyed when it is released.
  RETURN_IF_ERROR(saved.Restore(context.display()));
  return device;
}

absl::StatusOr<OpenedDisplay> OpenCandidate(const DisplayCandidate& candidate,
                                            bool debug,
                                            const SharedWith& shared) {
  for (;;) {
    ASSIGN_OR_RETURN(HeadlessContext context,
                     HeadlessContext::Open(candidate, debug, shared));
    absl::StatusOr<DeviceInfo> device = LookAt(context);
    if (device.ok()) {
      return OpenedDisplay{std::move(context), *std::move(device), ""};
    }
    if (!context.is_used()) return device.status();
    context.Discard();  // there are fewer each time
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
    const char* from_environment = EnvironmentValue(kDeviceVariable);
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

// A display that is there already.
DisplayCandidate CandidateOf(EGLDisplay display) {
  DisplayCandidate candidate;
  candidate.describe = [] { return std::string("the app's EGLDisplay"); };
  candidate.open = [display] { return display; };
  return candidate;
}

}  // namespace

absl::StatusOr<OpenedDisplay> OpenBestDisplay(const ContextOptions& options) {
  const Choice choice = ReadChoice(options);
  const std::vector<DisplayCandidate> candidates = FindDisplays();
  absl::StatusOr<OpenedDisplay> software = absl::UnavailableError("none");
  std::vector<DisplayReport> reports;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const int index = static_cast<int>(i);
    absl::StatusOr<OpenedDisplay> opened =
        choice.MayOpen(index) ? OpenCandidate(candidates[i], options.debug, {})
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
      "), which device: hardware declines. Hardware: ",
      software->hardware_errors.empty() ? "none found"
                                        : software->hardware_errors));
}

absl::StatusOr<OpenedDisplay> OpenSharing(EGLDisplay display,
                                          const SharedWith& shared,
                                          bool debug) {
  return OpenCandidate(CandidateOf(display), debug, shared);
}

absl::StatusOr<OpenedDisplay> OpenDisplayOfApp(const ContextOptions& options) {
  const Choice choice = ReadChoice(options);
  const DisplayCandidate candidate = CandidateOf(options.display);
  if (choice.index >= 0) {
    return absl::UnavailableError(absl::StrCat(choice.source, " names display ",
                                               choice.index, " instead"));
  }
  absl::StatusOr<OpenedDisplay> opened =
      OpenCandidate(candidate, options.debug, {});
  if (!opened.ok()) return opened.status();
  if (!choice.Matches(candidate, opened->device)) {
    return absl::UnavailableError(
        absl::StrCat("it is ", opened->device.renderer, ", not \"", choice.text,
                     "\" (from ", choice.source, ")"));
  }
  if (opened->device.software && !options.allow_software) {
    return absl::UnavailableError(
        absl::StrCat("it is of software rendering (", opened->device.renderer,
                     "), which device: hardware declines"));
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
    reports.push_back(
        Report(static_cast<int>(i), candidates[i],
               OpenCandidate(candidates[i], /*debug=*/false, {})));
    reports.back().description = candidates[i].describe();
  }
  return reports;
}

}  // namespace gles_delegate::egl
