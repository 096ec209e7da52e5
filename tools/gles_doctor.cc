// Whether the GPU of this machine is worth using, and if not, why: the devices,
// a check of the delegate against the CPU, and a short benchmark.
#include <algorithm>
#include <cstdio>
#include <random>
#include <string>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "egl/context.h"
#include "nlohmann/json.hpp"
#include "tools/common/progress.h"
#include "tools/gles_demo/demo_model.h"
#include "tools/runner/backend.h"
#include "tools/runner/backend_flags.h"
#include "tools/runner/choice.h"
#include "tools/runner/command_line.h"
#include "tools/runner/gles_options.h"
#include "tools/runner/inputs.h"
#include "tools/runner/latency.h"
#include "tools/runner/output_diff.h"
#include "tools/runner/report_json.h"

ABSL_FLAG(double, seconds, 1, "how long each side is timed");

namespace gles_delegate {
namespace {

constexpr char kUsage[] =
    "Says whether the GPU of this machine is worth using for TensorFlow Lite: "
    "lists the devices and what each lacks, compares the delegate's results "
    "with the CPU's, and times both.\n\n"
    "  gles_doctor [--graph=MODEL.tflite] [--num_threads=4]\n\n"
    "Without a model it uses its own, a network of image filters. The CPU is "
    "XNNPACK with --num_threads.\n"
    "Exit status: 0 if the delegate works here, on hardware or software; 1 if "
    "not.";
constexpr int kSize = 256;          // of the own model's pictures
constexpr double kMaxError = 1e-4;  // of the largest output: float32 both ways

void PrintTitle(const char* title) {
  std::printf("%s\n", Colored(title, Tone::kTitle).c_str());
}

void Print(const std::string& text) {
  std::printf("%s\n", Wrap(text, 2).c_str());
}

// Advice about a display that does not work, "" if none is known.
std::string Advice(const egl::DisplayReport& display) {
  if (absl::StrContains(display.error, "no render node")) {
    return "no GPU is visible: is its driver loaded? In a container, pass the "
           "device (--device /dev/dri, or --gpus all for NVIDIA)";
  }
  if (absl::StrContains(display.error, "ermission denied")) {
    return "the user may not open the device: add it to the group render";
  }
  return "";
}

// Prints the displays and what to do about them; returns the same.
nlohmann::ordered_json ReportDisplays() {
  PrintTitle("Devices");
  PrintDevices();
  bool has_hardware = false, has_software = false;
  auto devices = nlohmann::ordered_json::array();
  for (const egl::DisplayReport& display : egl::ListDisplays()) {
    const std::string advice = Advice(display);
    if (!advice.empty()) Print("  " + display.description + ": " + advice);
    if (display.error.empty()) {
      (display.software ? has_software : has_hardware) = true;
    }
    devices.push_back({{"display", display.description},
                       {"renderer", display.renderer},
                       {"driver", display.version},
                       {"software", display.software},
                       {"error", display.error},
                       {"advice", advice}});
  }
  if (!has_hardware && has_software) {
    Print(
        "  Only software renders here: the GPU has no driver with OpenGL ES "
        "3.1 that this process can open.");
  }
  return devices;
}

struct Check {
  nlohmann::json report;
  double max_error = 0;  // of the largest output
  double gles_ms = 0;    // medians
  double cpu_ms = 0;
};

absl::Status FillAndInvoke(Interpreter& interpreter) {
  std::mt19937 random(1);
  auto inputs = MakeInputs(interpreter, FloatInputs::kUniform, random);
  if (!inputs.ok()) return inputs.status();
  if (absl::Status s = WriteInputs(interpreter, *inputs); !s.ok()) return s;
  return interpreter.Invoke();
}

absl::StatusOr<double> MedianMs(Interpreter& interpreter) {
  LatencyOptions options;
  options.num_runs = 3;
  options.min_secs = options.max_secs = absl::GetFlag(FLAGS_seconds);
  options.shows_progress = true;
  auto latency = MeasureLatency(interpreter, options);
  if (!latency.ok()) return latency.status();
  return latency->invoke_ms.median;
}

absl::StatusOr<Check> CheckModel(const Model& model) {
  BackendSpec cpu, gles;
  cpu.kind = BackendSpec::Kind::kXnnpack;
  cpu.num_threads = gles.num_threads = absl::GetFlag(FLAGS_num_threads);
  gles.kind = BackendSpec::Kind::kGles;
  auto options = GlesOptionsFromFlag();
  if (!options.ok()) return options.status();
  gles.options = *std::move(options);
  auto reference = Backend::Create(model, cpu);
  if (!reference.ok()) return reference.status();
  auto actual = Backend::Create(model, gles);
  if (!actual.ok()) return actual.status();
  Interpreter &expected = (*reference)->interpreter(),
              &found = (*actual)->interpreter();
  for (Interpreter* interpreter : {&expected, &found}) {
    if (absl::Status s = FillAndInvoke(*interpreter); !s.ok()) return s;
  }
  Check check;
  for (int i = 0; i < static_cast<int>(expected.outputs()); ++i) {
    OutputDiff diff;
    diff.Add(expected.output(i).AsFloats(), found.output(i).AsFloats(), 1);
    if (diff.mismatches() > 0) check.max_error = 1e30;  // NaN on one side
    check.max_error = std::max(check.max_error, diff.max_relative());
  }
  check.report = nlohmann::json::parse((*actual)->GlesReport(), nullptr,
                                       /*allow_exceptions=*/false);
  if (!check.report.contains("nodes_total")) {
    return absl::InternalError("the delegate has no report");
  }
  auto gles_ms = MedianMs(found);
  if (!gles_ms.ok()) return gles_ms.status();
  auto cpu_ms = MedianMs(expected);
  if (!cpu_ms.ok()) return cpu_ms.status();
  check.gles_ms = *gles_ms;
  check.cpu_ms = *cpu_ms;
  return check;
}

int Delegated(const Check& check) {
  return check.report.value("nodes_delegated", 0);
}

// Of other models than the own one the tolerance is not known: their programs'
// self-check counts alone.
bool IsRight(const Check& check) {
  for (const auto& partition : check.report["partition"]) {
    if (partition["self_check"].value("verdict", "") == "wrong") return false;
  }
  return !absl::GetFlag(FLAGS_graph).empty() ||
         (Delegated(check) > 0 && check.max_error <= kMaxError);
}

void PrintCheck(const Check& check) {
  const nlohmann::json& report = check.report;
  PrintTitle("\nCheck");
  Print(absl::StrFormat("  %s, %s", report.value("renderer", "no renderer"),
                        report.value("driver", "")));
  Print(absl::StrFormat(
      "  %d of %d nodes on it; largest difference from the "
      "CPU: %.1e of the largest output: %s",
      report.value("nodes_delegated", 0), report.value("nodes_total", 0),
      check.max_error, IsRight(check) ? "right" : "WRONG"));
  for (const auto& partition : report["partition"]) {
    const nlohmann::json& self_check = partition["self_check"];
    Print(absl::StrFormat(
        "  self-check: %s, %d of %d programs", self_check.value("verdict", ""),
        self_check.value("checked", 0), self_check.value("programs", 0)));
    for (const auto& fault : self_check["faults"]) {
      Print("    " + fault.get<std::string>());
    }
  }
  for (const auto& node : report["cpu"]) {
    Print(absl::StrCat("  ", node.value("op", "a node"),
                       " stays on the CPU: ", node.value("reason", "")));
  }
}

struct Verdict {
  bool use_delegate = false;
  std::string text;
};

Verdict VerdictOf(const Check& check) {
  if (!IsRight(check)) {
    return {false, "Use the CPU here: this driver computes wrong results."};
  }
  if (Delegated(check) == 0) {
    return {false, "Use the CPU here: no node of this model runs on the GPU."};
  }
  const bool software = check.report.value("software", false);
  const Choice choice = ChooseByTime(check.gles_ms, check.cpu_ms, software);
  return {choice.use_delegate,
          absl::StrFormat(
              "%s: %.2f ms with the delegate%s, %.2f ms with "
              "XNNPACK on %d thread%s, %s.",
              choice.text, check.gles_ms, software ? " (software)" : "",
              check.cpu_ms, absl::GetFlag(FLAGS_num_threads),
              absl::GetFlag(FLAGS_num_threads) == 1 ? "" : "s",
              absl::GetFlag(FLAGS_graph).empty()
                  ? "for the built-in model; --graph=MODEL.tflite for yours"
                  : "for this model")};
}

// Prints the verdict, and writes all to --report_json.
absl::Status Conclude(const nlohmann::ordered_json& devices, const Check& check,
                      const Verdict& verdict) {
  PrintTitle("\nVerdict");
  std::printf("%s\n", Colored(Wrap("  " + verdict.text, 2),
                              verdict.use_delegate ? Tone::kGood : Tone::kBad)
                          .c_str());
  return WriteReport({{"use_delegate", verdict.use_delegate},
                      {"verdict", verdict.text},
                      {"gles_ms", check.gles_ms},
                      {"cpu_ms", check.cpu_ms},
                      {"num_threads", absl::GetFlag(FLAGS_num_threads)},
                      {"max_error", check.max_error},
                      {"devices", devices},
                      {"report", check.report}});
}

absl::Status Run() {
  const auto devices = ReportDisplays();
  auto model = absl::GetFlag(FLAGS_graph).empty()
                   ? Model::FromBuffer(demo::BuildDemoModel(kSize))
                   : ModelFromFlags();
  if (!model.ok()) return model.status();
  CatchInterrupts();
  auto check = CheckModel(**model);
  if (!check.ok()) {
    auto s = Conclude(devices, {},
                      {false, "Use the CPU here: the delegate cannot run."});
    return s.ok() ? check.status() : s;
  }
  PrintCheck(*check);
  if (auto s = Conclude(devices, *check, VerdictOf(*check)); !s.ok()) return s;
  return IsRight(*check)
             ? absl::OkStatus()
             : absl::InternalError("this driver computes wrong results");
}

int Main(int argc, char** argv) {
  ThreadsOfACpu();
  WithoutChoiceOfBackend();
  return RunTool(argc, argv, "gles_doctor", kUsage, Run);
}

}  // namespace
}  // namespace gles_delegate

int main(int argc, char** argv) { return gles_delegate::Main(argc, argv); }
