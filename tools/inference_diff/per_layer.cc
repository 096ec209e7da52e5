#include "tools/inference_diff/per_layer.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "tools/common/progress.h"
#include "tools/runner/command_line.h"
#include "tools/runner/inputs.h"

namespace gles_delegate {
namespace {

// A tensor's values in a run, and its shape then, which the file may not say.
struct Filled {
  std::vector<int> dims;
  InputBytes bytes;
};

using FilledTensors = std::map<int, Filled>;  // by the model's tensor index

absl::Status Annotate(const absl::Status& status, const Layer& layer) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(layer.op, " ", layer.node,
                                                  ": ", status.message()));
}

void Add(const TensorView& reference, const TensorView& actual,
         LayerError& error) {
  if (error.quantized) error.steps.Add(reference, actual);
  error.values.Add(reference.AsFloats(), actual.AsFloats(),
                   error.dims.empty() ? 1 : error.dims.back());
}

Filled FilledBy(const TensorView& tensor) {
  const auto bytes = tensor.bytes();
  return {tensor.dims(), {bytes.begin(), bytes.end()}};
}

// The model on the CPU, with every tensor as an output.
struct Reference {
  std::unique_ptr<Model> model;
  std::unique_ptr<Backend> backend;
  std::vector<int> input_ids;  // of the interpreter's inputs
  Interpreter& interpreter() { return backend->interpreter(); }
};

absl::StatusOr<Reference> MakeReference(const Model& model,
                                        const std::vector<Layer>& layers,
                                        int num_threads) {
  Reference reference;
  ASSIGN_OR_RETURN(reference.model, Opened(model, layers));
  BackendSpec cpu;
  cpu.num_threads = num_threads;
  ASSIGN_OR_RETURN(reference.backend, Backend::Create(*reference.model, cpu));
  ASSIGN_OR_RETURN(reference.input_ids, InputsOf(model.bytes()));
  return reference;
}

absl::Status CompareTogether(Reference& reference, const BackendSpec& spec,
                             const std::vector<std::vector<InputBytes>>& runs,
                             std::vector<LayerError>& errors) {
  ASSIGN_OR_RETURN(auto backend, Backend::Create(*reference.model, spec));
  Interpreter& expected = reference.interpreter();
  Interpreter& actual = backend->interpreter();
  Progress progress("runs", static_cast<int64_t>(runs.size()));
  int64_t done = 0;
  for (const std::vector<InputBytes>& inputs : runs) {
    if (Interrupted() && done > 0) break;
    progress.Show(done++, spec.name());
    RETURN_IF_ERROR(RunAgain(expected, inputs));
    RETURN_IF_ERROR(RunAgain(actual, inputs));
    for (size_t i = 0; i < errors.size(); ++i) {
      const int output = static_cast<int>(i);
      Add(expected.output(output), actual.output(output), errors[i]);
    }
  }
  return absl::OkStatus();
}

// Runs one op on the CPU and on the backend, on what `runs` filled.
absl::Status CompareLayer(const Model& model, const BackendSpec& spec,
                          const std::vector<FilledTensors>& runs,
                          LayerError& error) {
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
  BackendSpec cpu;
  cpu.num_threads = spec.num_threads;
  ASSIGN_OR_RETURN(auto expected, Backend::Create(*alone, cpu));
  ASSIGN_OR_RETURN(auto actual, Backend::Create(*alone, spec));
  ASSIGN_OR_RETURN(auto facts, actual->Facts());
  error.delegated = facts.nodes_delegated > 0;
  for (const std::vector<InputBytes>& run : inputs) {
    for (const auto& backend : {&expected, &actual}) {
      RETURN_IF_ERROR(RunAgain((*backend)->interpreter(), run));
    }
    for (int o = 0; o < expected->interpreter().outputs(); ++o) {
      const TensorView want = expected->interpreter().output(o);
      if (want.name() != error.tensor) continue;
      Add(want, actual->interpreter().output(o), error);
    }
  }
  return absl::OkStatus();
}

absl::Status CompareAlone(const Model& model, Reference& reference,
                          const BackendSpec& spec,
                          const std::vector<std::vector<InputBytes>>& runs,
                          std::vector<LayerError>& errors) {
  Interpreter& expected = reference.interpreter();
  std::vector<FilledTensors> filled;
  for (const std::vector<InputBytes>& inputs : runs) {
    RETURN_IF_ERROR(RunAgain(expected, inputs));
    filled.emplace_back();
    for (size_t i = 0; i < inputs.size(); ++i) {
      filled.back()[reference.input_ids[i]] = {
          expected.input(static_cast<int>(i)).dims(), inputs[i]};
    }
    for (size_t i = 0; i < errors.size(); ++i) {
      filled.back()[errors[i].layer.tensor] =
          FilledBy(expected.output(static_cast<int>(i)));
    }
  }
  Progress progress("ops", static_cast<int64_t>(errors.size()));
  for (size_t i = 0; i < errors.size(); ++i) {
    if (Interrupted()) {
      errors.resize(i);  // what was compared
      break;
    }
    progress.Show(static_cast<int64_t>(i), errors[i].layer.op);
    absl::Status compared = CompareLayer(model, spec, filled, errors[i]);
    if (!compared.ok()) return Annotate(compared, errors[i].layer);
  }
  return absl::OkStatus();
}

