// How far a delegate's outputs are from TFLite's built-in CPU kernels, as
// TFLite's inference diff tells: random inputs through both.
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "tools/common/progress.h"
#include "tools/inference_diff/per_layer.h"
#include "tools/inference_diff/suggest_float32.h"
#include "tools/runner/backend.h"
#include "tools/runner/backend_flags.h"
#include "tools/runner/command_line.h"
#include "tools/runner/git_revision.h"
#include "tools/runner/inputs.h"
#include "tools/runner/output_diff.h"
#include "tools/runner/report_json.h"
#include "tools/runner/shape_flags.h"
#include "tools/runner/tflite_flag.h"

ABSL_FLAG(int, num_runs, 10, "inputs to compare on");
ABSL_FLAG(int, seed, 1, "of the random inputs");
ABSL_FLAG(std::string, input_layer_value_files, "",
          "inputs from files of raw bytes: name:file,name:file");
ABSL_FLAG(double, max_error, 1e-4,
          "exit with 1 where an output's error, relative to its largest "
          "magnitude, is past this");
ABSL_FLAG(
    bool, per_layer, false,
    "print the error of every tensor that an op writes, too: the model "
    "runs with each of them as an output, so nothing is fused across them");
ABSL_FLAG(
    bool, per_layer_alone, false,
    "the same, each op by itself on the CPU's inputs, so that its error is "
    "its own");
ABSL_FLAG(bool, suggest_float32_nodes, false,
          "name the nodes whose error in 16 bits, each alone on these inputs, "
          "is past 0.005 of their output's magnitude; then compare the model "
          "in 16 bits without and with the option that keeps them in 32");

