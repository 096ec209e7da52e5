// The flag --report_json of the programs that measure.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_REPORT_JSON_H_
#define GLES_DELEGATE_TOOLS_RUNNER_REPORT_JSON_H_

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "tools/runner/backend.h"

namespace gles_delegate {

// Writes `report` to the file that --report_json names, if it names any; to
// stdout if it names "-", and from that flag on the text for people goes to
// stderr. Call it once. kUnavailable: the file cannot be written.
absl::Status WriteReport(const nlohmann::ordered_json& report);

// With TensorFlow Lite's version and the delegate's revision.
nlohmann::ordered_json ToJson(const BackendFacts& facts);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_REPORT_JSON_H_
