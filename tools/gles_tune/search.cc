#include "tools/gles_tune/search.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/device/device_profile.h"
#include "tools/runner/backend.h"
#include "tools/runner/latency.h"
#include "tools/runner/output_diff.h"

namespace gles_delegate {
namespace {

constexpr double kGain = 0.98;  // less is noise

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

std::string TuningAsText(const Tuning& tuning) {
  return absl::StrJoin(tuning, ",", absl::PairFormatter("="));
}

std::string SummaryOf(const TuningResult& result) {
  return absl::StrFormat(
      "%d measurements: %.3f ms with the device preset, %.3f ms with %s",
      result.measured, result.before_ms, result.after_ms,
      result.tuning.empty()
          ? "the same: no setting is faster"
          : absl::StrJoin(result.tuning, ", ", absl::PairFormatter("=")));
}

absl::StatusOr<TuningResult> SearchTuning(
    const std::set<std::string>& fixed,
    absl::FunctionRef<absl::StatusOr<double>(const Tuning&)> measure) {
  TuningResult best;
  std::set<Tuning> seen;
  const auto time = [&](const Tuning& tuning) {
    seen.insert(tuning);
    ++best.measured;
    return measure(tuning);
  };
  // True if a value was better.
  const auto try_all = [&] {
    bool better = false;
    for (const TuningParameter& parameter : TuningParameters()) {
      const std::string name(parameter.name);
      if (fixed.count(name) != 0) continue;
      for (int value : parameter.candidates) {
        Tuning candidate = best.tuning;
        candidate[name] = value;
        if (seen.count(candidate) != 0) continue;
        const auto ms = time(candidate);
        if (!ms.ok() || *ms > kGain * best.after_ms) continue;
        best.tuning = std::move(candidate);
        best.after_ms = *ms;
        better = true;
      }
    }
    return better;
  };
  // Twice: the first run of all finds clocks low and caches cold.
  for (int i = 0; i < 2; ++i) {
    ASSIGN_OR_RETURN(best.before_ms, time({}));
  }
  best.after_ms = best.before_ms;
  if (try_all()) try_all();
  if (best.tuning.empty()) return best;
  // One of dozens of measurements may be fast by chance.
  constexpr int kTurns = 3;
  double before = std::numeric_limits<double>::infinity(), after = before;
  for (int i = 0; i < kTurns; ++i) {
    ASSIGN_OR_RETURN(auto first, time({}));
    ASSIGN_OR_RETURN(auto second, time(best.tuning));
    before = std::min(before, first);
    after = std::min(after, second);
  }
  const bool gains = after <= kGain * before;
  if (!gains) best.tuning.clear();
  best.before_ms = before;
  best.after_ms = gains ? after : before;
  return best;
}

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
