// How far a delegate's 8-bit models are from TFLite's integer CPU kernels, on
// photographs, parts of them and noise: the table of docs/quantization.md.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
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
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "tools/common/image.h"
#include "tools/common/progress.h"
#include "tools/runner/backend.h"
#include "tools/runner/backend_flags.h"
#include "tools/runner/command_line.h"
#include "tools/runner/git_revision.h"
#include "tools/runner/model_layers.h"
#include "tools/runner/output_diff.h"

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

using Photos = std::vector<Image>;

// mt19937 gives the same numbers everywhere; std's distributions need not.
double Fraction(std::mt19937& random) {
  return static_cast<double>(random()) / 4294967296.0;
}

struct Rect {
  double x, y, width, height;
};
// By nearest neighbour. Three channels are RGB; else every channel is the grey
// level.
std::vector<uint8_t> Resample(const Image& photo, const Rect& part, int width,
                              int height, int channels) {
  std::vector<uint8_t> out;
  out.reserve(size_t{1} * width * height * channels);
  for (int y = 0; y < height; ++y) {
    const int sy =
        std::clamp(static_cast<int>(part.y + (y + 0.5) * part.height / height),
                   0, photo.height - 1);
    for (int x = 0; x < width; ++x) {
      const int sx =
          std::clamp(static_cast<int>(part.x + (x + 0.5) * part.width / width),
                     0, photo.width - 1);
      const uint8_t* rgb = &photo.rgb[3 * (size_t{1} * sy * photo.width + sx)];
      const int grey = (rgb[0] + rgb[1] + rgb[2] + 1) / 3;
      for (int c = 0; c < channels; ++c) {
        out.push_back(channels == 3 ? rgb[c] : static_cast<uint8_t>(grey));
      }
    }
  }
  return out;
}

// A numbered, endless set of inputs: first each photograph whole, then random
// parts of them (each side a third to all of the photograph's), and every sixth
// uniform noise. Number and seed alone decide what an input is: 0 to 255, rows
// of `channels` interleaved.
std::vector<uint8_t> PictureOf(const Photos& photos, int number, int width,
                               int height, int channels) {
  const int count = static_cast<int>(photos.size());
  std::mt19937 random(static_cast<uint32_t>(absl::GetFlag(FLAGS_seed)) *
                          1000003u +
                      static_cast<uint32_t>(number));
  if (number >= count && number % 6 == 5) {
    std::vector<uint8_t> noise(size_t{1} * width * height * channels);
    for (uint8_t& v : noise) v = static_cast<uint8_t>(random() >> 24);
    return noise;
  }
  const Image& photo = photos[number % count];
  Rect part = {0, 0, 1.0 * photo.width, 1.0 * photo.height};
  if (number >= count) {
    part.width *= (1 + 2 * Fraction(random)) / 3;
    part.height *= (1 + 2 * Fraction(random)) / 3;
    part.x = Fraction(random) * (photo.width - part.width);
    part.y = Fraction(random) * (photo.height - part.height);
  }
  return Resample(photo, part, width, height, channels);
}

// A model on a backend beside TFLite's integer kernels, on many inputs.
struct Row {
  std::string model;
  std::string backend;  // "gles float"
  BackendFacts facts;
  int inputs = 0;
  CodeDiff outputs;  // of the model's quantized outputs
  // Of what goes into SOFTMAX and into custom ops
  // (TFLite_Detection_PostProcess). The measurement makes these tensors
  // outputs.
  CodeDiff inner;
  ClassAgreement classes;  // runs: 0 where there is no SOFTMAX
  BoxAgreement boxes;
  bool has_boxes = false;
};

constexpr char kDetection[] = "TFLite_Detection_PostProcess";

// The model with more outputs: see Row::inner.
struct Opened {
  std::unique_ptr<Model> model;
  int own_outputs = 0;  // the model's own, which come first
  int logits = -1;      // the output that goes into SOFTMAX
  bool has_boxes = false;
};

