// Whether the GPU of this machine is worth using, and if not, why: the devices,
// and models on the CPU and with the delegate.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "gles_delegate/gles_delegate.h"
#include "nlohmann/json.hpp"
#include "tools/common/progress.h"
#include "tools/common/text_file.h"
#include "tools/common/tflite_host.h"
#include "tools/runner/backend.h"
#include "tools/runner/backend_flags.h"
#include "tools/runner/command_line.h"
#include "tools/runner/inputs.h"
#include "tools/runner/latency.h"
#include "tools/runner/output_diff.h"
#include "tools/runner/tflite_flag.h"

ABSL_FLAG(double, seconds, 1, "how long each side is timed");
ABSL_FLAG(int, max_batch, 32, "the largest batch to try");
ABSL_FLAG(std::string, require, "",
          "hardware: exit with status 2 unless a GPU runs the models");
ABSL_FLAG(std::string, report_csv, "",
          "write a line of CSV for each model to this file");

namespace gles_delegate {
namespace {

// A model on the CPU and with the delegate, by turns: what gles_doctor says of
// it. docs/doctor.md has each key; python -m gles_delegate makes the same.

// The name of the model that is checked if none is given.
constexpr char kOwnModel[] = "built-in";

using nlohmann::ordered_json;

constexpr int kRounds = 5;
constexpr double kWorthABatch = 1.05;  // more inferences a second
constexpr double kNanOnOneSide = 1e30;

using Shapes = std::vector<std::vector<int>>;

struct Side {
  std::unique_ptr<Backend> backend;
  std::vector<InputBytes> inputs;
  Interpreter& interpreter() { return backend->interpreter(); }
};

// After one inference.
absl::StatusOr<Side> Start(const Model& model, const BackendSpec& spec,
                           const Shapes& shapes = {}) {
  Side side;
  ASSIGN_OR_RETURN(side.backend, Backend::Create(model, spec, shapes));
  std::mt19937 random(1);
  ASSIGN_OR_RETURN(side.inputs, MakeInputs(side.interpreter(),
                                           FloatInputs::kUniform, random));
  RETURN_IF_ERROR(WriteInputs(side.interpreter(), side.inputs));
  RETURN_IF_ERROR(side.interpreter().Invoke());
  return side;
}

// Of one of the rounds.
absl::StatusOr<double> MedianMs(Side& side) {
  LatencyOptions options;
  options.num_runs = 1;
  options.min_secs = options.max_secs = absl::GetFlag(FLAGS_seconds) / kRounds;
  options.before_each = [&] {
    return WriteInputs(side.interpreter(), side.inputs);
  };
  ASSIGN_OR_RETURN(auto latency, MeasureLatency(side.interpreter(), options));
  return latency.invoke_ms.median;
}

// Of the largest output.
double MaxError(Interpreter& expected, Interpreter& actual) {
  double error = 0;
  for (int i = 0; i < expected.outputs(); ++i) {
    OutputDiff diff;
    diff.Add(expected.output(i).AsFloats(), actual.output(i).AsFloats(), 1);
    error = std::max(
        error, diff.mismatches() > 0 ? kNanOnOneSide : diff.max_relative());
  }
  return error;
}

// The inputs' shapes with another first axis; empty: it is not a batch.
Shapes InBatches(const Interpreter& interpreter, int batch) {
  Shapes shapes;
  for (int i = 0; i < interpreter.inputs(); ++i) {
    shapes.push_back(interpreter.input(i).dims());
    if (shapes.back().empty() || shapes.back()[0] != 1) return {};
    shapes.back()[0] = batch;
  }
  return shapes;
}

bool IsInBatches(const Interpreter& one, const Interpreter& many, int batch) {
  for (int i = 0; i < one.outputs(); ++i) {
    std::vector<int> dims = one.output(i).dims();
    if (dims.empty()) return false;
    dims[0] *= batch;
    if (many.output(i).dims() != dims) return false;
  }
  return true;
}

// Sets the keys "<name>_batch" and "<name>_batch_per_s": batches of up to
// `max_batch` are tried as long as each gives more inferences a second.
void FindBatch(const Model& model, Side& one, const std::string& name,
               int max_batch, ordered_json& checkup) {
  int best = 1;
  double per_s = checkup[name + "_per_s"];
  for (int batch = 2; batch <= max_batch && !Interrupted(); batch *= 2) {
    const Shapes shapes = InBatches(one.interpreter(), batch);
    if (shapes.empty()) break;
    auto many = Start(model, one.backend->spec(), shapes);
    if (!many.ok() ||
        !IsInBatches(one.interpreter(), many->interpreter(), batch)) {
      break;
    }
    const auto ms = MedianMs(*many);
    if (!ms.ok() || batch * 1000 / *ms < per_s * kWorthABatch) break;
    best = batch;
    per_s = batch * 1000 / *ms;
  }
  checkup[name + "_batch"] = best;
  checkup[name + "_batch_per_s"] = per_s;
}

// Of other models than the own one the tolerance is not known: the self-check
// of their programs counts alone.
bool IsRight(const ordered_json& checkup) {
  for (const auto& partition : checkup["report"]["partition"]) {
    if (partition["self_check"].value("verdict", "") == "wrong") return false;
  }
  if (checkup["model"] != kOwnModel) return true;
  const bool half = checkup["report"].value("precision", "") == "float16";
  return checkup["nodes_delegated"] > 0 &&
         checkup["max_error"] <= (half ? 3e-2 : 1e-4);
}

// Fills `checkup` of EmptyCheckup(), as far as nothing fails.
absl::Status Measure(const Model& model, const BackendSpec& gles_spec,
                     ordered_json& checkup) {
  auto cpu = Start(model, SpecFromFlags(BackendSpec::Kind::kXnnpack));
  if (!cpu.ok()) {  // XNNPACK does not take every model
    cpu = Start(model, SpecFromFlags(BackendSpec::Kind::kCpu));
    if (!cpu.ok()) return cpu.status();
  }
  checkup["use"] = "cpu";
  checkup["verdict"] = "Use the CPU here, as the delegate cannot run";
  ASSIGN_OR_RETURN(auto gles, Start(model, gles_spec));
  checkup["report"] = ordered_json::parse(gles.backend->GlesReport(), nullptr,
                                          /*allow_exceptions=*/false);
  for (const char* key :
       {"renderer", "driver", "software", "nodes_total", "nodes_delegated"}) {
    if (!checkup["report"].contains(key)) {
      return absl::InternalError("the delegate's report is not complete");
    }
    checkup[key] = checkup["report"][key];
  }
  checkup["max_error"] = MaxError(cpu->interpreter(), gles.interpreter());
  checkup["right"] = IsRight(checkup);

  std::vector<double> gles_ms, cpu_ms, speedups;
  for (int round = 0; round < kRounds && !Interrupted(); ++round) {
    for (auto& [side, times] : {std::pair(&gles, &gles_ms), {&*cpu, &cpu_ms}}) {
      ASSIGN_OR_RETURN(auto ms, MedianMs(*side));
      times->push_back(ms);
    }
    speedups.push_back(cpu_ms.back() / gles_ms.back());
  }
  for (const auto& [name, times] :
       {std::pair("gles", gles_ms), {"cpu", cpu_ms}}) {
    const double ms = Summarize(times).median;
    checkup[absl::StrCat(name, "_ms")] = ms;
    checkup[absl::StrCat(name, "_per_s")] = 1000 / ms;
  }
  const Choice choice =
      Choose(speedups, checkup["software"], checkup["nodes_delegated"] > 0,
             checkup["right"]);
  checkup["use"] = choice.use;
  checkup["verdict"] = choice.text;
  // A software renderer would compile for minutes what no one is to use.
  const int max_batch = absl::GetFlag(FLAGS_max_batch);
  FindBatch(model, gles, "gles", checkup["software"] ? 1 : max_batch, checkup);
  FindBatch(model, *cpu, "cpu", max_batch, checkup);
  return absl::OkStatus();
}

std::string CsvCell(const ordered_json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  return absl::StrCat(
      "\"", absl::StrReplaceAll(value.get<std::string>(), {{"\"", "\"\""}}),
      "\"");
}

// Six convolutions of 16 channels, a pooling and a LOGISTIC.
constexpr uint8_t kOwnModelBytes[] = {
#include "embedded/built_in.tflite.inc"
};

// All keys of a model, without values.
ordered_json EmptyCheckup(const std::string& model) {
  ordered_json checkup = {{"model", model}, {"verdict", "No verdict"}};
  for (const char* key :
       {"use", "error", "renderer", "driver", "software", "nodes_total",
        "nodes_delegated", "right", "max_error", "gles_ms", "cpu_ms",
        "gles_per_s", "cpu_per_s", "gles_batch", "gles_batch_per_s",
        "cpu_batch", "cpu_batch_per_s", "report"}) {
    checkup[key] = nullptr;
  }
  return checkup;
}

// A line of the keys, then one for each model; without those that are lists or
// objects.
std::string ToCsv(const ordered_json& checkups) {
  std::string csv;
  for (const ordered_json& checkup : checkups) {
    std::vector<std::string> names, cells;
    for (const auto& [key, value] : checkup.items()) {
      if (key == "report") continue;
      names.push_back(key);
      cells.push_back(CsvCell(value));
    }
    if (csv.empty()) csv = absl::StrJoin(names, ",") + "\n";
    absl::StrAppend(&csv, absl::StrJoin(cells, ","), "\n");
  }
  return csv;
}

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
  Print(absl::StrFormat("  %s ms with the delegate, %s ms on the CPU (%s)",
                        Figure(checkup["gles_ms"]), Figure(checkup["cpu_ms"]),
                        Count(absl::GetFlag(FLAGS_num_threads), "thread")));
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
  ASSIGN_OR_RETURN(const auto gles, GlesFromFlags(Compilation::kAsInApps));
  ordered_json checkups = ordered_json::array();
  for (const std::string& path : paths) {
    if (Interrupted()) break;
    ordered_json checkup = EmptyCheckup(path);
    const auto model = path == kOwnModel
                           ? Model::FromBuffer({std::begin(kOwnModelBytes),
                                                std::end(kOwnModelBytes)})
                           : Model::FromFile(path);
    const absl::Status status =
        model.ok() ? Measure(**model, gles, checkup) : model.status();
    if (!status.ok()) checkup["error"] = std::string(status.message());
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
