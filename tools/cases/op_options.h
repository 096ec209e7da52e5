// A node's options as text: the schema's own names and values, for any op.
#ifndef GLES_DELEGATE_TOOLS_CASES_OP_OPTIONS_H_
#define GLES_DELEGATE_TOOLS_CASES_OP_OPTIONS_H_

#include <string>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "third_party/tflite_schema/schema_generated.h"

namespace gles_delegate {

// A node without tensors, of {"builtin_options_type": "Conv2DOptions",
// "builtin_options": {"padding": "SAME", ...}}. kInvalidArgument: what in the
// text is no option of the schema.
absl::StatusOr<schema::OperatorT> OptionsFromJson(
    const nlohmann::ordered_json& options);

// The table of a builtin op's options, "Conv2DOptions"; "" if it has none.
std::string OptionsTableOf(schema::BuiltinOperator op);
// Whether that table has a field of this name.
bool HasOption(const std::string& table, const std::string& name);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_CASES_OP_OPTIONS_H_
