#include "tools/runner/backend_flags.h"

#include <cstdio>
#include <set>
#include <thread>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "gles_delegate/gles_delegate.h"
#include "tools/common/progress.h"
#include "tools/runner/command_line.h"
#include "tools/runner/tflite_flag.h"

ABSL_FLAG(std::string, graph, "", "the .tflite model to run");
ABSL_FLAG(int, num_threads, 1,
          "CPU threads, of the built-in kernels and XNNPACK");
ABSL_FLAG(bool, use_gles, false, "run on OpenGL ES, by libgles_delegate");
ABSL_FLAG(bool, use_xnnpack, false, "run on the CPU, by XNNPACK");
ABSL_FLAG(bool, use_cpu, false, "run on the CPU, by TFLite's built-in kernels");
ABSL_FLAG(std::string, external_delegate_path, "",
          "run by the external delegate in this library");
ABSL_FLAG(std::string, external_delegate_options, "",
          "options of the external delegate, as key:value;key:value");
ABSL_FLAG(bool, list_devices, false,
          "list the EGL displays of this machine, as the delegate's option "
          "`device` chooses among them, and exit");

namespace gles_delegate {

absl::StatusOr<std::vector<BackendSpec>> BackendsFromFlags(
    Compilation compilation) {
  BackendSpec base;
  base.num_threads = absl::GetFlag(FLAGS_num_threads);
  ASSIGN_OR_RETURN(auto gles_options, GlesOptionsFromFlag());
  ASSIGN_OR_RETURN(
      auto external_options,
      ParseDelegateOptions(absl::GetFlag(FLAGS_external_delegate_options),
                           "external_delegate_options"));
  if (!gles_options.empty() && !absl::GetFlag(FLAGS_use_gles)) {
    return OnlyForGles("gles_options");
  }
  if (!external_options.empty() &&
      absl::GetFlag(FLAGS_external_delegate_path).empty()) {
    return absl::InvalidArgumentError(
        "--external_delegate_options needs --external_delegate_path");
  }

  std::vector<BackendSpec> specs;
  if (absl::GetFlag(FLAGS_use_cpu)) specs.push_back(base);
  if (absl::GetFlag(FLAGS_use_xnnpack)) {
    specs.push_back(base);
    specs.back().kind = BackendSpec::Kind::kXnnpack;
  }
  if (!absl::GetFlag(FLAGS_external_delegate_path).empty()) {
    specs.push_back(base);
    specs.back().kind = BackendSpec::Kind::kExternal;
    specs.back().library_path = absl::GetFlag(FLAGS_external_delegate_path);
    specs.back().options = std::move(external_options);
  }
  if (absl::GetFlag(FLAGS_use_gles)) {
    specs.push_back(base);
    specs.back().kind = BackendSpec::Kind::kGles;
    DelegateOptions& options = specs.back().options;
    options = std::move(gles_options);
    // Of a key that comes twice the last value counts: the user's.
    if (compilation == Compilation::kAtOnce) {
      options.insert(options.begin(), {"startup", "direct"});
    }
  }
  return specs;
}

absl::StatusOr<std::vector<BackendSpec>> BackendsOrGles() {
  if (!absl::GetFlag(FLAGS_use_cpu) && !absl::GetFlag(FLAGS_use_xnnpack) &&
      absl::GetFlag(FLAGS_external_delegate_path).empty()) {
    absl::SetFlag(&FLAGS_use_gles, true);
  }
  return BackendsFromFlags();
}

absl::Status OnlyForGles(absl::string_view flag) {
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag,
                   " is for the GLES delegate, which does not run: add "
                   "--use_gles"));
}

void WithoutChoiceOfBackend() {
  WithoutFlags({"use_gles", "use_xnnpack", "use_cpu", "external_delegate_path",
                "external_delegate_options"});
}

void ThreadsOfACpu() {
  absl::SetFlag(
      &FLAGS_num_threads,
      std::max(1u, std::min(4u, std::thread::hardware_concurrency())));
}

absl::StatusOr<std::unique_ptr<Model>> ModelFromFlags() {
  const std::string path = absl::GetFlag(FLAGS_graph);
  if (path.empty()) {
    return absl::InvalidArgumentError("Give a model: --graph=MODEL.tflite");
  }
  return Model::FromFile(path);
}

nlohmann::ordered_json PrintDevices() {
  auto devices = nlohmann::ordered_json::parse(TfLiteGlesDelegateDevices());
  for (const auto& device : devices) {
    const auto text = [&](const char* key) {
      return device[key].get<std::string>();
    };
    const std::string found =
        text("error").empty()
            ? absl::StrCat(text("renderer"), " (", text("version"), ")",
                           device["software"] ? ", software" : "")
            : absl::StrCat("not usable: ", text("error"));
    std::printf("%2d  %s\n%s\n", device["index"].get<int>(),
                text("description").c_str(), Wrap("      " + found, 6).c_str());
  }
  return devices;
}

void PrintLog(Interpreter& interpreter, const std::string& backend) {
  std::set<std::string> seen;
  for (const std::string& message : interpreter.TakeLog()) {
    if (seen.insert(message).second) {
      std::fprintf(stderr, "%s: %s\n", backend.c_str(), message.c_str());
    }
  }
}

int RunTool(int argc, char** argv, const char* name, const std::string& usage,
            absl::FunctionRef<absl::Status()> run,
            std::vector<std::string>* rest) {
  const std::vector<char*> found = ParseCommandLine(argc, argv, usage);
  absl::Status status;
  if (rest != nullptr) {
    rest->assign(found.begin(), found.end());
  } else if (!found.empty()) {
    status = absl::InvalidArgumentError(absl::StrCat(
        "Arguments that are not flags: ", absl::StrJoin(found, " "),
        " (the model goes into --graph=; see --help)"));
  }
  if (status.ok() && absl::GetFlag(FLAGS_list_devices)) {
    PrintDevices();
    return 0;
  }
  if (status.ok()) status = OpenTfliteFromFlag();
  if (status.ok()) status = run();
  if (status.ok()) return 0;
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s\n", name, status.ToString().c_str());
  return absl::IsCancelled(status) ? kInterruptedExit : 1;
}

}  // namespace gles_delegate
