// How far a delegate's outputs are from TFLite's built-in CPU kernels, as
// TFLite's inference diff tells: random inputs through both.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "tools/common/progress.h"
#include "tools/runner/backend.h"
#include "tools/runner/backend_flags.h"
#include "tools/runner/command_line.h"
#include "tools/runner/inputs.h"
#include "tools/runner/model_layers.h"
#include "tools/runner/output_diff.h"

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

// The error of one of the model's outputs, or of any tensor that an op writes.
struct TensorError {
  std::string name;
  std::vector<int> dims;
  TfLiteType type = kTfLiteNoType;
  OutputDiff values;
  bool quantized = false;
  CodeDiff steps;         // if quantized
  Layer layer;            // of a tensor that an op writes
  bool delegated = true;  // of one alone: the delegate took the node

  void Add(const TensorView& reference, const TensorView& actual) {
    dims = reference.dims();
    if (quantized) steps.Add(reference, actual);
    values.Add(reference.AsFloats(), actual.AsFloats(),
               dims.empty() ? 1 : dims.back());
  }
};

// Those of the interpreter's outputs, without values.
std::vector<TensorError> ErrorsOf(const Interpreter& reference) {
  std::vector<TensorError> errors(reference.outputs());
  for (size_t i = 0; i < errors.size(); ++i) {
    const TensorView tensor = reference.output(static_cast<int>(i));
    errors[i].name = tensor.name();
    errors[i].dims = tensor.dims();
    errors[i].type = tensor.type();
    errors[i].quantized = HasQuantized(tensor);
  }
  return errors;
}

absl::StatusOr<std::vector<InputBytes>> Draw(const Interpreter& interpreter,
                                             std::mt19937& random) {
  ASSIGN_OR_RETURN(
      auto files,
      ParseValueFiles(absl::GetFlag(FLAGS_input_layer_value_files)));
  return MakeInputs(interpreter, FloatInputs::kGaussian, random, files);
}

// An inference on these inputs, from variables as the model begins with.
absl::Status RunAgain(Interpreter& interpreter,
                      const std::vector<InputBytes>& inputs) {
  RETURN_IF_ERROR(WriteInputs(interpreter, inputs));
  RETURN_IF_ERROR(interpreter.ResetVariables());
  return interpreter.Invoke();
}

// Runs both on --num_runs inputs, and adds to the outputs' errors. Returns how
// many inputs it was, after Ctrl-C fewer.
absl::StatusOr<int> CompareRuns(Interpreter& expected, Interpreter& actual,
                                const std::string& backend,
                                std::vector<TensorError>& errors) {
  std::mt19937 random(absl::GetFlag(FLAGS_seed));
  const int runs = absl::GetFlag(FLAGS_num_runs);
  Progress progress("runs", runs);
  int done = 0;
  for (; done < runs && !(Interrupted() && done > 0); ++done) {
    progress.Show(done, backend);
    ASSIGN_OR_RETURN(auto inputs, Draw(expected, random));
    RETURN_IF_ERROR(RunAgain(expected, inputs));
    RETURN_IF_ERROR(RunAgain(actual, inputs));
    for (size_t i = 0; i < errors.size(); ++i) {
      const int output = static_cast<int>(i);
      errors[i].Add(expected.output(output), actual.output(output));
    }
  }
  return done;
}

// inference_diff --per_layer: the error of each tensor that an op writes.

// A tensor's values in a run, and its shape then, which the file may not say.
struct Filled {
  std::vector<int> dims;
  InputBytes bytes;
};

using FilledTensors = std::map<int, Filled>;  // by the model's tensor index

// Runs one op on the CPU and on the backend, on what `runs` filled.
absl::Status CompareLayer(const Model& model, const BackendSpec& spec,
                          const std::vector<FilledTensors>& runs,
                          TensorError& error) {
  std::vector<std::vector<int>> shapes;
  std::vector<std::vector<InputBytes>> inputs(runs.size());
  for (int id : error.layer.inputs) {
    for (size_t run = 0; run < runs.size(); ++run) {
      const auto it = runs[run].find(id);
      if (it == runs[run].end()) {
        return absl::FailedPreconditionError(
            absl::StrCat("tensor ", id, " is filled by no op"));
      }
      if (run == 0) shapes.push_back(it->second.dims);
      inputs[run].push_back(it->second.bytes);
    }
  }
  ASSIGN_OR_RETURN(auto bytes, LayerAlone(model.bytes(), error.layer, shapes));
  ASSIGN_OR_RETURN(auto alone,
                   Model::FromBuffer(std::move(bytes), error.layer.op));
  ASSIGN_OR_RETURN(
      auto expected,
      Backend::Create(*alone, SpecFromFlags(BackendSpec::Kind::kCpu)));
  ASSIGN_OR_RETURN(auto actual, Backend::Create(*alone, spec));
  ASSIGN_OR_RETURN(auto facts, actual->Facts());
  error.delegated = facts.nodes_delegated > 0;
  for (const std::vector<InputBytes>& run : inputs) {
    for (const auto& backend : {&expected, &actual}) {
      RETURN_IF_ERROR(RunAgain((*backend)->interpreter(), run));
    }
    for (int o = 0; o < expected->interpreter().outputs(); ++o) {
      const TensorView want = expected->interpreter().output(o);
      if (want.name() != error.name) continue;
      error.Add(want, actual->interpreter().output(o));
    }
  }
  return absl::OkStatus();
}

