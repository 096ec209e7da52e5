#include "delegate/passes/fusing.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/passes/all_passes.h"
#include "delegate/plan/planner.h"

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
  const std::vector<TensorId> operands = OperandsOf(node);
  return std::find(operands.begin(), operands.end(), tensor) != operands.end();
}

bool IsSameEverywhere(const PostOp& op) {
  return op.operand == kNoTensor || op.operand_lookup;
}

bool BroadcastsOperand(const PostOp& op) {
  return !op.operand_zero_extend && !op.operand_table && !op.operand_lookup &&
         !op.operand_max_pool;
}

bool IsStoredAlike(const Tensor& a, const Tensor& b) {
  return a.type == b.type && a.holds_quantized == b.holds_quantized &&
         a.always_float32 == b.always_float32;
}

bool LieAlike(const Tensor& a, const Tensor& b) {
  return IsStoredAlike(a, b) && a.quantized == b.quantized &&
         a.quantization.scale == b.quantization.scale &&
         a.quantization.zero_point == b.quantization.zero_point;
}

bool IsComputedFloat(const Tensor& tensor) {
  return tensor.type == DataType::kFloat32 && !tensor.is_float_view() &&
         !tensor.is_constant() && !tensor.is_variable &&
         tensor.view.of == kNoTensor;
}

TensorId AddConstantAs(const Shape& shape, TensorId constant, Graph* graph) {
  Tensor t = graph->tensor(constant);
  absl::StrAppend(&t.name, " as ", shape.ToString());
  t.dims = {shape.b, shape.h, shape.w, shape.c};
  t.shape = shape;
  return graph->AddTensor(std::move(t));
}

int CountOperands(const Node& node) {
  return static_cast<int>(OperandsOf(node).size());
}

bool HasRoomFor(size_t more, const std::vector<PostOp>& ops) {
  return more == 0 || ops.size() + more <= kMaxPostOps;
}

bool CanPlanAsPair(const Node& node, Graph* graph,
                   const DeviceProfile& profile) {
  constexpr int kTensors = 4;  // both weights, what is read, what is written
  Planner planner(graph, profile);
  return kTensors + CountOperands(node) <= MaxBoundTensors(profile) &&
         node.op->plan(node, &planner).ok();
}

void FuseIntoReaders(
    Graph* graph,
    absl::FunctionRef<std::optional<Node>(const Node& node, const Node& reader)>
        fuse) {
  const Uses uses(*graph);
  std::vector<bool> removed(graph->nodes.size(), false);
  for (size_t n = 0; n < graph->nodes.size(); ++n) {
    const Node& node = graph->nodes[n];
    if (node.outputs.size() != 1) continue;
    Node* const reader = OnlyReader(node.outputs[0], uses, graph);
    if (reader == nullptr) continue;
    auto fused = fuse(node, *reader);
    if (!fused) continue;
    *reader = *std::move(fused);
    removed[n] = true;
  }
  RemoveNodes(removed, graph);
}

}  // namespace gles_delegate
