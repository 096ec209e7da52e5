#include "delegate/ops/texel_dispatch.h"

namespace gles_delegate {

Dispatch TexelDispatch(absl::string_view shader, const Node& node,
                       const Planner& planner, TensorNames inputs,
                       TensorNames outputs) {
  Dispatch d(shader);
  auto input = node.inputs.begin();
  for (absl::string_view name : inputs) d.Read(name, *input++);
  auto output = node.outputs.begin();
  for (absl::string_view name : outputs) d.Write(name, *output++);
  d.OverTexels(planner.tensor(node.outputs[0]).shape);
  return d;
}

}  // namespace gles_delegate
