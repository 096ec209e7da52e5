// Names and calls in the shaders of nodes that consist of functions of inputs.
#ifndef GLES_DELEGATE_DELEGATE_OPS_STEP_NAMES_H_
#define GLES_DELEGATE_DELEGATE_OPS_STEP_NAMES_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gles_delegate {

// An input's tensor.
inline std::string InputName(int input) { return absl::StrCat("in", input); }
// The constants of a step's function, a member of Params.
inline std::string ParamsName(int step) { return absl::StrCat("params", step); }
// A step's value.
inline std::string ValueName(int step) { return absl::StrCat("v", step); }
// A PostOp::function of a value and, unless it is empty, an operand.
inline std::string FunctionCall(absl::string_view function,
                                absl::string_view value,
                                absl::string_view operand, bool operand_first,
                                absl::string_view params) {
  if (operand.empty()) {
    return absl::StrCat("op_", function, "(", value, ", ", params, ")");
  }
  const auto x = operand_first ? operand : value;
  const auto y = operand_first ? value : operand;
  return absl::StrCat("op_", function, "(", x, ", ", y, ", ", params, ")");
}

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_STEP_NAMES_H_
