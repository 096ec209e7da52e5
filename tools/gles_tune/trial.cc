#include "tools/gles_tune/trial.h"

#include <cstdlib>
#include <random>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tools/runner/backend.h"
#include "tools/runner/latency.h"
#include "tools/runner/output_diff.h"

namespace gles_delegate {
namespace {

bool IsFloat(const TensorView& tensor) {
  return tensor.type() == kTfLiteFloat32 || tensor.type() == kTfLiteFloat16;
}

bool UsesFloat16(const DelegateOptions& options) {
  bool uses = false;
  for (const auto& [key, value] : options) {
    if (key == "is_precision_loss_allowed") uses = value != "0";
  }
  return uses;
}

}  // namespace

absl::StatusOr<double> TuningTrials::Measure(const Tuning& tuning) {
  setenv("GLES_DELEGATE_TUNING", TuningAsText(tuning).c_str(), 1);
  BackendSpec spec;
  spec.kind = BackendSpec::Kind::kGles;
  spec.options = options_;
  // The plan that is timed is the optimized one. Wrong results of the driver
  // are found by Check().
  spec.options.emplace_back("startup", "direct");
  spec.options.emplace_back("self_check", "0");
  ASSIGN_OR_RETURN(auto backend, Backend::Create(model_, spec));
  ASSIGN_OR_RETURN(auto facts, backend->Facts());
  if (facts.nodes_delegated == 0) {
    return absl::FailedPreconditionError("the delegate takes no node");
  }
  renderer_ = facts.renderer;
  Interpreter& interpreter = backend->interpreter();
  if (inputs_.empty()) {
    std::mt19937 random(1);
    ASSIGN_OR_RETURN(inputs_,
                     MakeInputs(interpreter, FloatInputs::kGaussian, random));
  }
  RETURN_IF_ERROR(WriteInputs(interpreter, inputs_));
  RETURN_IF_ERROR(interpreter.Invoke());
  RETURN_IF_ERROR(Check(interpreter));
  LatencyOptions latency;
  latency.num_runs = 3;
  latency.min_secs = 0.25;
  ASSIGN_OR_RETURN(auto measured, MeasureLatency(interpreter, latency));
  return measured.invoke_ms.min;
}

absl::Status TuningTrials::Check(const Interpreter& interpreter) {
  const bool is_first = outputs_.empty();
  const double bound = UsesFloat16(options_) ? kFloat16Bound : kFloatBound;
  for (int i = 0; i < interpreter.outputs(); ++i) {
    const TensorView output = interpreter.output(i);
    const auto bytes = output.bytes();
    if (is_first) {
      outputs_.emplace_back(bytes.begin(), bytes.end());
      values_.push_back(output.AsFloats());
      continue;
    }
    if (absl::MakeConstSpan(outputs_[i]) == bytes) continue;
    OutputDiff diff;
    diff.Add(values_[i], output.AsFloats(), /*last_dim=*/1);
    if (IsFloat(output) && diff.Within(bound)) continue;
    return absl::DataLossError(
        absl::StrCat("output ", i, " differs from the device preset's"));
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate
