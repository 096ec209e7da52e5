// Runs a model on TFLite's CPU kernels, on XNNPACK and on OpenGL ES, checks
// that they agree, and draws what came out.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "tools/common/text_file.h"
#include "tools/gles_demo/canvas.h"
#include "tools/gles_demo/demo_model.h"
#include "tools/gles_demo/findings.h"
#include "tools/gles_demo/picture_input.h"
#include "tools/gles_demo/poster.h"
#include "tools/gles_demo/views.h"
#include "tools/runner/backend.h"
#include "tools/runner/backend_flags.h"
#include "tools/runner/git_revision.h"
#include "tools/runner/gles_options.h"
#include "tools/runner/inputs.h"
#include "tools/runner/latency.h"
#include "tools/runner/output_diff.h"
#include "tools/runner/report_json.h"
#include "tools/runner/tflite_flag.h"

ABSL_FLAG(std::string, image, "",
          "the picture for the model's first input (PNG, JPEG, BMP); without "
          "one, the demo draws its own");
ABSL_FLAG(std::string, labels, "", "names of the classes, one a line");
ABSL_FLAG(std::string, output_dir, "demo_out", "where demo.png is written");
ABSL_FLAG(std::string, write_model, "",
          "also write the demo's own model to this file");
ABSL_FLAG(double, input_mean, 127.5,
          "float inputs get (pixel - input_mean) / input_std");
ABSL_FLAG(double, input_std, 127.5, "see input_mean");
ABSL_FLAG(int, num_runs, 10, "timed runs of each backend");
ABSL_FLAG(
    double, max_error, 1e-4,
    "the largest difference from the CPU, relative to an output's largest "
    "magnitude, that passes");

namespace gles_delegate::demo {
namespace {

constexpr char kUsage[] =
    "Runs a model on the CPU and on OpenGL ES. Draws what both found on the "
    "picture: boxes, a mask, poses or labels. Of other models it draws the "
    "outputs' values.\n\n"
    "  gles_demo [--graph=MODEL.tflite [--image=IMAGE] [--labels=FILE]]\n\n"
    "Without a model it runs one of its own: blur, edges and a stylised "
    "picture of a landscape.";

// The side of the demo's own outputs in pixels, a multiple of 8.
constexpr int kDemoSize = 224;

struct RunResult {
  std::vector<TensorValues> outputs;
  BackendFacts facts;
  double init_ms = 0;
  Latency latency;
};

absl::StatusOr<RunResult> RunOn(const Model& model, BackendSpec::Kind kind,
                                const Input& input) {
  BackendSpec spec;
  spec.kind = kind;
  spec.num_threads = absl::GetFlag(FLAGS_num_threads);
  if (kind == BackendSpec::Kind::kGles) {
    ASSIGN_OR_RETURN(spec.options, GlesOptionsFromFlag());
  }
  ASSIGN_OR_RETURN(auto backend, Backend::Create(model, spec));
  Interpreter& interpreter = backend->interpreter();
  PrintLog(interpreter, spec.name());
  RETURN_IF_ERROR(WriteInputs(interpreter, input.tensors));
  LatencyOptions latency_options;
  latency_options.num_runs = absl::GetFlag(FLAGS_num_runs);
  latency_options.shows_progress = true;
  ASSIGN_OR_RETURN(auto latency, MeasureLatency(interpreter, latency_options));
  ASSIGN_OR_RETURN(auto facts, backend->Facts());

  RunResult result{{}, std::move(facts), backend->init_ms(), latency};
  for (int i = 0; i < interpreter.outputs(); ++i) {
    const TensorView tensor = interpreter.output(i);
    result.outputs.push_back({tensor.name(), tensor.dims(), tensor.AsFloats()});
  }
  return result;
}

// Compares every output; prints a line for each, and adds it to `rows`.
bool Agree(const RunResult& cpu, const RunResult& gles, double* max_error,
           nlohmann::ordered_json& rows) {
  bool agree = cpu.outputs.size() == gles.outputs.size();
  *max_error = 0;
  for (size_t i = 0; agree && i < cpu.outputs.size(); ++i) {
    const TensorValues& expected = cpu.outputs[i];
    OutputDiff diff;
    diff.Add(expected.values, gles.outputs[i].values,
             expected.dims.empty() ? 1 : expected.dims.back());
    const bool within = diff.Within(absl::GetFlag(FLAGS_max_error));
    std::printf("  output %-28s %-14s max error %.3g (relative %.3g)%s\n",
                expected.name.c_str(),
                absl::StrJoin(expected.dims, "x").c_str(), diff.max_abs(),
                diff.max_relative(), within ? "" : "  DISAGREES");
    rows.push_back({{"name", expected.name},
                    {"shape", expected.dims},
                    {"max_abs_error", diff.max_abs()},
                    {"max_relative_error", diff.max_relative()}});
    *max_error = std::max(*max_error, diff.max_relative());
    if (!within) agree = false;
  }
  return agree;
}

absl::StatusOr<std::vector<std::string>> ReadLabels() {
  const std::string path = absl::GetFlag(FLAGS_labels);
  if (path.empty()) return std::vector<std::string>();
  ASSIGN_OR_RETURN(auto bytes, ReadFile(path));
  if (bytes.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(path, " has no labels"));
  }
  if (bytes.back() == '\n') bytes.pop_back();
  return std::vector<std::string>(absl::StrSplit(
      absl::string_view(reinterpret_cast<const char*>(bytes.data()),
                        bytes.size()),
      '\n'));
}

std::string Milliseconds(const absl::StatusOr<RunResult>& result) {
  if (!result.ok()) return "failed";
  return absl::StrFormat("%.2f ms", result->latency.invoke_ms.median);
}

absl::Status WritePoster(const PosterContent& content,
                         const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(absl::GetFlag(FLAGS_output_dir), error);
  if (error) {
    return absl::UnavailableError(absl::StrCat("Cannot make ",
                                               absl::GetFlag(FLAGS_output_dir),
                                               ": ", error.message()));
  }
  return DrawPoster(content).WritePng(path);
}

// Prints how far the findings on the CPU and on GL agree.
void PrintAgreement(const Finding& cpu, const Finding& gles) {
  if (gles.kind == Finding::Kind::kBoxes) {
    BoxAgreement agreement;
    agreement.Add(cpu.boxes, gles.boxes);
    std::printf("  boxes: %d found, %d of the CPU's %d matched\n",
                agreement.actual, agreement.matched, agreement.reference);
  } else if (gles.kind == Finding::Kind::kMask) {
    size_t same = 0;
    for (size_t i = 0; i < gles.classes.size(); ++i) {
      same += cpu.classes[i] == gles.classes[i] ? 1 : 0;
    }
    std::printf("  mask: %.3f%% of its pixels as the CPU's\n",
                100.0 * static_cast<double>(same) /
                    static_cast<double>(gles.classes.size()));
  }
}

absl::StatusOr<std::unique_ptr<Model>> LoadModel(bool own) {
  const std::string path = absl::GetFlag(FLAGS_write_model);
  if (!own && !path.empty()) {
    return absl::InvalidArgumentError(
        "--write_model writes the demo's own model: leave --graph out");
  }
  if (!own) return ModelFromFlags();
  std::vector<uint8_t> bytes = BuildDemoModel(kDemoSize);
  if (!path.empty()) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) {
      return absl::UnavailableError(absl::StrCat("Cannot write ", path));
    }
  }
  return Model::FromBuffer(std::move(bytes), "the demo's model");
}

