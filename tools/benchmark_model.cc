// Latency and start-up of a model, on each backend asked for, one after the
// other in one process; with the flags of TFLite's own benchmark_model.
#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "tools/common/progress.h"
#include "tools/common/text_file.h"
#include "tools/runner/backend.h"
#include "tools/runner/backend_flags.h"
#include "tools/runner/command_line.h"
#include "tools/runner/inputs.h"
#include "tools/runner/latency.h"
#include "tools/runner/op_profile.h"

ABSL_FLAG(int, num_runs, 50, "timed runs, at least");
ABSL_FLAG(
    int, warmup_runs, 1,
    "runs before the timed ones; the first is reported as first_invoke_ms");
ABSL_FLAG(double, min_secs, 0, "go on for at least so many seconds");
ABSL_FLAG(double, max_secs, 150, "stop after so many seconds");
ABSL_FLAG(std::string, input_layer_value_files, "",
          "inputs from files of raw bytes: name:file,name:file");
ABSL_FLAG(int, seed, 1, "of the random inputs");
ABSL_FLAG(
    bool, enable_op_profiling, false,
    "time each dispatch of the GLES delegate and print tables by node and "
    "by op type (slows the runs)");
ABSL_FLAG(std::string, trace_file, "",
          "write a timeline of the last 8 inferences to this file, for "
          "ui.perfetto.dev (turns --enable_op_profiling on)");
ABSL_FLAG(bool, print_gles_report, false,
          "print what the GLES delegate says of itself (JSON)");

