// The delegate's per-dispatch profile as tables: by node and by op type, as
// TFLite's own --enable_op_profiling shows its kernels.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_OP_PROFILE_H_
#define GLES_DELEGATE_TOOLS_RUNNER_OP_PROFILE_H_

#include <nlohmann/json.hpp>
#include <string>

#include "absl/types/span.h"
#include "tools/runner/latency.h"

namespace gles_delegate {

// `profile`: the array under "profile" of TfLiteGlesDelegateReport(). Two
// tables: each dispatch in run order (time, share, cumulative share), then sums
// by op type, most expensive first. Empty text for an empty profile.
std::string OpProfileTable(const nlohmann::json& profile);

// How `clock` of a profile's entry was read: "the GPU's clock".
std::string ClockText(const std::string& clock);

// A timeline of the last inferences in Chrome's JSON format, which
// ui.perfetto.dev reads: a track each for the inferences, the delegate's steps
// on the host, and the dispatches. `report` is TfLiteGlesDelegateReport()'s,
// `invokes` are all of that interpreter.
nlohmann::json ProfileTrace(const nlohmann::json& report,
                            absl::Span<const TimedInvoke> invokes);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_OP_PROFILE_H_
