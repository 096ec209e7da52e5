#include "tools/inference_diff/per_layer.h"

#include <cstdio>
#include <memory>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/common/progress.h"
#include "tools/runner/inputs.h"

namespace gles_delegate {
namespace {

using TensorBytes = std::map<int, InputBytes>;  // by the model's tensor index

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

InputBytes BytesOf(const TensorView& tensor) {
  const auto bytes = tensor.bytes();
  return {bytes.begin(), bytes.end()};
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
  auto opened = Opened(model, layers);
  if (!opened.ok()) return opened.status();
  reference.model = *std::move(opened);
  BackendSpec cpu;
  cpu.num_threads = num_threads;
  auto backend = Backend::Create(*reference.model, cpu);
  if (!backend.ok()) return backend.status();
  reference.backend = *std::move(backend);
  auto ids = InputsOf(model.bytes());
  if (!ids.ok()) return ids.status();
  reference.input_ids = *std::move(ids);
  return reference;
}

absl::Status CompareTogether(Reference& reference, const BackendSpec& spec,
                             const std::vector<std::vector<InputBytes>>& runs,
                             std::vector<LayerError>& errors) {
  auto backend = Backend::Create(*reference.model, spec);
  if (!backend.ok()) return backend.status();
  Interpreter& expected = reference.interpreter();
  Interpreter& actual = (*backend)->interpreter();
  Progress progress("runs", static_cast<int64_t>(runs.size()));
  int64_t done = 0;
  for (const std::vector<InputBytes>& inputs : runs) {
    if (Interrupted() && done > 0) break;
    progress.Show(done++, spec.name());
    if (auto s = RunAgain(expected, inputs); !s.ok()) return s;
    if (auto s = RunAgain(actual, inputs); !s.ok()) return s;
    for (size_t i = 0; i < errors.size(); ++i) {
      const int output = static_cast<int>(i);
      Add(expected.output(output), actual.output(output), errors[i]);
    }
  }
  return absl::OkStatus();
}

// Runs one op on the CPU and on the backend, on the bytes in `runs`.
absl::Status CompareLayer(const Model& model, const BackendSpec& spec,
                          const std::vector<TensorBytes>& runs,
                          LayerError& error) {
  auto bytes = LayerAlone(model.bytes(), error.layer);
  if (!bytes.ok()) return bytes.status();
  auto alone = Model::FromBuffer(*std::move(bytes), error.layer.op);
  if (!alone.ok()) return alone.status();
  BackendSpec cpu;
  cpu.num_threads = spec.num_threads;
  auto expected = Backend::Create(**alone, cpu);
  if (!expected.ok()) return expected.status();
  auto actual = Backend::Create(**alone, spec);
  if (!actual.ok()) return actual.status();
  auto facts = (*actual)->Facts();
  if (!facts.ok()) return facts.status();
  error.delegated = facts->nodes_delegated > 0;
  for (const TensorBytes& run : runs) {
    std::vector<InputBytes> inputs;
    for (int id : error.layer.inputs) {
      const auto it = run.find(id);
      if (it == run.end()) {
        return absl::FailedPreconditionError(
            absl::StrCat("tensor ", id, " is filled by no op"));
      }
      inputs.push_back(it->second);
    }
    for (const auto& backend : {&*expected, &*actual}) {
      if (auto s = RunAgain((*backend)->interpreter(), inputs); !s.ok()) {
        return s;
      }
    }
    for (int o = 0; o < (*expected)->interpreter().outputs(); ++o) {
      const TensorView want = (*expected)->interpreter().output(o);
      if (want.name() != error.tensor) continue;
      Add(want, (*actual)->interpreter().output(o), error);
    }
  }
  return absl::OkStatus();
}

absl::Status CompareAlone(const Model& model, Reference& reference,
                          const BackendSpec& spec,
                          const std::vector<std::vector<InputBytes>>& runs,
                          std::vector<LayerError>& errors) {
  Interpreter& expected = reference.interpreter();
  std::vector<TensorBytes> filled;
  for (const std::vector<InputBytes>& inputs : runs) {
    if (auto s = RunAgain(expected, inputs); !s.ok()) return s;
    filled.emplace_back();
    for (size_t i = 0; i < inputs.size(); ++i) {
      filled.back()[reference.input_ids[i]] = inputs[i];
    }
    for (size_t i = 0; i < errors.size(); ++i) {
      filled.back()[errors[i].layer.tensor] =
          BytesOf(expected.output(static_cast<int>(i)));
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
  auto bytes = WithOutputs(model.bytes(), tensors);
  if (!bytes.ok()) return bytes.status();
  return Model::FromBuffer(*std::move(bytes), "the model, opened");
}

absl::Status RunAgain(Interpreter& interpreter,
                      const std::vector<InputBytes>& inputs) {
  if (auto s = WriteInputs(interpreter, inputs); !s.ok()) return s;
  if (auto s = interpreter.ResetVariables(); !s.ok()) return s;
  return interpreter.Invoke();
}

absl::StatusOr<std::vector<LayerError>> CompareLayers(
    const Model& model, const BackendSpec& spec,
    const PerLayerOptions& options) {
  auto layers = LayersOf(model.bytes());
  if (!layers.ok()) return layers.status();
  auto reference = MakeReference(model, *layers, spec.num_threads);
  if (!reference.ok()) return reference.status();
  std::vector<LayerError> errors(layers->size());
  for (size_t i = 0; i < errors.size(); ++i) {
    const TensorView tensor =
        reference->interpreter().output(static_cast<int>(i));
    errors[i].Describe((*layers)[i], tensor);
    errors[i].quantized = HasQuantized(tensor);
  }
  std::mt19937 random(options.seed);
  std::vector<std::vector<InputBytes>> runs;
  for (int run = 0; run < options.runs; ++run) {
    auto inputs = MakeInputs(reference->interpreter(), FloatInputs::kGaussian,
                             random, options.files);
    if (!inputs.ok()) return inputs.status();
    runs.push_back(*std::move(inputs));
  }
  absl::Status compared =
      options.alone ? CompareAlone(model, *reference, spec, runs, errors)
                    : CompareTogether(*reference, spec, runs, errors);
  if (!compared.ok()) return compared;
  return errors;
}

void PrintLayers(const std::vector<LayerError>& layers) {
  std::printf("%4s %-24s %-16s %9s %9s %5s %10s %10s  %s\n", "node", "op",
              "shape", "equal", "within 1", "most", "max abs", "max rel",
              "tensor");
  for (const LayerError& e : layers) {
    std::printf("%4d %-24s %-16s ", e.layer.node, e.layer.op.c_str(),
                absl::StrJoin(e.dims, "x").c_str());
    if (e.quantized) {
      std::printf("%8.3f%% %8.3f%% %5d ", 100 * e.steps.equal(),
                  100 * e.steps.within_1(), e.steps.largest());
    } else {
      std::printf("%9s %9s %5s ", "-", "-", "-");
    }
    std::printf("%10.3g %10.3g  %s%s%s\n", e.values.max_abs(),
                e.values.max_relative(), e.tensor.c_str(),
                e.delegated ? "" : "  (CPU)",
                e.values.mismatches() + e.steps.mismatches() > 0
                    ? "  NaN or sizes differ"
                    : "");
  }
}

}  // namespace gles_delegate