absl::StatusOr<Opened> Open(const Model& model) {
  Opened opened;
  ASSIGN_OR_RETURN(auto layers, LayersOf(model.bytes()));
  ASSIGN_OR_RETURN(const auto root, UnpackModel(model.bytes()));
  std::vector<int> outputs = root->subgraphs[0]->outputs;
  opened.own_outputs = static_cast<int>(outputs.size());
  for (const Layer& layer : layers) {
    const bool detection = layer.op == kDetection;
    opened.has_boxes = opened.has_boxes || detection;
    if (!detection && layer.op != "SOFTMAX") continue;
    for (int id : layer.inputs) {
      const auto at = std::find(outputs.begin(), outputs.end(), id);
      if (!detection) opened.logits = static_cast<int>(at - outputs.begin());
      if (at == outputs.end()) outputs.push_back(id);
    }
  }
  ASSIGN_OR_RETURN(auto bytes, WithOutputs(model.bytes(), outputs));
  ASSIGN_OR_RETURN(opened.model,
                   Model::FromBuffer(std::move(bytes), "the model, opened"));
  return opened;
}

absl::Status WritePicture(const TensorView& tensor, const Photos& photos,
                          int number) {
  const std::vector<int> dims = tensor.dims();
  const bool grey = dims.size() == 3;  // [1, height, width]
  if (dims.size() < 3 || dims.size() > 4 || dims[0] != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", tensor.name(), " [", absl::StrJoin(dims, ","),
                     "] takes no picture"));
  }
  std::vector<uint8_t> pixels =
      PictureOf(photos, number, dims[2], dims[1], grey ? 1 : dims[3]);
  switch (tensor.type()) {
    case kTfLiteUInt8:
      return tensor.WriteBytes(pixels);
    case kTfLiteInt8:
      for (uint8_t& p : pixels) p = static_cast<uint8_t>(p ^ 0x80);
      return tensor.WriteBytes(pixels);
    case kTfLiteFloat32: {
      std::vector<float> values(pixels.begin(), pixels.end());
      for (float& v : values) v /= 255;
      return tensor.WriteFloats(values);
    }
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("input ", tensor.name(), " takes no pixels"));
  }
}

// TFLite_Detection_PostProcess's outputs: boxes, classes, scores, count.
std::vector<Box> BoxesOf(const Interpreter& interpreter) {
  return gles_delegate::BoxesOf(
      interpreter.output(0).AsFloats(), interpreter.output(1).AsFloats(),
      interpreter.output(2).AsFloats(), interpreter.output(3).AsFloats());
}

void Add(const Opened& opened, const Interpreter& want, const Interpreter& got,
         Row& row) {
  for (int o = 0; o < want.outputs(); ++o) {
    if (!HasQuantized(want.output(o))) continue;
    CodeDiff& diff = o < opened.own_outputs ? row.outputs : row.inner;
    diff.Add(want.output(o), got.output(o));
  }
  if (opened.logits >= 0) {
    row.classes.Add(want.output(opened.logits).AsFloats(),
                    got.output(opened.logits).AsFloats());
  }
  if (opened.has_boxes) row.boxes.Add(BoxesOf(want), BoxesOf(got));
}

