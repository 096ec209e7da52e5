// The search for the fastest tuning parameters of a model.
#ifndef GLES_DELEGATE_TOOLS_GLES_TUNE_SEARCH_H_
#define GLES_DELEGATE_TOOLS_GLES_TUNE_SEARCH_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tools/common/tflite_host.h"
#include "tools/runner/inputs.h"

namespace gles_delegate {

// Values of tuning parameters (delegate/device/device_profile.h) in place of
// the device preset's. Empty: the preset.
using Tuning = std::map<std::string, int>;

// "name=value,...", as GLES_DELEGATE_TUNING takes it.
std::string TuningAsText(const Tuning& tuning);

struct TuningResult {
  Tuning tuning;
  double before_ms = 0;  // an inference with the preset
  double after_ms = 0;   // an inference with `tuning`
  int measured = 0;      // number of measurements
};

// The result in a sentence that can be wrapped.
std::string SummaryOf(const TuningResult& result);

// Tries every candidate of every tuning parameter, one parameter after the
// other, and keeps a value that gains at least 2%, to ignore noise. Repeats
// this once if the first round changed anything. Finally measures the winner
// and the preset alternately, and drops a winner that was faster only by
// chance.
//
// `measure` returns the time of an inference in ms. Values for which it fails
// are skipped; an error for the preset itself is returned. `fixed`: parameters
// that are left alone.
absl::StatusOr<TuningResult> SearchTuning(
    const std::set<std::string>& fixed,
    absl::FunctionRef<absl::StatusOr<double>(const Tuning&)> measure);

// Measures a model with one tuning after the other.

// Threads: one. `model` must outlive it.
class TuningTrials {
 public:
  // `options`: the delegate's, without tuning_file.
  TuningTrials(const Model& model, DelegateOptions options)
      : model_(model), options_(std::move(options)) {}

  // The minimum time of an inference in ms, host copies included, of at least
  // three and at most 10 after two warm-ups. The outputs of the first call are
  // the reference. kDataLoss: an output differs from it. Quantized values and
  // integers must be equal; floats may differ by kFloatBound of the output's
  // largest magnitude (kFloat16Bound with is_precision_loss_allowed), as from
  // another order of sums. Other errors: the delegate could not be applied.
  absl::StatusOr<double> Measure(const Tuning& tuning);

  // The device of the last call.
  const std::string& renderer() const { return renderer_; }

  static constexpr double kFloatBound = 1e-3;
  static constexpr double kFloat16Bound = 3e-2;

 private:
  // Compares the outputs with the reference, or makes them the reference.
  absl::Status Check(const Interpreter& interpreter);

  const Model& model_;
  const DelegateOptions options_;
  std::vector<InputBytes> inputs_;             // made by the first call
  std::vector<std::vector<uint8_t>> outputs_;  // the reference's bytes
  std::vector<std::vector<float>> values_;     // and its real values
  std::string renderer_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_GLES_TUNE_SEARCH_H_
