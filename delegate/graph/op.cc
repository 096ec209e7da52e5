#include "delegate/graph/op.h"

#include "absl/strings/str_cat.h"

namespace gles_delegate {

absl::Status NodeView::CheckCounts(int min_inputs, int max_inputs,
                                   int outputs_wanted) const {
  // An absent input past the last one that the op knows is none.
  int n = static_cast<int>(inputs.size());
  while (n > max_inputs && inputs[n - 1] == nullptr) --n;
  if (n < min_inputs || n > max_inputs) {
    return absl::InvalidArgumentError(
        min_inputs == max_inputs
            ? absl::StrCat("has ", n, " inputs, wants ", min_inputs)
            : absl::StrCat("has ", n, " inputs, wants ", min_inputs, " to ",
                           max_inputs));
  }
  for (int i = 0; i < min_inputs; ++i) {
    if (inputs[i] == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("input ", i, " is absent, and it is required"));
    }
  }
  if (static_cast<int>(outputs.size()) != outputs_wanted) {
    return absl::InvalidArgumentError(absl::StrCat(
        "has ", outputs.size(), " outputs, wants ", outputs_wanted));
  }
  return absl::OkStatus();
}

std::string NameOf(const Node& node) {
  std::string name(node.op->name);
  for (const Stage& stage : node.stages) {
    if (stage.op == nullptr) continue;
    name = stage.follows ? absl::StrCat(name, "+", stage.op->name)
                         : absl::StrCat(stage.op->name, "+", name);
  }
  return name;
}

}  // namespace gles_delegate
