// Runs a model on TFLite's CPU kernels, on XNNPACK and on OpenGL ES, checks
// that they agree, and draws what came out.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
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
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "tools/common/image.h"
#include "tools/common/text_file.h"
#include "tools/common/tflite_host.h"
#include "tools/gles_demo/findings.h"
#include "tools/gles_demo/poster.h"
#include "tools/runner/backend.h"
#include "tools/runner/backend_flags.h"
#include "tools/runner/command_line.h"
#include "tools/runner/inputs.h"
#include "tools/runner/latency.h"
#include "tools/runner/output_diff.h"

ABSL_FLAG(std::string, image, "",
          "the picture for the model's first input (PNG, JPEG, BMP); without "
          "one, a landscape");
ABSL_FLAG(std::string, labels, "", "names of the classes, one a line");
ABSL_FLAG(std::string, output_dir, "demo_out", "where demo.svg is written");
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

// A model's input, and the picture to show of it.
struct Input {
  Image picture;              // empty if the input is not an image
  int width = 0, height = 0;  // of the model's input; 0 without a picture
  std::vector<InputBytes> tensors;
};

// The demo's own input: mountains, a lake and a balloon.
constexpr uint8_t kLandscape[] = {
#include "embedded/landscape.jpg.inc"
};

// The demo's own model: image filters as a neural network, so that its outputs
// can be judged by eye. Input: [1, 232, 232, 3], RGB in 0..1. No filter looks
// past the border, so each output is [1, 224, 224, 3].
// - stylised: posterised to four levels a channel, with a glow around bright
//   parts and inked outlines.
// - edges: how strong the Sobel gradient is along x (red), along y (green) and
//   along both (blue).
// - blur: a Gaussian blur of 3 pixels.
constexpr uint8_t kModel[] = {
#include "embedded/model.tflite.inc"
};

// The tensor's shape as [1, height, width, channels]; empty if it holds no
// image. `is_asked`: someone has an image for it, which [1, height, width] may
// be, too.
std::vector<int> ImageDims(const TensorView& tensor, bool is_asked) {
  std::vector<int> dims = tensor.dims();
  if (dims.size() == 3 && is_asked) dims.push_back(1);
  const bool is_image = dims.size() == 4 && dims[0] == 1 && dims[1] > 1 &&
                        dims[2] > 1 &&
                        (dims[3] == 1 || dims[3] == 3 || dims[3] == 4);
  return is_image ? dims : std::vector<int>();
}

// Converts RGB pixels of 0 to 255 to the tensor's channels: one channel is
// grey, a fourth one is an alpha of zero.
std::vector<float> ToChannels(const std::vector<float>& rgb, int channels) {
  if (channels == 3) return rgb;
  std::vector<float> out;
  out.reserve(rgb.size() / 3 * channels);
  for (size_t i = 0; i < rgb.size(); i += 3) {
    if (channels == 1) {
      out.push_back(0.299f * rgb[i] + 0.587f * rgb[i + 1] +
                    0.114f * rgb[i + 2]);
    } else {
      out.insert(out.end(), {rgb[i], rgb[i + 1], rgb[i + 2], 0.0f});
    }
  }
  return out;
}

// Writes pixels as the tensor needs them: floats are normalised by the flags,
// 8-bit codes stay as they are.
absl::Status WritePixels(const TensorView& tensor, std::vector<float> pixels,
                         double mean, double std) {
  if (tensor.type() == kTfLiteUInt8 || tensor.type() == kTfLiteInt8) {
    const int offset = tensor.type() == kTfLiteInt8 ? 128 : 0;
    InputBytes quantized;
    quantized.reserve(pixels.size());
    for (float pixel : pixels) {
      quantized.push_back(static_cast<uint8_t>(std::lround(pixel) - offset));
    }
    return tensor.WriteBytes(quantized);
  }
  for (float& pixel : pixels) {
    pixel = static_cast<float>((pixel - mean) / std);
  }
  return tensor.WriteFloats(pixels);
}

