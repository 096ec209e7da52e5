// How far a delegate's 8-bit models are from TFLite's integer CPU kernels, on
// photographs, parts of them and noise: the table of docs/quantization.md.
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "tools/common/progress.h"
#include "tools/quantized_accuracy/measure.h"
#include "tools/quantized_accuracy/pictures.h"
#include "tools/runner/backend.h"
#include "tools/runner/backend_flags.h"
#include "tools/runner/command_line.h"
#include "tools/runner/git_revision.h"
#include "tools/runner/report_json.h"
#include "tools/runner/tflite_flag.h"

ABSL_FLAG(std::vector<std::string>, graphs, {},
          "the .tflite models, separated by commas (as well as --graph)");
ABSL_FLAG(std::vector<std::string>, images, {},
          "photographs (PNG, JPEG or BMP), separated by commas");
ABSL_FLAG(std::vector<std::string>, quantized_compute, {"auto"},
          "a row for each of these values of the option quantized_compute");
ABSL_FLAG(int, num_inputs, 50, "inputs to compare on");
ABSL_FLAG(int, seed, 1, "of the random parts and the noise");

namespace gles_delegate {
namespace {

constexpr char kUsage[] =
    "Compares 8-bit models on the GLES delegate (or --external_delegate_path,\n"
    "--use_xnnpack) with TFLite's built-in integer kernels.\n\n"
    "  quantized_accuracy --graphs=A.tflite,B.tflite --images=A.jpg,B.png\n\n"
    "Prints a few lines for each model and backend; a Markdown table with\n"
    "--wide. `inner` is what goes into SOFTMAX or into a custom op at the "
    "end.\n"
    "top-5: the same five classes, in any order. Boxes are those of a score "
    "of\n"
    "0.5 or more; matched are those of one label with an IoU of 0.5 or more.";

struct Row {
  std::string model;
  std::string backend;  // "gles float"
  Accuracy accuracy;
};

std::string Codes(const CodeDiff& diff) {
  if (diff.elements() == 0) return "| - | - | - ";
  return absl::StrFormat("| %.3f%% | %.3f%% | %d%s ", 100 * diff.equal(),
                         100 * diff.within_1(), diff.largest(),
                         diff.mismatches() > 0 ? " MISMATCHED" : "");
}

void PrintHeader() {
  if (Columns() <= 80) return;
  std::printf(
      "| model | backend | nodes | quantized values equal | within 1 | largest "
      "| inner equal | within 1 | largest | top-1 | top-5 | boxes |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

// "  outputs: 99.231% equal, 99.768% within 1, largest 21"
std::string CodesLine(const char* of, const CodeDiff& diff) {
  if (diff.elements() == 0) return "";
  return absl::StrFormat("\n  %s: %.3f%% equal, %.3f%% within 1, largest %d%s",
                         of, 100 * diff.equal(), 100 * diff.within_1(),
                         diff.largest(),
                         diff.mismatches() > 0 ? ", MISMATCHED" : "");
}

// The row as lines for people.
std::string Lines(const Row& row) {
  const Accuracy& a = row.accuracy;
  std::string text = absl::StrFormat(
      "%s, %s: %d of %d nodes%s%s", row.model, row.backend,
      a.facts.nodes_delegated, a.facts.nodes_total,
      CodesLine("outputs", a.outputs), CodesLine("inner", a.inner));
  if (a.classes.runs > 0) {
    absl::StrAppendFormat(&text, "\n  top-1: %d of %d, top-5: %d of %d",
                          a.classes.top_1, a.classes.runs, a.classes.top_5,
                          a.classes.runs);
  }
  if (a.has_boxes) {
    absl::StrAppendFormat(
        &text, "\n  boxes: %d of %d matched (%d found), IoU %.4f, least %.4f",
        a.boxes.matched, a.boxes.reference, a.boxes.actual, a.boxes.mean_iou(),
        a.boxes.min_iou);
  }
  return Wrap(text, 4);
}

// The row of a Markdown table.
std::string MarkdownRow(const Row& row) {
  const Accuracy& a = row.accuracy;
  std::string line = absl::StrFormat(
      "| %s | %s | %d/%d %s%s", row.model, row.backend, a.facts.nodes_delegated,
      a.facts.nodes_total, Codes(a.outputs), Codes(a.inner));
  if (a.classes.runs > 0) {
    absl::StrAppendFormat(&line, "| %d of %d | %d of %d ", a.classes.top_1,
                          a.classes.runs, a.classes.top_5, a.classes.runs);
  } else {
    line += "| - | - ";
  }
  if (a.has_boxes) {
    absl::StrAppendFormat(
        &line, "| %d of %d matched (%d found), IoU %.4f, least %.4f |",
        a.boxes.matched, a.boxes.reference, a.boxes.actual, a.boxes.mean_iou(),
        a.boxes.min_iou);
  } else {
    line += "| - |";
  }
  return line;
}

void Print(const Row& row) {
  const std::string text = Columns() > 80 ? MarkdownRow(row) : Lines(row);
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

nlohmann::ordered_json ToJson(const CodeDiff& diff) {
  return {{"elements", diff.elements()},
          {"equal", diff.equal()},
          {"within_1", diff.within_1()},
          {"largest", diff.largest()},
          {"mismatches", diff.mismatches()}};
}

nlohmann::ordered_json ToJson(const Row& row) {
  const Accuracy& a = row.accuracy;
  nlohmann::ordered_json json = {{"model", row.model},
                                 {"backend", row.backend},
                                 {"inputs", a.inputs},
                                 {"seed", absl::GetFlag(FLAGS_seed)},
                                 {"nodes_total", a.facts.nodes_total},
                                 {"nodes_delegated", a.facts.nodes_delegated},
                                 {"renderer", a.facts.renderer},
                                 {"driver", a.facts.driver},
                                 {"tflite", TfliteName()},
                                 {"revision", GitRevision()},
                                 {"outputs", ToJson(a.outputs)},
                                 {"inner", ToJson(a.inner)}};
  if (a.classes.runs > 0) {
    json["top_1"] = a.classes.top_1;
    json["top_5"] = a.classes.top_5;
  }
  if (a.has_boxes) {
    json["boxes"] = {{"reference", a.boxes.reference},
                     {"actual", a.boxes.actual},
                     {"matched", a.boxes.matched},
                     {"mean_iou", a.boxes.mean_iou()},
                     {"min_iou", a.boxes.min_iou}};
  }
  return json;
}

// The backends to measure: GLES once for each value of --quantized_compute.
absl::StatusOr<std::vector<std::pair<std::string, BackendSpec>>> Specs() {
  ASSIGN_OR_RETURN(auto specs, BackendsOrGles());
  if (!absl::GetFlag(FLAGS_use_gles) &&
      absl::GetFlag(FLAGS_quantized_compute) !=
          std::vector<std::string>{"auto"}) {
    return OnlyForGles("quantized_compute");
  }
  std::vector<std::pair<std::string, BackendSpec>> named;
  for (const BackendSpec& spec : specs) {
    if (spec.kind != BackendSpec::Kind::kGles) {
      named.emplace_back(spec.name(), spec);
      continue;
    }
    for (const std::string& mode : absl::GetFlag(FLAGS_quantized_compute)) {
      named.emplace_back(absl::StrCat("gles ", mode), spec);
      named.back().second.options.emplace_back("quantized_compute", mode);
    }
  }
  return named;
}

// Measures one row. kCancelled: Ctrl-C came before the row's inputs were done.
absl::StatusOr<Row> Measure(const std::string& path, const Model& model,
                            const std::string& name, const BackendSpec& spec,
                            const Pictures& pictures) {
  const int inputs = absl::GetFlag(FLAGS_num_inputs);
  const std::string stem = std::filesystem::path(path).stem().string();
  Progress progress("inputs", inputs);
  auto accuracy = MeasureAccuracy(
      model, spec, pictures, inputs, absl::GetFlag(FLAGS_seed), [&](int done) {
        progress.Show(done, absl::StrCat(stem, " ", name));
        return !Interrupted();
      });
  if (!accuracy.ok()) {
    return absl::Status(accuracy.status().code(),
                        absl::StrCat(path, ": ", accuracy.status().message()));
  }
  if (accuracy->inputs < inputs) {
    return absl::CancelledError(absl::StrCat(
        "interrupted: ", stem, " ", name, " after ", accuracy->inputs, " of ",
        inputs, " inputs; the rows above are whole"));
  }
  return Row{stem, name, *std::move(accuracy)};
}

absl::StatusOr<std::vector<std::string>> Graphs() {
  std::vector<std::string> graphs = absl::GetFlag(FLAGS_graphs);
  if (!absl::GetFlag(FLAGS_graph).empty()) {
    graphs.push_back(absl::GetFlag(FLAGS_graph));
  }
  if (graphs.empty()) {
    return absl::InvalidArgumentError(
        "Give models: --graphs=A.tflite,B.tflite");
  }
  if (absl::GetFlag(FLAGS_images).empty()) {
    return absl::InvalidArgumentError("Give photographs: --images=A.jpg,B.png");
  }
  return graphs;
}

// Prints each row when it is measured, and adds it to `rows`.
absl::Status MeasureAll(const std::vector<std::string>& graphs,
                        std::vector<Row>& rows) {
  ASSIGN_OR_RETURN(auto specs, Specs());
  ASSIGN_OR_RETURN(auto pictures, Pictures::Load(absl::GetFlag(FLAGS_images)));
  PrintHeader();
  CatchInterrupts();
  for (const std::string& path : graphs) {
    ASSIGN_OR_RETURN(auto model, Model::FromFile(path));
    for (const auto& [name, spec] : specs) {
      ASSIGN_OR_RETURN(auto row, Measure(path, *model, name, spec, pictures));
      Print(row);
      rows.push_back(std::move(row));
    }
  }
  return absl::OkStatus();
}

absl::Status Run() {
  ASSIGN_OR_RETURN(auto graphs, Graphs());
  std::vector<Row> rows;
  absl::Status measured = MeasureAll(graphs, rows);
  if (!rows.empty()) {
    const std::string facts = absl::StrFormat(
        "%d inputs, seed %d, %s, revision %s", absl::GetFlag(FLAGS_num_inputs),
        absl::GetFlag(FLAGS_seed), rows.back().accuracy.facts.renderer,
        GitRevision());
    std::printf("\n%s\n", Wrap(facts, 2).c_str());
  }
  if (!measured.ok() && rows.empty()) return measured;
  // The rows that were measured are kept, whatever came after them.
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  for (const Row& row : rows) report.push_back(ToJson(row));
  const absl::Status written = WriteReport(report);
  return measured.ok() ? written : measured;
}

int Main(int argc, char** argv) {
  return RunTool(argc, argv, "quantized_accuracy", kUsage, Run);
}

}  // namespace
}  // namespace gles_delegate

int main(int argc, char** argv) { return gles_delegate::Main(argc, argv); }
