#include "delegate/ops/stages.h"

#include <algorithm>
#include <utility>

#include "absl/types/span.h"

namespace gles_delegate {

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
