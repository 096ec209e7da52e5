#include "delegate/ops/dispatches.h"

#include <algorithm>
#include <utility>

#include "absl/types/span.h"

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

absl::Status AddInLightGroups(Dispatch dispatch, Planner* planner) {
  UseLightWorkGroup(planner->profile(), &dispatch);
  return planner->Add(std::move(dispatch));
}

Dispatch TexelDispatch(absl::string_view shader, const Node& node,
                       const Planner& planner, TensorNames inputs,
                       TensorNames outputs) {
  Dispatch d(shader);
  auto input = node.inputs.begin();
  for (absl::string_view name : inputs) d.Read(name, *input++);
  auto output = node.outputs.begin();
  for (absl::string_view name : outputs) d.Write(name, *output++);
  d.OverTexels(planner.shape(node.outputs[0]));
  return d;
}

Dispatch TexelDispatch(absl::string_view shader, TensorId src, TensorId dst,
                       const Planner& planner) {
  Dispatch d(shader);
  d.Read("src", src).Write("dst", dst).OverTexels(planner.shape(dst));
  return d;
}

// --- Stages ------------------------------------------------------------------

const Stage* FindStage(const Node& node, absl::string_view name) {
  for (const Stage& stage : node.stages) {
    if (stage.name == name) return &stage;
  }
  return nullptr;
}

std::vector<PostOp> StageOf(const Node& node, absl::string_view name) {
  const Stage* const stage = FindStage(node, name);
  return stage == nullptr ? std::vector<PostOp>() : stage->ops;
}

bool ReadOnlyTables(const std::vector<PostOp>& ops) {
  return std::all_of(ops.begin(), ops.end(), [](const PostOp& op) {
    return op.operand == kNoTensor || op.operand_as == OperandAs::kTable;
  });
}

bool OnlyClamps(const Graph& graph, const Node& node, TensorId dst) {
  absl::Span<const PostOp> ops = node.post_ops;
  if (!ReadOnlyTables(node.post_ops)) return false;
  if (node.integer_path) {
    // The post-ops of passes/integer_path/products.cc.
    if (!graph.tensor(dst).holds_quantized || ops.size() != 2) return false;
    ops.remove_prefix(1);
  }
  return ops.empty() || (ops.size() == 1 && ops[0].function == "clamp");
}

void ApplyInputStage(std::vector<PostOp> functions, TensorId source,
                     Dispatch* d) {
  if (functions.empty()) return;
  d->Apply(kInputStage, std::move(functions), source);
}

}  // namespace gles_delegate
