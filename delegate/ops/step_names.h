// Names in the shaders of nodes that consist of steps: functions of inputs.
#ifndef GLES_DELEGATE_DELEGATE_OPS_STEP_NAMES_H_
#define GLES_DELEGATE_DELEGATE_OPS_STEP_NAMES_H_

#include <string>

#include "absl/strings/str_cat.h"

namespace gles_delegate {

// An input's tensor.
inline std::string InputName(int input) { return absl::StrCat("in", input); }
// The constants of a step's function, a member of Params.
inline std::string ParamsName(int step) { return absl::StrCat("params", step); }
// A step's value.
inline std::string ValueName(int step) { return absl::StrCat("v", step); }

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_STEP_NAMES_H_
