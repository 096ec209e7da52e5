// Nodes that consist of functions of inputs: their steps, and the names in
// their shaders.
#ifndef GLES_DELEGATE_DELEGATE_OPS_FUNCTION_STEPS_H_
#define GLES_DELEGATE_DELEGATE_OPS_FUNCTION_STEPS_H_

#include <array>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// An input's tensor.
inline std::string InputName(int input) { return absl::StrCat("in", input); }
// The constants of a step's function, a member of Params.
inline std::string ParamsName(int step) { return absl::StrCat("params", step); }
// A step's value.
inline std::string ValueName(int step) { return absl::StrCat("v", step); }
inline std::string DefineValue(int step, absl::string_view value) {
  return absl::StrCat("vec4 ", ValueName(step), " = ", value, "; ");
}

struct FunctionStep {
  int index = -1;  // of the node's input that it reads, if it is no function
  // `function` of step a, and of step b if it has an operand.
  int a = -1;
  int b = -1;
  // PostOp::function, params and operand_first.
  std::string function;
  std::array<float, 4> params = {};
  bool operand_first = false;

  void Take(const PostOp& op) {
    std::tie(function, params, operand_first) =
        std::tie(op.function, op.params, op.operand_first);
  }
  // The call that makes step `step`.
  std::string Call(int step) const {
    const std::string x = ValueName(operand_first && b >= 0 ? b : a);
    const std::string y = ValueName(operand_first ? a : b);
    return absl::StrCat("op_", function, "(", x, ", ",
                        b >= 0 ? absl::StrCat(y, ", ") : "", ParamsName(step),
                        ")");
  }
  bool operator==(const FunctionStep& o) const {
    return std::tie(index, a, b, function, params, operand_first) ==
           std::tie(o.index, o.a, o.b, o.function, o.params, o.operand_first);
  }
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_FUNCTION_STEPS_H_
