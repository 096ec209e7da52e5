#include "delegate/graph/op.h"

#include "absl/strings/str_cat.h"

namespace gles_delegate {

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