absl::StatusOr<Input> InputFor(const Model& model, bool own) {
  if (!(std::abs(absl::GetFlag(FLAGS_input_std)) > 0)) {
    return absl::InvalidArgumentError("--input_std must not be 0");
  }
  ASSIGN_OR_RETURN(auto interpreter, Interpreter::Create(model));
  // The demo's own model takes 0..1.
  return MakeInput(*interpreter, absl::GetFlag(FLAGS_image),
                   own ? 0 : absl::GetFlag(FLAGS_input_mean),
                   own ? 255 : absl::GetFlag(FLAGS_input_std));
}

// The model, and what each backend made of it.
struct Runs {
  std::string model;
  absl::StatusOr<RunResult> cpu, xnnpack, gles;
};

void Print(const Runs& runs) {
  const BackendFacts& facts = runs.gles->facts;
  std::printf("%s on %s, %s\n", runs.model.c_str(), facts.renderer.c_str(),
              facts.driver.c_str());
  std::printf("  %d of %d nodes on GL, in %d partition%s\n",
              facts.nodes_delegated, facts.nodes_total, facts.partitions,
              facts.partitions == 1 ? "" : "s");
  std::printf(
      "  median latency: CPU %s, XNNPACK %s (%d thread%s each), GLES "
      "%s\n",
      Milliseconds(runs.cpu).c_str(), Milliseconds(runs.xnnpack).c_str(),
      absl::GetFlag(FLAGS_num_threads),
      absl::GetFlag(FLAGS_num_threads) == 1 ? "" : "s",
      Milliseconds(runs.gles).c_str());
}