namespace gles_delegate {
namespace {

constexpr char kUsage[] =
    "Times a .tflite model on each backend asked for, in one process.\n\n"
    "  benchmark_model --graph=MODEL.tflite --use_gles --use_xnnpack "
    "--use_cpu\n\n"
    "Without a backend it runs the built-in CPU kernels, as TFLite's does.\n"
    "MiB is the process's peak; nodes and parts are those on the GPU.";

struct Row {
  std::string backend;
  int num_threads = 1;
  double init_ms = 0;
  Latency latency;
  BackendFacts facts;
  double peak_rss_mb = 0;
};

bool Profiles() {
  return absl::GetFlag(FLAGS_enable_op_profiling) ||
         !absl::GetFlag(FLAGS_trace_file).empty();
}

absl::Status PrintGlesReport(const std::string& report,
                             const Latency& latency) {
  if (report.empty()) return absl::OkStatus();
  if (absl::GetFlag(FLAGS_print_gles_report)) {
    std::printf("%s\n", report.c_str());
  }
  if (!Profiles()) return absl::OkStatus();
  const auto json =
      nlohmann::json::parse(report, nullptr, /*allow_exceptions=*/false);
  if (!json.contains("profile")) return absl::OkStatus();
  std::printf("%s\n", OpProfileTable(json["profile"]).c_str());
  const std::string trace = absl::GetFlag(FLAGS_trace_file);
  if (trace.empty()) return absl::OkStatus();
  return WriteText(trace, ProfileTrace(json, latency.invokes).dump() + "\n");
}

// Whether the delegate has compiled all that it compiles in the background.
bool IsSettled(const std::string& report) {
  const auto json =
      nlohmann::json::parse(report, nullptr, /*allow_exceptions=*/false);
  if (!json.contains("partition")) return true;
  for (const auto& partition : json["partition"]) {
    const std::string state =
        partition.value("background", nlohmann::json::object())
            .value("state", "");
    if (state == "waiting" || state == "running") return false;
  }
  return true;
}

absl::StatusOr<Row> RunBackend(const Model& model, const BackendSpec& spec) {
  ResetPeakRss();
  ASSIGN_OR_RETURN(auto shapes, ShapesFromFlags(model));
  ASSIGN_OR_RETURN(
      auto files,
      ParseValueFiles(absl::GetFlag(FLAGS_input_layer_value_files)));
  BackendSpec wanted = spec;
  if (Profiles() && spec.kind == BackendSpec::Kind::kGles) {
    wanted.options.emplace_back("enable_op_profiling", "1");
  }
  ASSIGN_OR_RETURN(auto backend, Backend::Create(model, wanted, shapes));
  Interpreter& interpreter = backend->interpreter();
  PrintLog(interpreter, spec.name());

  std::mt19937 random(absl::GetFlag(FLAGS_seed));
  ASSIGN_OR_RETURN(auto inputs, MakeInputs(interpreter, FloatInputs::kUniform,
                                           random, files));
  LatencyOptions options;
  // As an app does, and as TFLite's own benchmark_model does: what lies in this
  // processor's caches comes to a GPU later than what no one has written.
  options.before_each = [&] { return WriteInputs(interpreter, inputs); };
  options.num_runs = absl::GetFlag(FLAGS_num_runs);
  options.warmup_runs = absl::GetFlag(FLAGS_warmup_runs);
  options.min_secs = absl::GetFlag(FLAGS_min_secs);
  options.max_secs = absl::GetFlag(FLAGS_max_secs);
  options.shows_progress = true;
  // The runs that count are those of the optimized plan, and none of the
  // baseline plan.
  options.is_settled = [&] { return IsSettled(backend->GlesReport()); };
  auto latency = MeasureLatency(interpreter, options);
  PrintLog(interpreter, spec.name());
  if (!latency.ok()) return latency.status();
  ASSIGN_OR_RETURN(auto facts, backend->Facts());
  RETURN_IF_ERROR(PrintGlesReport(backend->GlesReport(), *latency));
  return Row{spec.name(), spec.num_threads, backend->init_ms(),
             *latency,    std::move(facts), PeakRssMb()};
}

nlohmann::ordered_json ToJson(const Row& row) {
  const LatencyStats& invoke = row.latency.invoke_ms;
  nlohmann::ordered_json json;
  json["backend"] = row.backend;
  json["init_ms"] = row.init_ms;
  json["first_invoke_ms"] = row.latency.first_invoke_ms;
  json["invoke_ms"] = {{"median", invoke.median}, {"p5", invoke.p5},
                       {"p95", invoke.p95},       {"runs", invoke.runs},
                       {"min", invoke.min},       {"max", invoke.max},
                       {"mean", invoke.mean}};
  json["cpu_ms"] = row.latency.cpu_ms;
  const LatencyStats& settling = row.latency.settling_ms;
  if (settling.runs > 0) {
    json["baseline_ms"] = {{"median", settling.median},
                           {"p95", settling.p95},
                           {"max", settling.max},
                           {"runs", settling.runs}};
  }
  json.update(ToJson(row.facts));
  json["peak_rss_mb"] = row.peak_rss_mb;
  json["num_threads"] = row.num_threads;
  json["model"] = absl::GetFlag(FLAGS_graph);
  return json;
}

void PrintHeader() {
  std::printf("%-9s%8s%9s%10s%9s%9s%5s%10s%6s%5s\n", "backend", "init ms",
              "first ms", "median ms", "p5", "p95", "runs", "nodes", "parts",
              "MiB");
}

void PrintRow(const Row& row) {
  const LatencyStats& invoke = row.latency.invoke_ms;
  const std::string nodes = std::to_string(row.facts.nodes_delegated) + "/" +
                            std::to_string(row.facts.nodes_total);
  std::printf("%-9s %7.2f %8.2f %9.3f %8.3f %8.3f %4d %9s %5d %4.0f\n",
              row.backend.c_str(), row.init_ms, row.latency.first_invoke_ms,
              invoke.median, invoke.p5, invoke.p95, invoke.runs, nodes.c_str(),
              row.facts.partitions, row.peak_rss_mb);
  if (row.facts.renderer != "CPU") {
    std::printf("          on %s\n", row.facts.renderer.c_str());
  }
  const LatencyStats& settling = row.latency.settling_ms;
  if (settling.runs > 0) {
    std::printf(
        "%s: %d runs more before the plan proper ran, not counted: median %.3f "
        "ms, p95 %.3f, longest %.3f\n",
        row.backend.c_str(), settling.runs, settling.median, settling.p95,
        settling.max);
  }
  std::fflush(stdout);
}

// A line that says whether GL or the CPU's fastest way is faster; "" where one
// of the two was not timed.
std::string Verdict(const std::vector<Row>& rows) {
  const Row* gles = nullptr;
  const Row* cpu = nullptr;
  for (const Row& row : rows) {
    const bool is_cpu = row.backend == "cpu" || row.backend == "xnnpack";
    if (row.backend == "gles") gles = &row;
    if (is_cpu && (cpu == nullptr || row.latency.invoke_ms.median <
                                         cpu->latency.invoke_ms.median)) {
      cpu = &row;
    }
  }
  if (gles == nullptr || cpu == nullptr) return "";
  const double gles_ms = gles->latency.invoke_ms.median;
  const double cpu_ms = cpu->latency.invoke_ms.median;
  const bool gles_wins = gles_ms < cpu_ms;
  return absl::StrFormat(
      "On this machine and for this model %s is faster than %s: %.3f ms "
      "against "
      "%.3f ms (medians; %.2f times as fast)",
      gles_wins ? "gles" : cpu->backend, gles_wins ? cpu->backend : "gles",
      std::min(gles_ms, cpu_ms), std::max(gles_ms, cpu_ms),
      gles_wins ? cpu_ms / gles_ms : gles_ms / cpu_ms);
}

// Runs every backend, even after another one has failed.
absl::Status Run() {
  ASSIGN_OR_RETURN(auto specs, BackendsFromFlags(Compilation::kAsInApps));
  if (!absl::GetFlag(FLAGS_use_gles)) {
    if (absl::GetFlag(FLAGS_enable_op_profiling)) {
      return OnlyForGles("enable_op_profiling");
    }
    if (Profiles()) return OnlyForGles("trace_file");
    if (absl::GetFlag(FLAGS_print_gles_report)) {
      return OnlyForGles("print_gles_report");
    }
  }
  if (specs.empty()) specs.push_back(SpecFromFlags(BackendSpec::Kind::kCpu));
  ASSIGN_OR_RETURN(auto model, ModelFromFlags());

  CatchInterrupts();
  absl::Status result;
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  std::vector<Row> rows;
  PrintHeader();
  for (const BackendSpec& spec : specs) {
    if (Interrupted()) break;
    auto row = RunBackend(*model, spec);
    if (row.ok()) {
      PrintRow(*row);
      report.push_back(ToJson(*row));
      rows.push_back(*std::move(row));
    } else {
      std::fprintf(stderr, "%s: %s\n", spec.name().c_str(),
                   row.status().ToString().c_str());
      result = absl::UnavailableError("a backend failed, see above");
    }
  }
  if (const std::string verdict = Verdict(rows); !verdict.empty()) {
    std::printf("%s\n", Colored(Wrap(verdict, 0), Tone::kTitle).c_str());
  }
  result.Update(WriteReport(report));
  if (Interrupted()) {
    return absl::CancelledError("interrupted; what was timed is above");
  }
  return result;
}

int Main(int argc, char** argv) {
  return RunTool(argc, argv, "benchmark_model", kUsage, Run);
}

}  // namespace
}  // namespace gles_delegate

int main(int argc, char** argv) { return gles_delegate::Main(argc, argv); }