// Of the columns; 0: left out.
struct Widths {
  int op, shape, share, most, error;
  size_t tensor;
};

// At 80 columns, quantized values take the room of the tensors' names.
Widths WidthsFor(const std::vector<LayerError>& layers) {
  if (Columns() > 80) return {24, 16, 9, 5, 10, Columns()};
  const bool quantized =
      std::any_of(layers.begin(), layers.end(),
                  [](const LayerError& layer) { return layer.quantized; });
  return quantized ? Widths{17, 14, 8, 5, 8, 0} : Widths{17, 14, 0, 0, 10, 19};
}

struct Cells {
  std::string node, op, shape, equal, within_1, most, max_abs, max_relative,
      tensor;
  std::string remarks = {};
};

Cells CellsOf(const LayerError& e) {
  Cells cells = {absl::StrCat(e.layer.node),
                 e.layer.op,
                 absl::StrJoin(e.dims, "x"),
                 "-",
                 "-",
                 "-",
                 absl::StrFormat("%.3g", e.values.max_abs()),
                 absl::StrFormat("%.3g", e.values.max_relative()),
                 e.tensor};
  if (e.quantized) {
    cells.equal = absl::StrFormat("%.3f%%", 100 * e.steps.equal());
    cells.within_1 = absl::StrFormat("%.3f%%", 100 * e.steps.within_1());
    cells.most = absl::StrCat(e.steps.largest());
  }
  if (!e.delegated) cells.remarks += "  (CPU)";
  if (e.values.mismatches() + e.steps.mismatches() > 0) {
    cells.remarks += "  NaN or sizes differ";
  }
  return cells;
}

std::string LayerLine(const Cells& c, const Widths& w) {
  std::string line =
      absl::StrFormat("%4s %-*s %-*s ", c.node, w.op, Shorten(c.op, w.op),
                      w.shape, Shorten(c.shape, w.shape));
  if (w.share > 0) {
    absl::StrAppendFormat(&line, "%*s %*s %*s ", w.share, c.equal, w.share,
                          c.within_1, w.most, c.most);
  }
  absl::StrAppendFormat(&line, "%*s %*s", w.error, c.max_abs, w.error,
                        c.max_relative);
  if (w.tensor > 0) absl::StrAppend(&line, "  ", Shorten(c.tensor, w.tensor));
  return Wrap(line + c.remarks, 5) + "\n";
}

}  // namespace

void WrittenTensor::Describe(const Layer& of, const TensorView& view) {
  layer = of;
  tensor = view.name();
  dims = view.dims();
}

absl::StatusOr<std::unique_ptr<Model>> Opened(
    const Model& model, const std::vector<Layer>& layers) {
  std::vector<int> tensors;
  tensors.reserve(layers.size());
  for (const Layer& layer : layers) tensors.push_back(layer.tensor);
  ASSIGN_OR_RETURN(auto bytes, WithOutputs(model.bytes(), tensors));
  return Model::FromBuffer(std::move(bytes), "the model, opened");
}

absl::Status RunAgain(Interpreter& interpreter,
                      const std::vector<InputBytes>& inputs) {
  RETURN_IF_ERROR(WriteInputs(interpreter, inputs));
  RETURN_IF_ERROR(interpreter.ResetVariables());
  return interpreter.Invoke();
}

absl::StatusOr<std::vector<LayerError>> CompareLayers(
    const Model& model, const BackendSpec& spec,
    const PerLayerOptions& options) {
  ASSIGN_OR_RETURN(auto layers, LayersOf(model.bytes()));
  ASSIGN_OR_RETURN(auto reference,
                   MakeReference(model, layers, spec.num_threads));
  std::vector<LayerError> errors(layers.size());
  for (size_t i = 0; i < errors.size(); ++i) {
    const TensorView tensor =
        reference.interpreter().output(static_cast<int>(i));
    errors[i].Describe(layers[i], tensor);
    errors[i].quantized = HasQuantized(tensor);
  }
  std::mt19937 random(options.seed);
  std::vector<std::vector<InputBytes>> runs;
  for (int run = 0; run < options.runs; ++run) {
    ASSIGN_OR_RETURN(auto inputs,
                     MakeInputs(reference.interpreter(), FloatInputs::kGaussian,
                                random, options.files));
    runs.push_back(std::move(inputs));
  }
  RETURN_IF_ERROR(options.alone
                      ? CompareAlone(model, reference, spec, runs, errors)
                      : CompareTogether(reference, spec, runs, errors));
  return errors;
}

void PrintLayers(const std::vector<LayerError>& layers) {
  const Widths widths = WidthsFor(layers);
  std::printf("%s", LayerLine({"node", "op", "shape", "equal", "within 1",
                               "most", "max abs", "max rel", "tensor"},
                              widths)
                        .c_str());
  for (const LayerError& layer : layers) {
    std::printf("%s", LayerLine(CellsOf(layer), widths).c_str());
  }
}

}  // namespace gles_delegate
