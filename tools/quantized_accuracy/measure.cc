#include "tools/quantized_accuracy/measure.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "tools/runner/model_layers.h"

namespace gles_delegate {
namespace {

constexpr char kDetection[] = "TFLite_Detection_PostProcess";

// The model with more outputs: see Accuracy::inner.
struct Opened {
  std::unique_ptr<Model> model;
  int own_outputs = 0;  // the model's own, which come first
  int logits = -1;      // the output that goes into SOFTMAX
  bool has_boxes = false;
};

absl::StatusOr<Opened> Open(const Model& model) {
  Opened opened;
  ASSIGN_OR_RETURN(auto layers, LayersOf(model.bytes()));
  ASSIGN_OR_RETURN(auto outputs, OutputsOf(model.bytes()));
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

absl::Status WritePicture(const TensorView& tensor, const Pictures& pictures,
                          int number, int seed) {
  const std::vector<int> dims = tensor.dims();
  const bool grey = dims.size() == 3;  // [1, height, width]
  if (dims.size() < 3 || dims.size() > 4 || dims[0] != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", tensor.name(), " [", absl::StrJoin(dims, ","),
                     "] takes no picture"));
  }
  std::vector<uint8_t> pixels =
      pictures.Make(number, seed, dims[2], dims[1], grey ? 1 : dims[3]);
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
  const auto boxes = interpreter.output(0).AsFloats();
  const auto labels = interpreter.output(1).AsFloats();
  const auto scores = interpreter.output(2).AsFloats();
  const auto count = interpreter.output(3).AsFloats();
  std::vector<Box> out;
  if (count.empty()) return out;
  for (int i = 0; i < static_cast<int>(count[0]); ++i) {
    const float* edges = &boxes[4 * i];
    out.push_back({edges[0], edges[1], edges[2], edges[3],
                   static_cast<int>(labels[i]), scores[i]});
  }
  return out;
}

void Add(const Opened& opened, const Interpreter& want, const Interpreter& got,
         Accuracy& accuracy) {
  for (int o = 0; o < want.outputs(); ++o) {
    if (!HasQuantized(want.output(o))) continue;
    CodeDiff& diff = o < opened.own_outputs ? accuracy.outputs : accuracy.inner;
    diff.Add(want.output(o), got.output(o));
  }
  if (opened.logits >= 0) {
    accuracy.classes.Add(want.output(opened.logits).AsFloats(),
                         got.output(opened.logits).AsFloats());
  }
  if (opened.has_boxes) accuracy.boxes.Add(BoxesOf(want), BoxesOf(got));
}

}  // namespace

absl::StatusOr<Accuracy> MeasureAccuracy(
    const Model& model, const BackendSpec& spec, const Pictures& pictures,
    int inputs, int seed, const std::function<bool(int)>& before) {
  ASSIGN_OR_RETURN(auto opened, Open(model));
  BackendSpec cpu;
  cpu.num_threads = spec.num_threads;
  ASSIGN_OR_RETURN(auto reference, Backend::Create(*opened.model, cpu));
  ASSIGN_OR_RETURN(auto backend, Backend::Create(*opened.model, spec));
  Interpreter& want = reference->interpreter();
  Interpreter& got = backend->interpreter();
  Accuracy accuracy;
  accuracy.has_boxes = opened.has_boxes;
  for (; accuracy.inputs < inputs && before(accuracy.inputs);
       ++accuracy.inputs) {
    for (Interpreter* interpreter : {&want, &got}) {
      absl::Status ran =
          WritePicture(interpreter->input(0), pictures, accuracy.inputs, seed);
      if (ran.ok()) ran = interpreter->ResetVariables();
      if (ran.ok()) ran = interpreter->Invoke();
      if (!ran.ok()) return ran;
    }
    Add(opened, want, got, accuracy);
  }
  ASSIGN_OR_RETURN(accuracy.facts, backend->Facts());
  return accuracy;
}

}  // namespace gles_delegate
