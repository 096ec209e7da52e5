#include "tools/runner/backend_flags.h"

#include <cstdio>
#include <set>

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
ABSL_FLAG(bool, list_devices, false,
          "list the EGL displays of this machine, as the delegate's option "
          "`device` chooses among them, and exit");

namespace gles_delegate {

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
