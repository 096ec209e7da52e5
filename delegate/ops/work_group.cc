#include "delegate/ops/work_group.h"

#include <algorithm>
#include <utility>

namespace gles_delegate {

void UseLightWorkGroup(const DeviceProfile& profile, Dispatch* dispatch) {
  constexpr int kInvocations = 64;
  if (profile.choices.work_group_size >= kInvocations) {
    return;  // the planner's choice
  }
  int left = std::min(kInvocations, profile.limits.max_work_group_invocations);
  std::array<int, 3> group = {1, 1, 1};
  for (int axis = 0; axis < 3; ++axis) {
    const int max = std::min(axis == 0 ? 16 : kInvocations,
                             profile.limits.max_work_group_size[axis]);
    while (left >= 2 && group[axis] < dispatch->grid[axis] &&
           group[axis] * 2 <= max) {
      group[axis] *= 2;
      left /= 2;
    }
  }
  dispatch->work_group = group;
}

void AddInLightGroups(Dispatch dispatch, Planner* planner) {
  UseLightWorkGroup(planner->profile(), &dispatch);
  planner->Add(std::move(dispatch));
}

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
