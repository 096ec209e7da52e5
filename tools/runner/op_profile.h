// The delegate's per-dispatch profile as tables: by node and by op type, as
// TFLite's own --enable_op_profiling shows its kernels.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_OP_PROFILE_H_
#define GLES_DELEGATE_TOOLS_RUNNER_OP_PROFILE_H_

#include <nlohmann/json.hpp>
#include <string>

namespace gles_delegate {

// `profile`: the array under "profile" of TfLiteGlesDelegateReport(). Two
// tables: each dispatch in run order (time, share, cumulative share), then sums
// by op type, most expensive first. Empty text for an empty profile.
std::string OpProfileTable(const nlohmann::json& profile);

// The same as a trace in Chrome's JSON format, which chrome://tracing and
// ui.perfetto.dev read: one inference, each dispatch as long as its mean, one
// after the other (what lies between them is not measured).
nlohmann::json OpProfileTrace(const nlohmann::json& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_OP_PROFILE_H_
