// The search for the fastest tuning parameters of a model.
#ifndef GLES_DELEGATE_TOOLS_GLES_TUNE_SEARCH_H_
#define GLES_DELEGATE_TOOLS_GLES_TUNE_SEARCH_H_

#include <map>
#include <set>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace gles_delegate {

// Values of tuning parameters (delegate/device/tuning_parameters.h) in place of
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

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_GLES_TUNE_SEARCH_H_