// The picture for the first input, as (pixel - mean) / std where the input
// holds floats; random numbers for the others. `image` is a file, or empty for
// the landscape. kInvalidArgument: an image, but no input for it.
absl::StatusOr<Input> MakeInput(const Interpreter& interpreter,
                                const std::string& image, double mean,
                                double std) {
  Input input;
  std::mt19937 random(1);
  ASSIGN_OR_RETURN(input.tensors,
                   MakeInputs(interpreter, FloatInputs::kGaussian, random));
  if (interpreter.inputs() == 0) return input;
  const TensorView first = interpreter.input(0);
  const std::vector<int> dims = ImageDims(first, !image.empty());
  if (dims.empty()) {
    if (image.empty()) return input;
    return absl::InvalidArgumentError(absl::StrCat(
        "Input ", first.name(), " [", absl::StrJoin(first.dims(), ","),
        "] is not an image, so --image has nowhere to go"));
  }
  ASSIGN_OR_RETURN(input.picture,
                   image.empty() ? DecodeImage(kLandscape) : ReadImage(image));
  RETURN_IF_ERROR(WritePixels(
      first, ToChannels(Resampled(input.picture, dims[2], dims[1]), dims[3]),
      mean, std));
  input.height = dims[1];
  input.width = dims[2];
  input.tensors[0].assign(first.bytes().begin(), first.bytes().end());
  return input;
}

constexpr char kUsage[] =
    "Runs a model on the CPU and on OpenGL ES. Draws what both found on the "
    "picture: boxes, a mask, poses or labels. Of other models it draws the "
    "outputs' values.\n\n"
    "  gles_demo [--graph=MODEL.tflite [--image=IMAGE] [--labels=FILE]]\n\n"
    "Without a model it runs one of its own: blur, edges and a stylised "
    "picture of a landscape.";

struct RunResult {
  std::vector<TensorValues> outputs;
  BackendFacts facts;
  double init_ms = 0;
  Latency latency;
};

absl::StatusOr<RunResult> RunOn(const Model& model, BackendSpec::Kind kind,
                                const Input& input) {
  BackendSpec spec = SpecFromFlags(kind);
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
  std::vector<uint8_t> bytes(std::begin(kModel), std::end(kModel));
  if (!path.empty()) {
    RETURN_IF_ERROR(WriteText(path, {bytes.begin(), bytes.end()}));
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
  absl::PrintF("  %d of %d nodes on GL, in %s\n", facts.nodes_delegated,
               facts.nodes_total, Count(facts.partitions, "partition"));
  absl::PrintF("  median latency: CPU %s, XNNPACK %s (%s each), GLES %s\n",
               Milliseconds(runs.cpu), Milliseconds(runs.xnnpack),
               Count(absl::GetFlag(FLAGS_num_threads), "thread"),
               Milliseconds(runs.gles));
}

nlohmann::ordered_json ToJson(const Runs& runs,
                              const nlohmann::ordered_json& outputs,
                              bool passed) {
  nlohmann::ordered_json json = {
      {"model", runs.model},
      {"passed", passed},
      {"max_error", absl::GetFlag(FLAGS_max_error)},
      {"num_threads", absl::GetFlag(FLAGS_num_threads)}};
  json.update(ToJson(runs.gles->facts));
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
  const std::filesystem::path folder = absl::GetFlag(FLAGS_output_dir);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("Cannot make ", folder.string(), ": ", error.message()));
  }
  const std::string path = (folder / "demo.svg").string();
  RETURN_IF_ERROR(WriteText(path, DrawPoster(content)));
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
  return RunTool(argc, argv, "gles_demo", kUsage, Run);
}

}  // namespace

}  // namespace gles_delegate::demo

int main(int argc, char** argv) {
  return gles_delegate::demo::Main(argc, argv);
}