// `expected` has each layer's tensor as an output.
absl::Status CompareAlone(const Model& model, Interpreter& expected,
                          const BackendSpec& spec,
                          std::vector<TensorError>& errors) {
  ASSIGN_OR_RETURN(const auto root, UnpackModel(model.bytes()));
  const std::vector<int>& input_ids = root->subgraphs[0]->inputs;
  std::mt19937 random(absl::GetFlag(FLAGS_seed));
  std::vector<FilledTensors> runs(absl::GetFlag(FLAGS_num_runs));
  for (FilledTensors& run : runs) {
    ASSIGN_OR_RETURN(auto inputs, Draw(expected, random));
    RETURN_IF_ERROR(RunAgain(expected, inputs));
    for (size_t i = 0; i < inputs.size(); ++i) {
      run[input_ids[i]] = {expected.input(static_cast<int>(i)).dims(),
                           inputs[i]};
    }
    for (size_t i = 0; i < errors.size(); ++i) {
      const TensorView tensor = expected.output(static_cast<int>(i));
      const auto bytes = tensor.bytes();
      run[errors[i].layer.tensor] = {tensor.dims(),
                                     {bytes.begin(), bytes.end()}};
    }
  }
  Progress progress("ops", static_cast<int64_t>(errors.size()));
  for (size_t i = 0; i < errors.size(); ++i) {
    if (Interrupted()) {
      errors.resize(i);  // what was compared
      break;
    }
    const Layer& layer = errors[i].layer;
    progress.Show(static_cast<int64_t>(i), layer.op);
    const absl::Status compared = CompareLayer(model, spec, runs, errors[i]);
    if (!compared.ok()) {
      return absl::Status(
          compared.code(),
          absl::StrCat(layer.op, " ", layer.node, ": ", compared.message()));
    }
  }
  return absl::OkStatus();
}

// Runs the backend and TFLite's built-in kernels. Tensors that hold neither
// floats nor quantized values (strings, say) are left out.
// `alone`: each op runs by itself, on the reference's inputs, so that its error
// is its own. Else the whole model runs, with every tensor as an output. Then
// errors add up on the way, and the delegate can fuse no ops.
absl::StatusOr<std::vector<TensorError>> CompareLayers(const Model& model,
                                                       const BackendSpec& spec,
                                                       bool alone) {
  ASSIGN_OR_RETURN(auto layers, LayersOf(model.bytes()));
  std::vector<int> tensors;
  for (const Layer& layer : layers) tensors.push_back(layer.tensor);
  ASSIGN_OR_RETURN(auto bytes, WithOutputs(model.bytes(), tensors));
  ASSIGN_OR_RETURN(auto opened,
                   Model::FromBuffer(std::move(bytes), "the model, opened"));
  ASSIGN_OR_RETURN(
      auto reference,
      Backend::Create(*opened, SpecFromFlags(BackendSpec::Kind::kCpu)));
  Interpreter& expected = reference->interpreter();
  std::vector<TensorError> errors = ErrorsOf(expected);
  for (size_t i = 0; i < errors.size(); ++i) errors[i].layer = layers[i];
  if (alone) {
    RETURN_IF_ERROR(CompareAlone(model, expected, spec, errors));
    return errors;
  }
  ASSIGN_OR_RETURN(auto backend, Backend::Create(*opened, spec));
  RETURN_IF_ERROR(
      CompareRuns(expected, backend->interpreter(), spec.name(), errors)
          .status());
  return errors;
}

// node, op, shape, equal, within 1, most, max abs, max rel, tensor
using Cells = std::array<std::string, 9>;
// Of the columns; negative: on the left; 0: left out.
using Widths = std::array<int, 9>;

// At 80 columns, quantized values take the room of the tensors' names.
Widths WidthsFor(const std::vector<TensorError>& layers) {
  if (Columns() > 80) return {4, -24, -16, 9, 9, 5, 10, 10, -1};
  const bool quantized =
      std::any_of(layers.begin(), layers.end(),
                  [](const TensorError& layer) { return layer.quantized; });
  return quantized ? Widths{4, -17, -14, 8, 8, 5, 8, 8, 0}
                   : Widths{4, -17, -14, 0, 0, 0, 10, 10, -20};
}

