// Whether the GPU of this machine is worth using, and if not, why: the devices,
// a check of the delegate against the CPU, and a short benchmark.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

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
#include "tools/runner/command_line.h"
#include "tools/runner/inputs.h"
#include "tools/runner/latency.h"
#include "tools/runner/output_diff.h"
#include "tools/runner/tflite_flag.h"

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

void Print(const std::string& text) {
  std::printf("%s\n", Wrap(text, 80, 2).c_str());
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

// Prints the displays and what to do about them.
void PrintDisplays() {
  std::printf("Devices\n");
  PrintDevices();
  bool has_hardware = false, has_software = false;
  for (const egl::DisplayReport& display : egl::ListDisplays()) {
    if (!display.error.empty()) {
      const std::string advice = Advice(display);
      if (!advice.empty()) Print("  " + display.description + ": " + advice);
    } else if (display.software) {
      has_software = true;
    } else {
      has_hardware = true;
    }
  }
  if (!has_hardware && has_software) {
    Print(
        "  Only software renders here: the GPU has no driver with OpenGL ES "
        "3.1 that this process can open.");
  }
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
  std::printf("\nCheck\n");
  Print(absl::StrFormat("  %s, %s", report.value("renderer", "no renderer"),
                        report.value("driver", "")));
  Print(absl::StrFormat(
      "  %d of %d nodes on it; largest difference from the "
      "CPU: %.1e of the largest output: %s",
      report.value("nodes_delegated", 0), report.value("nodes_total", 0),
      check.max_error, IsRight(check) ? "right" : "WRONG"));
  for (const auto& node : report["cpu"]) {
    Print(absl::StrCat("  ", node.value("op", "a node"),
                       " stays on the CPU: ", node.value("reason", "")));
  }
}

void PrintVerdict(const Check& check) {
  std::printf("\nVerdict\n");
  if (!IsRight(check) || Delegated(check) == 0) {
    Print(IsRight(check)
              ? "  Use the CPU here: no node of this model runs on the GPU."
              : "  Use the CPU here: this driver computes wrong results.");
    return;
  }
  const bool gpu = check.gles_ms < check.cpu_ms;
  const bool software = check.report.value("software", false);
  Print(absl::StrFormat(
      "  Use the %s here: %.2f ms with the delegate%s, %.2f ms with XNNPACK on "
      "%d thread(s), %s.",
      !gpu       ? "CPU"
      : software ? "delegate"
                 : "GPU",
      check.gles_ms, software ? " (software)" : "", check.cpu_ms,
      absl::GetFlag(FLAGS_num_threads),
      absl::GetFlag(FLAGS_graph).empty()
          ? "for the built-in model; --graph=MODEL.tflite for yours"
          : "for this model"));
}

absl::Status Run() {
  PrintDisplays();
  auto model = absl::GetFlag(FLAGS_graph).empty()
                   ? Model::FromBuffer(demo::BuildDemoModel(kSize))
                   : ModelFromFlags();
  if (!model.ok()) return model.status();
  CatchInterrupts();
  auto check = CheckModel(**model);
  if (!check.ok()) {
    std::printf("\nVerdict\n");
    Print("  Use the CPU here: the delegate cannot run.");
    return check.status();
  }
  PrintCheck(*check);
  PrintVerdict(*check);
  if (!IsRight(*check)) {
    return absl::InternalError("this driver computes wrong results");
  }
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  ThreadsOfACpu();
  return RunTool(argc, argv, "gles_doctor", kUsage, Run);
}

}  // namespace
}  // namespace gles_delegate

int main(int argc, char** argv) { return gles_delegate::Main(argc, argv); }
