// A report on a model, node by node, for people: text in a
// terminal, or a page of HTML.
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "tools/common/text_file.h"
#include "tools/model_report/report_data.h"
#include "tools/runner/backend.h"
#include "tools/runner/backend_flags.h"
#include "tools/runner/git_revision.h"
#include "tools/runner/inputs.h"
#include "tools/runner/latency.h"

ABSL_FLAG(std::string, html, "", "write a page of HTML to this file");
ABSL_FLAG(
    int, num_runs, 0,
    "how many runs to time of the model, each dispatch and XNNPACK; 0: run "
    "nothing");
ABSL_FLAG(std::string, node_data, "",
          "write NAME.placement.json and NAME.time.json, which "
          "ai-edge-model-explorer shows on the model's graph");

namespace gles_delegate {
namespace {

constexpr char kUsage[] =
    "Shows what the GLES delegate makes of a model: each node, where it is\n"
    "computed or why not, by which shaders; and what loses speed.\n\n"
    "  model_report --graph=MODEL.tflite --num_runs=20 --html=report.html\n\n"
    "Options of the delegate: --gles_options=key:value;key:value.";

// The median of an inference in ms, on random inputs.
absl::StatusOr<double> Time(Backend& backend, int runs) {
  std::mt19937 random(1);
  ASSIGN_OR_RETURN(auto inputs, MakeInputs(backend.interpreter(),
                                           FloatInputs::kUniform, random));
  RETURN_IF_ERROR(WriteInputs(backend.interpreter(), inputs));
  LatencyOptions options;
  options.num_runs = runs;
  options.shows_progress = true;
  ASSIGN_OR_RETURN(auto latency,
                   MeasureLatency(backend.interpreter(), options));
  return latency.invoke_ms.median;
}

// Profiling slows the runs, so the model's own time is taken without profiling.
absl::StatusOr<double> TimeUnprofiled(const Model& model,
                                      const BackendSpec& spec, int runs) {
  ASSIGN_OR_RETURN(auto backend, Backend::Create(model, spec));
  return Time(*backend, runs);
}

absl::StatusOr<ReportData> Collect(const Model& model, BackendSpec spec) {
  const int runs = absl::GetFlag(FLAGS_num_runs);
  double invoke_ms = 0;
  double cpu_ms = 0;
  if (runs > 0) {
    ASSIGN_OR_RETURN(auto timed, TimeUnprofiled(model, spec, runs));
    invoke_ms = timed;
    const BackendSpec cpu = SpecFromFlags(BackendSpec::Kind::kXnnpack);
    // A model that XNNPACK does not take is reported without the comparison.
    cpu_ms = TimeUnprofiled(model, cpu, runs).value_or(0);
    spec.options.emplace_back("enable_op_profiling", "1");
  }
  ASSIGN_OR_RETURN(auto backend, Backend::Create(model, spec));
  PrintLog(backend->interpreter(), spec.name());
  if (runs > 0) {
    RETURN_IF_ERROR(Time(*backend, runs).status());
  }
  ASSIGN_OR_RETURN(auto facts, FactsOfModel(model.bytes()));
  auto report = nlohmann::json::parse(backend->GlesReport(), nullptr,
                                      /*allow_exceptions=*/false);
  ASSIGN_OR_RETURN(auto data, Join(std::move(facts), report));
  data.invoke_ms = invoke_ms;
  data.cpu_ms = cpu_ms;
  data.cpu_threads = spec.num_threads;
  data.revision = GitRevision();
  data.model =
      std::filesystem::path(absl::GetFlag(FLAGS_graph)).filename().string();
  return data;
}

absl::Status WriteNodeData(const ReportData& data, const std::string& name) {
  if (auto s = WriteText(name + ".placement.json",
                         PlacementNodeData(data).dump(1) + "\n");
      !s.ok() || !data.profiled) {
    return s;
  }
  return WriteText(name + ".time.json", TimeNodeData(data).dump(1) + "\n");
}

absl::Status Run() {
  ASSIGN_OR_RETURN(auto model, ModelFromFlags());
  ASSIGN_OR_RETURN(auto spec, GlesFromFlags());
  ASSIGN_OR_RETURN(auto data, Collect(*model, std::move(spec)));
  if (const auto name = absl::GetFlag(FLAGS_node_data); !name.empty()) {
    RETURN_IF_ERROR(WriteNodeData(data, name));
  }
  RETURN_IF_ERROR(WriteReport(JsonPage(data)));
  const std::string path = absl::GetFlag(FLAGS_html);
  if (path.empty()) {
    std::printf("%s", TextPage(data).c_str());
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(WriteText(path, HtmlPage(data)));
  std::printf("%s\n", path.c_str());
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  ThreadsOfACpu();
  return RunTool(argc, argv, "model_report", kUsage, Run);
}

}  // namespace
}  // namespace gles_delegate

int main(int argc, char** argv) { return gles_delegate::Main(argc, argv); }