std::string LayerLine(const Cells& cells, const Widths& widths,
                      const std::string& remarks = "") {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (widths[i] == 0) continue;
    absl::StrAppendFormat(&line, "%s%*s", i > 0 ? " " : "", widths[i],
                          Shorten(cells[i], std::abs(widths[i])));
  }
  absl::StripTrailingAsciiWhitespace(&line);
  return Wrap(line + remarks, 5) + "\n";
}

std::string LayerLine(const TensorError& e, const Widths& widths) {
  Cells cells = {absl::StrCat(e.layer.node),
                 e.layer.op,
                 absl::StrJoin(e.dims, "x"),
                 "-",
                 "-",
                 "-",
                 absl::StrFormat("%.3g", e.values.max_abs()),
                 absl::StrFormat("%.3g", e.values.max_relative()),
                 " " + e.name};
  if (e.quantized) {
    cells[3] = absl::StrFormat("%.3f%%", 100 * e.steps.equal());
    cells[4] = absl::StrFormat("%.3f%%", 100 * e.steps.within_1());
    cells[5] = absl::StrCat(e.steps.largest());
  }
  return LayerLine(cells, widths,
                   absl::StrCat(e.delegated ? "" : "  (CPU)",
                                e.values.mismatches() + e.steps.mismatches() > 0
                                    ? "  NaN or sizes differ"
                                    : ""));
}

void PrintLayers(const std::vector<TensorError>& layers) {
  const Widths widths = WidthsFor(layers);
  std::string table = LayerLine({"node", "op", "shape", "equal", "within 1",
                                 "most", "max abs", "max rel", " tensor"},
                                widths);
  for (const TensorError& layer : layers) table += LayerLine(layer, widths);
  std::printf("%s", table.c_str());
}

// inference_diff --suggest_float32_nodes: which nodes lose by 16-bit storage.

// The largest error of a node in 16 bits that is expected, relative to the
// largest magnitude of its output: ten roundings of 2^-11.
constexpr double kFloat16Error = 5e-3;

struct Float32Suggestion {
  // Whose error, each alone in 16 bits on the CPU's inputs, is past
  // kFloat16Error. In the model's order.
  std::vector<TensorError> layers;
  // Their nodes and those that write what they read, as the option
  // float32_nodes takes them: "3,17-20". "": none.
  std::string nodes;
};

std::string Ranges(const std::set<int>& nodes) {
  std::vector<std::string> ranges;
  for (auto it = nodes.begin(); it != nodes.end();) {
    const int first = *it;
    int last = first;
    while (++it != nodes.end() && *it == last + 1) ++last;
    ranges.push_back(first == last ? absl::StrCat(first)
                                   : absl::StrCat(first, "-", last));
  }
  return absl::StrJoin(ranges, ",");
}

// Runs each node of the model alone, on `spec` with 16-bit storage.
absl::StatusOr<Float32Suggestion> SuggestFloat32Nodes(const Model& model,
                                                      BackendSpec spec) {
  spec.options.emplace_back("is_precision_loss_allowed", "1");
  ASSIGN_OR_RETURN(auto layers, CompareLayers(model, spec, /*alone=*/true));
  std::map<int, int> writers;  // of the model's tensors
  for (const TensorError& e : layers) writers[e.layer.tensor] = e.layer.node;
  Float32Suggestion suggestion;
  std::set<int> nodes;
  for (TensorError& e : layers) {
    if (e.quantized || !e.delegated || e.values.Within(kFloat16Error)) continue;
    nodes.insert(e.layer.node);
    for (int id : e.layer.inputs) {
      const auto writer = writers.find(id);
      if (writer != writers.end()) nodes.insert(writer->second);
    }
    suggestion.layers.push_back(std::move(e));
  }
  suggestion.nodes = Ranges(nodes);
  return suggestion;
}

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
  std::vector<TensorError> outputs;
  int runs = 0;
};

absl::StatusOr<Comparison> Compare(const Model& model,
                                   const std::vector<std::vector<int>>& shapes,
                                   Interpreter& reference,
                                   const BackendSpec& spec) {
  ASSIGN_OR_RETURN(auto backend, Backend::Create(model, spec, shapes));
  PrintLog(backend->interpreter(), spec.name());
  Comparison comparison = {spec.name(), {}, ErrorsOf(reference)};
  ASSIGN_OR_RETURN(comparison.runs,
                   CompareRuns(reference, backend->interpreter(), spec.name(),
                               comparison.outputs));
  ASSIGN_OR_RETURN(comparison.facts, backend->Facts());
  return comparison;
}

bool Passed(const Comparison& comparison) {
  return std::all_of(comparison.outputs.begin(), comparison.outputs.end(),
                     [](const TensorError& output) {
                       return output.values.Within(MaxError());
                     });
}