// Measures one row. `model` takes one picture, of 8-bit codes or of floats (0
// to 1); kInvalidArgument: it takes something else. kCancelled: Ctrl-C came
// before the row's inputs were done.
absl::StatusOr<Row> Measure(const std::string& stem, const Model& model,
                            const std::string& name, const BackendSpec& spec,
                            const Photos& photos) {
  const int inputs = absl::GetFlag(FLAGS_num_inputs);
  ASSIGN_OR_RETURN(auto opened, Open(model));
  ASSIGN_OR_RETURN(
      auto reference,
      Backend::Create(*opened.model, SpecFromFlags(BackendSpec::Kind::kCpu)));
  ASSIGN_OR_RETURN(auto backend, Backend::Create(*opened.model, spec));
  Interpreter& want = reference->interpreter();
  Interpreter& got = backend->interpreter();
  Row row;
  row.model = stem;
  row.backend = name;
  row.has_boxes = opened.has_boxes;
  Progress progress("inputs", inputs);
  for (; row.inputs < inputs; ++row.inputs) {
    progress.Show(row.inputs, absl::StrCat(stem, " ", name));
    if (Interrupted()) {
      return absl::CancelledError(
          absl::StrCat("interrupted: ", stem, " ", name, " after ", row.inputs,
                       " of ", inputs, " inputs; the rows above are whole"));
    }
    for (Interpreter* interpreter : {&want, &got}) {
      RETURN_IF_ERROR(WritePicture(interpreter->input(0), photos, row.inputs));
      RETURN_IF_ERROR(interpreter->ResetVariables());
      RETURN_IF_ERROR(interpreter->Invoke());
    }
    Add(opened, want, got, row);
  }
  ASSIGN_OR_RETURN(row.facts, backend->Facts());
  return row;
}

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

std::string Boxes(const BoxAgreement& boxes) {
  return absl::StrFormat("%d of %d matched (%d found), IoU %.4f, least %.4f",
                         boxes.matched, boxes.reference, boxes.actual,
                         boxes.mean_iou(), boxes.min_iou);
}

// The row as lines for people.
std::string Lines(const Row& a) {
  std::string text = absl::StrFormat(
      "%s, %s: %d of %d nodes%s%s", a.model, a.backend, a.facts.nodes_delegated,
      a.facts.nodes_total, CodesLine("outputs", a.outputs),
      CodesLine("inner", a.inner));
  if (a.classes.runs > 0) {
    absl::StrAppendFormat(&text, "\n  top-1: %d of %d, top-5: %d of %d",
                          a.classes.top_1, a.classes.runs, a.classes.top_5,
                          a.classes.runs);
  }
  if (a.has_boxes) absl::StrAppend(&text, "\n  boxes: ", Boxes(a.boxes));
  return Wrap(text, 4);
}

// The row of a Markdown table.
std::string MarkdownRow(const Row& a) {
  std::string line = absl::StrFormat(
      "| %s | %s | %d/%d %s%s", a.model, a.backend, a.facts.nodes_delegated,
      a.facts.nodes_total, Codes(a.outputs), Codes(a.inner));
  if (a.classes.runs > 0) {
    absl::StrAppendFormat(&line, "| %d of %d | %d of %d ", a.classes.top_1,
                          a.classes.runs, a.classes.top_5, a.classes.runs);
  } else {
    line += "| - | - ";
  }
  return absl::StrCat(line, "| ", a.has_boxes ? Boxes(a.boxes) : "-", " |");
}

void Print(const Row& a) {
  const std::string text = Columns() > 80 ? MarkdownRow(a) : Lines(a);
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

nlohmann::ordered_json ToJson(const Row& a) {
  nlohmann::ordered_json json = {{"model", a.model},
                                 {"backend", a.backend},
                                 {"inputs", a.inputs},
                                 {"seed", absl::GetFlag(FLAGS_seed)},
                                 {"outputs", ToJson(a.outputs)},
                                 {"inner", ToJson(a.inner)}};
  json.update(ToJson(a.facts));
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
  Photos photos;
  for (const std::string& file : absl::GetFlag(FLAGS_images)) {
    ASSIGN_OR_RETURN(photos.emplace_back(), ReadImage(file));
  }
  PrintHeader();
  CatchInterrupts();
  for (const std::string& path : graphs) {
    ASSIGN_OR_RETURN(auto model, Model::FromFile(path));
    for (const auto& [name, spec] : specs) {
      auto row = Measure(std::filesystem::path(path).stem().string(), *model,
                         name, spec, photos);
      if (!row.ok()) {
        return absl::Status(
            row.status().code(),
            absl::IsCancelled(row.status())
                ? row.status().message()
                : absl::StrCat(path, ": ", row.status().message()));
      }
      Print(*row);
      rows.push_back(*std::move(row));
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
        absl::GetFlag(FLAGS_seed), rows.back().facts.renderer, GitRevision());
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