namespace gles_delegate {
namespace {

constexpr char kUsage[] =
    "Compares a delegate's outputs with those of TFLite's built-in kernels.\n\n"
    "  inference_diff --graph=MODEL.tflite --use_gles --max_error=1e-4\n\n"
    "Without a backend it checks the GLES delegate. Errors, per output:\n"
    "  max abs, mean abs   of the difference\n"
    "  max rel             max abs over the reference's largest magnitude\n"
    "  rel L2              norm of the difference over that of the reference\n"
    "  argmax              how often the largest element of the innermost\n"
    "                      dimension is the same one\n"
    "--per_layer and --per_layer_alone add the error of every layer; of\n"
    "quantized tensors the share of values that are equal and within 1, and\n"
    "the largest difference in quantization steps.\n"
    "Exit status 1: an error past --max_error, or NaN on one side only (with\n"
    "--suggest_float32_nodes, past 0.005 with the suggested option).";

// What --max_error or --suggest_float32_nodes allows.
double MaxError() {
  return absl::GetFlag(FLAGS_suggest_float32_nodes)
             ? kFloat16Error
             : absl::GetFlag(FLAGS_max_error);
}

struct Comparison {
  std::string backend;
  BackendFacts facts;
  std::vector<OutputDiff> outputs;
  int runs = 0;
};

absl::Status RunOnce(Interpreter& reference, Interpreter& actual,
                     const std::vector<InputBytes>& inputs,
                     std::vector<OutputDiff>& outputs) {
  for (Interpreter* interpreter : {&reference, &actual}) {
    RETURN_IF_ERROR(WriteInputs(*interpreter, inputs));
    // Without this a run would compare the state of the runs before it, too.
    RETURN_IF_ERROR(interpreter->ResetVariables());
    RETURN_IF_ERROR(interpreter->Invoke());
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorView expected = reference.output(static_cast<int>(i));
    const std::vector<int> dims = expected.dims();
    outputs[i].Add(expected.AsFloats(),
                   actual.output(static_cast<int>(i)).AsFloats(),
                   dims.empty() ? 1 : dims.back());
  }
  return absl::OkStatus();
}

absl::StatusOr<Comparison> Compare(const Model& model,
                                   const std::vector<std::vector<int>>& shapes,
                                   Interpreter& reference,
                                   const BackendSpec& spec) {
  ASSIGN_OR_RETURN(
      auto files,
      ParseValueFiles(absl::GetFlag(FLAGS_input_layer_value_files)));
  ASSIGN_OR_RETURN(auto backend, Backend::Create(model, spec, shapes));
  Interpreter& actual = backend->interpreter();
  PrintLog(actual, spec.name());

  Comparison comparison;
  comparison.backend = spec.name();
  comparison.outputs.resize(reference.outputs());
  std::mt19937 random(absl::GetFlag(FLAGS_seed));
  const int runs = absl::GetFlag(FLAGS_num_runs);
  Progress progress("runs", runs);
  while (comparison.runs < runs && !(Interrupted() && comparison.runs > 0)) {
    progress.Show(comparison.runs, spec.name());
    ASSIGN_OR_RETURN(auto inputs, MakeInputs(reference, FloatInputs::kGaussian,
                                             random, files));
    RETURN_IF_ERROR(RunOnce(reference, actual, inputs, comparison.outputs));
    ++comparison.runs;
  }
  progress.Clear();
  ASSIGN_OR_RETURN(comparison.facts, backend->Facts());
  return comparison;
}

bool Passed(const Comparison& comparison) {
  for (const OutputDiff& diff : comparison.outputs) {
    if (!diff.Within(MaxError())) return false;
  }
  return true;
}

void Print(const Comparison& comparison, const Interpreter& reference) {
  std::printf(
      "%s: %d of %d nodes in %d partitions; %d runs, seed %d\n  on %s\n",
      comparison.backend.c_str(), comparison.facts.nodes_delegated,
      comparison.facts.nodes_total, comparison.facts.partitions,
      comparison.runs, absl::GetFlag(FLAGS_seed),
      comparison.facts.renderer.c_str());
  std::printf("output, shape\n%12s %10s %10s %10s %10s %8s %5s\n", "max abs",
              "mean abs", "max rel", "rel L2", "1-cosine", "argmax", "NaN");
  for (size_t i = 0; i < comparison.outputs.size(); ++i) {
    const OutputDiff& diff = comparison.outputs[i];
    const TensorView tensor = reference.output(static_cast<int>(i));
    const std::string shape = absl::StrJoin(tensor.dims(), "x");
    std::printf("%s %s\n%12.3g %10.3g %10.3g %10.3g %10.3g %7.2f%% %5lld%s\n",
                Shorten(tensor.name(), 79 - shape.size()).c_str(),
                shape.c_str(), diff.max_abs(), diff.mean_abs(),
                diff.max_relative(), diff.relative_l2(), 1 - diff.cosine(),
                100 * diff.argmax_agreement(),
                static_cast<long long>(diff.mismatches()),
                diff.Within(MaxError()) ? "" : "  FAIL");
  }
}

nlohmann::ordered_json ToJson(const Comparison& comparison,
                              const Interpreter& reference) {
  nlohmann::ordered_json json;
  json["backend"] = comparison.backend;
  json["passed"] = Passed(comparison);
  json["max_error"] = MaxError();
  json["runs"] = comparison.runs;
  json["seed"] = absl::GetFlag(FLAGS_seed);
  json["nodes_total"] = comparison.facts.nodes_total;
  json["nodes_delegated"] = comparison.facts.nodes_delegated;
  json["partitions"] = comparison.facts.partitions;
  json["renderer"] = comparison.facts.renderer;
  json["driver"] = comparison.facts.driver;
  json["model"] = absl::GetFlag(FLAGS_graph);
  json["tflite"] = TfliteName();
  json["revision"] = GitRevision();
  json["outputs"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < comparison.outputs.size(); ++i) {
    const OutputDiff& diff = comparison.outputs[i];
    const TensorView tensor = reference.output(static_cast<int>(i));
    json["outputs"].push_back({{"name", tensor.name()},
                               {"shape", tensor.dims()},
                               {"type", TfLiteTypeGetName(tensor.type())},
                               {"magnitude", diff.magnitude()},
                               {"max_abs_error", diff.max_abs()},
                               {"mean_abs_error", diff.mean_abs()},
                               {"max_relative_error", diff.max_relative()},
                               {"relative_error", diff.relative_l2()},
                               {"cosine", diff.cosine()},
                               {"argmax_agreement", diff.argmax_agreement()},
                               {"mismatches", diff.mismatches()}});
  }
  return json;
}

absl::Status PrintPerLayer(const Model& model, const BackendSpec& spec) {
  ASSIGN_OR_RETURN(
      auto files,
      ParseValueFiles(absl::GetFlag(FLAGS_input_layer_value_files)));
  for (const bool alone : {false, true}) {
    if (!absl::GetFlag(alone ? FLAGS_per_layer_alone : FLAGS_per_layer)) {
      continue;
    }
    PerLayerOptions options;
    options.runs = absl::GetFlag(FLAGS_num_runs);
    options.seed = absl::GetFlag(FLAGS_seed);
    options.alone = alone;
    options.files = files;
    ASSIGN_OR_RETURN(auto layers, CompareLayers(model, spec, options));
    std::printf("%s\n", alone ? "each op alone, on the CPU's inputs:"
                              : "layer by layer, errors adding up:");
    PrintLayers(layers);
  }
  return absl::OkStatus();
}

// Prints the nodes to keep in 32 bits. Gives `spec` in 16 bits, without and
// with them.
absl::StatusOr<std::vector<BackendSpec>> WithSuggestions(const Model& model,
                                                         BackendSpec spec) {
  ASSIGN_OR_RETURN(
      auto files,
      ParseValueFiles(absl::GetFlag(FLAGS_input_layer_value_files)));
  PerLayerOptions options;
  options.runs = absl::GetFlag(FLAGS_num_runs);
  options.seed = absl::GetFlag(FLAGS_seed);
  options.files = files;
  ASSIGN_OR_RETURN(auto suggestion, SuggestFloat32Nodes(model, spec, options));
  spec.options.emplace_back("is_precision_loss_allowed", "1");
  std::vector<BackendSpec> specs = {spec};
  if (suggestion.nodes.empty()) {
    std::printf("16 bits: no node's error is past %g\n", kFloat16Error);
    return specs;
  }
  std::printf("16 bits: each op alone, if its error is past %g:\n",
              kFloat16Error);
  PrintLayers(suggestion.layers);
  const std::string option = "float32_nodes:" + suggestion.nodes;
  std::printf("%s\n",
              Wrap("Without, then with the option " + option + ":", 2).c_str());
  specs.push_back(spec);
  specs.back().options.emplace_back("float32_nodes", suggestion.nodes);
  return specs;
}

// Whether the model is to run in forms that are made of it.
bool RunsLayers() {
  return absl::GetFlag(FLAGS_per_layer) ||
         absl::GetFlag(FLAGS_per_layer_alone) ||
         absl::GetFlag(FLAGS_suggest_float32_nodes);
}

// Compares every backend. False: the outputs of one are past the limit.
absl::StatusOr<bool> Run() {
  auto specs = BackendsOrGles();
  if (!specs.ok()) return specs.status();
  ASSIGN_OR_RETURN(auto model, ModelFromFlags());
  ASSIGN_OR_RETURN(auto shapes, ShapesFromFlags(*model));
  if (!shapes.empty() && RunsLayers()) {
    return absl::InvalidArgumentError(
        "--input_layer_shape goes with none of --per_layer, --per_layer_alone "
        "and --suggest_float32_nodes, which run the model's own shapes");
  }
  BackendSpec cpu;
  cpu.num_threads = absl::GetFlag(FLAGS_num_threads);
  ASSIGN_OR_RETURN(auto reference, Backend::Create(*model, cpu, shapes));

  CatchInterrupts();
  const bool suggests = absl::GetFlag(FLAGS_suggest_float32_nodes);
  if (suggests) {
    if (specs->size() != 1 || specs->front().kind != BackendSpec::Kind::kGles) {
      return absl::InvalidArgumentError(
          "--suggest_float32_nodes is for the GLES delegate alone");
    }
    specs = WithSuggestions(*model, specs->front());
    if (!specs.ok()) return specs.status();
  }
  bool passed = true;
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  for (const BackendSpec& spec : *specs) {
    ASSIGN_OR_RETURN(auto comparison,
                     Compare(*model, shapes, reference->interpreter(), spec));
    Print(comparison, reference->interpreter());
    report.push_back(ToJson(comparison, reference->interpreter()));
    passed = (passed || suggests) && Passed(comparison);
    if (Interrupted()) break;
    RETURN_IF_ERROR(PrintPerLayer(*model, spec));
  }
  RETURN_IF_ERROR(WriteReport(report));
  if (Interrupted()) {
    return absl::CancelledError("interrupted; what was compared is above");
  }
  return passed;
}

int Main(int argc, char** argv) {
  absl::Status parsed = ParseFlags(argc, argv, kUsage);
  if (parsed.ok() && absl::GetFlag(FLAGS_list_devices)) {
    PrintDevices();
    return 0;
  }
  if (parsed.ok()) parsed = OpenTfliteFromFlag();
  absl::StatusOr<bool> passed =
      parsed.ok() ? Run() : absl::StatusOr<bool>(parsed);
  if (!passed.ok()) {
    std::fprintf(stderr, "inference_diff: %s\n",
                 passed.status().ToString().c_str());
    return absl::IsCancelled(passed.status()) ? kInterruptedExit : 1;
  }
  if (!*passed) {
    std::fprintf(
        stderr, "inference_diff: past %s%g\n",
        absl::GetFlag(FLAGS_suggest_float32_nodes) ? "" : "--max_error=",
        MaxError());
  }
  return *passed ? 0 : 1;
}

}  // namespace
}  // namespace gles_delegate

int main(int argc, char** argv) { return gles_delegate::Main(argc, argv); }
