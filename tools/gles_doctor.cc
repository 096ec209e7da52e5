// Whether the GPU of this machine is worth using, and if not, why: the devices,
// and models on the CPU and with the delegate.
#include <cstdio>
#include <string>
#include <vector>

#include "absl/flags/declare.h"
#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "gles_delegate/gles_delegate.h"
#include "nlohmann/json.hpp"
#include "tools/common/progress.h"
#include "tools/common/text_file.h"
#include "tools/gles_doctor/checkup.h"
#include "tools/runner/backend_flags.h"
#include "tools/runner/command_line.h"
#include "tools/runner/gles_options.h"
#include "tools/runner/report_json.h"
#include "tools/runner/tflite_flag.h"

ABSL_DECLARE_FLAG(std::string, gles_options);
ABSL_FLAG(double, seconds, 1, "how long each side is timed");
ABSL_FLAG(int, max_batch, 32, "the largest batch to try");
ABSL_FLAG(std::string, require, "",
          "hardware: exit with status 2 unless a GPU runs the models");
ABSL_FLAG(std::string, report_csv, "",
          "write a line of CSV for each model to this file");

namespace gles_delegate {
namespace {

using nlohmann::ordered_json;

constexpr char kUsage[] =
    "Says whether the GPU of this machine is worth using for TensorFlow Lite. "
    "Lists the devices and what each lacks, runs each model on the CPU and "
    "with the delegate by turns, and compares results and times.\n\n"
    "  gles_doctor [MODEL.tflite...] [--require=hardware]\n\n"
    "Without a model it runs a small built-in network. The CPU is XNNPACK on "
    "up to four threads, unless --num_threads says otherwise.\n"
    "Exit status: 0 if the delegate works here, on hardware or software; 1 if "
    "not, or if a model cannot be read; 2 if --require=hardware finds none.";

void Print(const std::string& text) {
  std::printf("%s\n", Wrap(text, 4).c_str());
}

// A time or a rate without an exponent, however small the model is.
std::string Figure(double value) {
  return value >= 1000   ? absl::StrFormat("%.0f", value)
         : value >= 0.01 ? absl::StrFormat("%.4g", value)
                         : absl::StrFormat("%.4f", value);
}

void PrintTimes(const ordered_json& checkup) {
  Print(absl::StrFormat(
      "  %s ms with the delegate, %s ms on the CPU (%d thread%s)",
      Figure(checkup["gles_ms"]), Figure(checkup["cpu_ms"]),
      absl::GetFlag(FLAGS_num_threads),
      absl::GetFlag(FLAGS_num_threads) == 1 ? "" : "s"));
  const auto rates = [&](const std::string& name) {
    const std::string rate = Figure(checkup[name + "_per_s"]);
    const int batch = checkup[name + "_batch"];
    return batch == 1
               ? rate
               : absl::StrFormat("%s, %s in batches of %d", rate,
                                 Figure(checkup[name + "_batch_per_s"]), batch);
  };
  Print(absl::StrCat("  inferences a second with the delegate ", rates("gles"),
                     "; on the CPU ", rates("cpu")));
}

void PrintCheckup(const ordered_json& checkup) {
  std::printf(
      "\n%s\n",
      Colored(checkup["model"].get<std::string>(), Tone::kTitle).c_str());
  const Tone tone = checkup["use"] == "gpu" ? Tone::kGood : Tone::kBad;
  std::printf("  %s\n",
              Colored(checkup["verdict"].get<std::string>(), tone).c_str());
  if (!checkup["error"].is_null()) {
    std::fflush(stdout);
    std::fprintf(stderr, "gles_doctor: %s\n",
                 checkup["error"].get<std::string>().c_str());
  }
  if (!checkup["gles_ms"].is_null()) PrintTimes(checkup);
  if (checkup["report"].is_null()) return;
  Print(absl::StrFormat(
      "  %d of %d nodes on %s; error %.1e of the largest output",
      checkup["nodes_delegated"].get<int>(), checkup["nodes_total"].get<int>(),
      checkup["renderer"].get<std::string>(),
      checkup["max_error"].is_null() ? 0 : checkup["max_error"].get<double>()));
  for (const auto& partition : checkup["report"]["partition"]) {
    for (const auto& fault : partition["self_check"]["faults"]) {
      Print("  self-check: " + fault.get<std::string>());
    }
  }
  for (const auto& node : checkup["report"]["cpu"]) {
    Print(absl::StrCat("  ", node.value("op", "a node"),
                       " stays on the CPU: ", node.value("reason", "")));
  }
}

absl::StatusOr<ordered_json> Checkups(const std::vector<std::string>& paths) {
  CheckupOptions options;
  ASSIGN_OR_RETURN(options.gles_options, GlesOptionsFromFlag());
  options.num_threads = absl::GetFlag(FLAGS_num_threads);
  options.seconds = absl::GetFlag(FLAGS_seconds);
  options.max_batch = absl::GetFlag(FLAGS_max_batch);
  ordered_json checkups = ordered_json::array();
  for (const std::string& path : paths) {
    if (Interrupted()) break;
    ordered_json checkup = EmptyCheckup(path);
    const auto model = path == kOwnModel ? Model::FromBuffer(BuildOwnModel())
                                         : Model::FromFile(path);
    if (model.ok()) {
      CheckModel(**model, options, checkup);
    } else {
      checkup["error"] = std::string(model.status().message());
    }
    PrintCheckup(checkup);
    checkups.push_back(std::move(checkup));
  }
  return checkups;
}

// The exit status, of what --help says.
int StatusOf(bool hardware, const ordered_json& checkups) {
  int status = 0;
  for (const ordered_json& checkup : checkups) {
    if (checkup["right"] != true || !checkup["error"].is_null()) status = 1;
    if (checkup["software"] == true) hardware = false;
  }
  return absl::GetFlag(FLAGS_require).empty() || hardware ? status : 2;
}

absl::Status Run(std::vector<std::string> paths, int* exit_status) {
  const std::string require = absl::GetFlag(FLAGS_require);
  if (!require.empty() && require != "hardware") {
    return absl::InvalidArgumentError("--require has one value: hardware");
  }
  const std::string graph = absl::GetFlag(FLAGS_graph);
  if (!graph.empty()) paths.push_back(graph);
  if (paths.empty()) paths.push_back(kOwnModel);
  CatchInterrupts();
  std::printf("%s\n", Colored("Devices", Tone::kTitle).c_str());
  const ordered_json devices = PrintDevices();
  const bool hardware = TfLiteGlesDelegateIsSupported(nullptr) == 1;
  const std::string reason(absl::StripPrefix(
      hardware ? "" : TfLiteGlesDelegateLastError(), "TfLiteGlesDelegate: "));
  ASSIGN_OR_RETURN(auto checkups, Checkups(paths));
  *exit_status = StatusOf(hardware, checkups);
  if (*exit_status == 2) Print("\nNo GPU runs this, which --require asks for.");
  absl::Status status =
      WriteReport({{"version", TfLiteGlesDelegateVersion()},
                   {"tflite", TfliteName()},
                   {"num_threads", absl::GetFlag(FLAGS_num_threads)},
                   {"options", absl::GetFlag(FLAGS_gles_options)},
                   {"hardware", hardware},
                   {"reason", reason},
                   {"status", *exit_status},
                   {"devices", devices},
                   {"models", checkups}});
  if (const std::string csv = absl::GetFlag(FLAGS_report_csv); !csv.empty()) {
    status.Update(WriteText(csv, ToCsv(checkups)));
  }
  if (status.ok() && Interrupted()) {
    status = absl::CancelledError("interrupted; what was timed is above");
  }
  return status;
}

int Main(int argc, char** argv) {
  ThreadsOfACpu();
  WithoutChoiceOfBackend();
  std::vector<std::string> paths;
  int exit_status = 0;
  const int failed = RunTool(
      argc, argv, "gles_doctor", kUsage,
      [&] { return Run(paths, &exit_status); }, &paths);
  return failed != 0 ? failed : exit_status;
}

}  // namespace
}  // namespace gles_delegate

int main(int argc, char** argv) { return gles_delegate::Main(argc, argv); }