void Print(const Comparison& comparison) {
  std::printf(
      "%s: %d of %d nodes in %d partitions; %d runs, seed %d\n  on %s\n",
      comparison.backend.c_str(), comparison.facts.nodes_delegated,
      comparison.facts.nodes_total, comparison.facts.partitions,
      comparison.runs, absl::GetFlag(FLAGS_seed),
      comparison.facts.renderer.c_str());
  std::printf("output, shape\n%12s %10s %10s %10s %10s %8s %5s\n", "max abs",
              "mean abs", "max rel", "rel L2", "1-cosine", "argmax", "NaN");
  for (const TensorError& output : comparison.outputs) {
    const OutputDiff& diff = output.values;
    const std::string shape = absl::StrJoin(output.dims, "x");
    std::printf("%s %s\n%12.3g %10.3g %10.3g %10.3g %10.3g %7.2f%% %5lld%s\n",
                Shorten(output.name, 79 - shape.size()).c_str(), shape.c_str(),
                diff.max_abs(), diff.mean_abs(), diff.max_relative(),
                diff.relative_l2(), 1 - diff.cosine(),
                100 * diff.argmax_agreement(),
                static_cast<long long>(diff.mismatches()),
                diff.Within(MaxError()) ? "" : "  FAIL");
  }
}

nlohmann::ordered_json ToJson(const Comparison& comparison) {
  nlohmann::ordered_json json;
  json["backend"] = comparison.backend;
  json["passed"] = Passed(comparison);
  json["max_error"] = MaxError();
  json["runs"] = comparison.runs;
  json["seed"] = absl::GetFlag(FLAGS_seed);
  json.update(ToJson(comparison.facts));
  json["model"] = absl::GetFlag(FLAGS_graph);
  json["outputs"] = nlohmann::ordered_json::array();
  for (const TensorError& output : comparison.outputs) {
    const OutputDiff& diff = output.values;
    json["outputs"].push_back({{"name", output.name},
                               {"shape", output.dims},
                               {"type", TfLiteTypeGetName(output.type)},
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
  for (const bool alone : {false, true}) {
    if (!absl::GetFlag(alone ? FLAGS_per_layer_alone : FLAGS_per_layer)) {
      continue;
    }
    ASSIGN_OR_RETURN(auto layers, CompareLayers(model, spec, alone));
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
  ASSIGN_OR_RETURN(auto suggestion, SuggestFloat32Nodes(model, spec));
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

// Compares every backend. `passed`: no output is past the limit.
absl::Status Run(bool& passed) {
  ASSIGN_OR_RETURN(auto specs, BackendsOrGles());
  ASSIGN_OR_RETURN(auto model, ModelFromFlags());
  ASSIGN_OR_RETURN(auto shapes, ShapesFromFlags(*model));
  if (!shapes.empty() && RunsLayers()) {
    return absl::InvalidArgumentError(
        "--input_layer_shape goes with none of --per_layer, --per_layer_alone "
        "and --suggest_float32_nodes, which run the model's own shapes");
  }
  ASSIGN_OR_RETURN(
      auto reference,
      Backend::Create(*model, SpecFromFlags(BackendSpec::Kind::kCpu), shapes));

  CatchInterrupts();
  const bool suggests = absl::GetFlag(FLAGS_suggest_float32_nodes);
  if (suggests) {
    if (specs.size() != 1 || specs[0].kind != BackendSpec::Kind::kGles) {
      return absl::InvalidArgumentError(
          "--suggest_float32_nodes is for the GLES delegate alone");
    }
    ASSIGN_OR_RETURN(specs, WithSuggestions(*model, specs[0]));
  }
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  for (const BackendSpec& spec : specs) {
    ASSIGN_OR_RETURN(auto comparison,
                     Compare(*model, shapes, reference->interpreter(), spec));
    Print(comparison);
    report.push_back(ToJson(comparison));
    passed = (passed || suggests) && Passed(comparison);
    if (Interrupted()) break;
    RETURN_IF_ERROR(PrintPerLayer(*model, spec));
  }
  RETURN_IF_ERROR(WriteReport(report));
  return Interrupted()
             ? absl::CancelledError("interrupted; what was compared is above")
             : absl::OkStatus();
}

int Main(int argc, char** argv) {
  bool passed = true;
  const int failed = RunTool(argc, argv, "inference_diff", kUsage,
                             [&] { return Run(passed); });
  if (failed != 0 || passed) return failed;
  std::fprintf(stderr, "inference_diff: past %s%g\n",
               absl::GetFlag(FLAGS_suggest_float32_nodes) ? "" : "--max_error=",
               MaxError());
  return 1;
}

}  // namespace

}  // namespace gles_delegate

int main(int argc, char** argv) { return gles_delegate::Main(argc, argv); }