nlohmann::ordered_json ToJson(const Runs& runs,
                              const nlohmann::ordered_json& outputs,
                              bool passed) {
  const BackendFacts& facts = runs.gles->facts;
  nlohmann::ordered_json json = {
      {"model", runs.model},
      {"passed", passed},
      {"max_error", absl::GetFlag(FLAGS_max_error)},
      {"nodes_total", facts.nodes_total},
      {"nodes_delegated", facts.nodes_delegated},
      {"partitions", facts.partitions},
      {"renderer", facts.renderer},
      {"driver", facts.driver},
      {"tflite", TfliteName()},
      {"revision", GitRevision()},
      {"num_threads", absl::GetFlag(FLAGS_num_threads)}};
  json["median_ms"] = {{"gles", runs.gles->latency.invoke_ms.median},
                       {"cpu", runs.cpu->latency.invoke_ms.median}};
  if (runs.xnnpack.ok()) {
    json["median_ms"]["xnnpack"] = runs.xnnpack->latency.invoke_ms.median;
  }
  json["outputs"] = outputs;
  return json;
}

std::vector<std::string> Notes(const Runs& runs, double max_error) {
  const BackendFacts& facts = runs.gles->facts;
  return {absl::StrFormat("%s: %d of %d nodes on GL", runs.model,
                          facts.nodes_delegated, facts.nodes_total),
          facts.renderer,
          absl::StrFormat("CPU %s   XNNPACK %s   GLES %s   max error %.1e",
                          Milliseconds(runs.cpu), Milliseconds(runs.xnnpack),
                          Milliseconds(runs.gles), max_error)};
}

absl::Status Draw(const PosterContent& content) {
  const std::string path =
      (std::filesystem::path(absl::GetFlag(FLAGS_output_dir)) / "demo.png")
          .string();
  RETURN_IF_ERROR(WritePoster(content, path));
  std::printf("  picture: %s\n", path.c_str());
  return absl::OkStatus();
}

// kInternal: the results differ, or GL ran less than it should.
absl::Status Verdict(const BackendFacts& facts, bool agree, bool own) {
  if (!agree) {
    return absl::InternalError(absl::StrFormat(
        "GLES and the CPU disagree: past --max_error=%g of an output's largest "
        "magnitude",
        absl::GetFlag(FLAGS_max_error)));
  }
  if (facts.nodes_delegated == 0 ||
      (own && facts.nodes_delegated < facts.nodes_total)) {
    return absl::InternalError(absl::StrFormat(
        "only %d of %d nodes ran on GL (the messages above say why)",
        facts.nodes_delegated, facts.nodes_total));
  }
  return absl::OkStatus();
}

absl::Status Run() {
  const bool own = absl::GetFlag(FLAGS_graph).empty();
  ASSIGN_OR_RETURN(auto model, LoadModel(own));
  ASSIGN_OR_RETURN(auto labels, ReadLabels());
  ASSIGN_OR_RETURN(auto input, InputFor(*model, own));

  const Runs runs = {own ? "the demo's own model"
                         : std::filesystem::path(absl::GetFlag(FLAGS_graph))
                               .filename()
                               .string(),
                     RunOn(*model, BackendSpec::Kind::kCpu, input),
                     RunOn(*model, BackendSpec::Kind::kXnnpack, input),
                     RunOn(*model, BackendSpec::Kind::kGles, input)};
  if (!runs.cpu.ok()) return runs.cpu.status();
  if (!runs.gles.ok()) return runs.gles.status();
  Print(runs);
  double max_error = 0;
  auto outputs = nlohmann::ordered_json::array();
  const bool agree = Agree(*runs.cpu, *runs.gles, &max_error, outputs);

  PosterContent content;
  content.input = input.picture;
  content.cpu = runs.cpu->outputs;
  content.gles = runs.gles->outputs;
  content.labels = std::move(labels);
  const auto found = [&](const std::vector<TensorValues>& outputs) {
    return FindingOf(outputs, input.width, input.height, content.labels.size());
  };
  content.cpu_found = found(content.cpu);
  content.gles_found = found(content.gles);
  // The kinds that a value's range decides differ if the results are wrong.
  if (!content.cpu_found || !content.gles_found ||
      content.cpu_found->kind != content.gles_found->kind) {
    content.cpu_found = content.gles_found = std::nullopt;
  } else {
    PrintAgreement(*content.cpu_found, *content.gles_found);
  }
  content.notes = Notes(runs, max_error);
  RETURN_IF_ERROR(Draw(content));
  const absl::Status verdict = Verdict(runs.gles->facts, agree, own);
  const absl::Status written = WriteReport(ToJson(runs, outputs, verdict.ok()));
  return verdict.ok() ? written : verdict;
}

int Main(int argc, char** argv) {
  WithoutChoiceOfBackend();
  return RunTool(argc, argv, "gles_demo", kUsage, Run);
}

}  // namespace
}  // namespace gles_delegate::demo

int main(int argc, char** argv) {
  return gles_delegate::demo::Main(argc, argv);
}
