// A node's options as text: the schema's own names and values, for any op.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_OP_OPTIONS_H_
#define GLES_DELEGATE_TOOLS_RUNNER_OP_OPTIONS_H_

#include <string>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "third_party/tflite_schema/schema_generated.h"

namespace gles_delegate {

// {"builtin_options_type": "Conv2DOptions", "builtin_options": {"padding":
// "SAME", ...}, "custom_options": [bytes]}, each only if the node has it;
// values that are the schema's defaults are there too.
absl::StatusOr<nlohmann::ordered_json> OptionsToJson(
    const schema::OperatorT& node);

// The inverse: a node without tensors. kInvalidArgument: what in the text is no
// option of the schema.
absl::StatusOr<schema::OperatorT> OptionsFromJson(
    const nlohmann::ordered_json& options);

// The table of a builtin op's options, "Conv2DOptions"; "" if it has none.
std::string OptionsTableOf(schema::BuiltinOperator op);
// Whether that table has a field of this name.
bool HasOption(const std::string& table, const std::string& name);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_OP_OPTIONS_H_
