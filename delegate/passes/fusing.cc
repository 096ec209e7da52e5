#include "delegate/passes/fusing.h"

#include <algorithm>

namespace gles_delegate {

Node* OnlyReader(TensorId tensor, const Uses& uses, Graph* graph) {
  const auto& consumers = uses.consumers[tensor];
  if (uses.is_output[tensor] || consumers.size() != 1 ||
      graph->tensor(tensor).view.of != kNoTensor) {
    return nullptr;
  }
  return &graph->nodes[consumers[0]];
}

bool IsOperand(TensorId tensor, const Node& node) {
  return std::any_of(node.post_ops.begin(), node.post_ops.end(),
                     [&](const PostOp& op) { return op.operand == tensor; });
}

int CountOperands(const Node& node) {
  return static_cast<int>(
      std::count_if(node.post_ops.begin(), node.post_ops.end(),
                    [](const PostOp& op) { return op.operand != kNoTensor; }));
}

}  // namespace gles_delegate
