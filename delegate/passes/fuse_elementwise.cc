#include "delegate/passes/fuse_elementwise.h"

#include <algorithm>
#include <any>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/ops/elementwise.h"

namespace gles_delegate {
namespace {

// Tensors that a minimal device (ES 3.1: four images or four buffers) binds at
// once in a dispatch. A fused graph is not checked node by node, so fusion must
// stay within what every device has.
constexpr int kMaxTensors = 4;

int OperandCount(absl::Span<const PostOp> ops) {
  return static_cast<int>(
      std::count_if(ops.begin(), ops.end(),
                    [](const PostOp& op) { return op.operand != kNoTensor; }));
}

// What a node's dispatch binds besides post-op operands: what it reads at run
// time, its packed constants (as one), what it writes.
int TensorCount(const Graph& graph, const Node& node) {
  if (IsPlainElementwise(graph, node)) return 2;
  bool has_constant = false;
  std::vector<TensorId> read;
  for (TensorId id : node.inputs) {
    if (id == kNoTensor) continue;
    if (graph.tensor(id).is_constant()) {
      has_constant = true;
    } else if (std::find(read.begin(), read.end(), id) == read.end()) {
      read.push_back(id);
    }
  }
  return static_cast<int>(read.size()) + (has_constant ? 1 : 0) + 1;
}

class Fuser {
 public:
  explicit Fuser(Graph* graph)
      : graph_(graph), uses_(*graph), removed_(graph->nodes.size(), false) {}

  void Run() {
    for (size_t n = 0; n < graph_->nodes.size(); ++n) {
      if (IsPlainElementwise(*graph_, graph_->nodes[n])) Fuse(n);
    }
    std::vector<Node> kept;
    for (size_t n = 0; n < graph_->nodes.size(); ++n) {
      if (!removed_[n]) kept.push_back(std::move(graph_->nodes[n]));
    }
    graph_->nodes = std::move(kept);
  }

 private:
  void Fuse(size_t n) {
    const Node& node = graph_->nodes[n];
    const int source =
        std::any_cast<const ElementwiseAttributes&>(node.attributes).source;
    if (FuseInto(n, node.inputs[source], node.post_ops)) return;
    // f(a, b) with the other operand as the one that is computed on the way.
    if (node.post_ops.empty() || node.post_ops[0].operand == kNoTensor) return;
    std::vector<PostOp> swapped = node.post_ops;
    const TensorId other = swapped[0].operand;
    swapped[0].operand = node.inputs[source];
    swapped[0].operand_first = !swapped[0].operand_first;
    FuseInto(n, other, swapped);
  }

  // Moves `ops`, the functions of node n on `source`, into source's producer.
  bool FuseInto(size_t n, TensorId source, const std::vector<PostOp>& ops) {
    const Node& node = graph_->nodes[n];
    const int p = uses_.producer[source];
    if (p < 0 || uses_.is_output[source]) return false;
    const Tensor& between = graph_->tensor(source);
    if (between.type != DataType::kFloat32 || between.is_variable ||
        between.shape != graph_->tensor(node.outputs[0]).shape) {
      return false;
    }
    const auto& consumers = uses_.consumers[source];
    if (std::any_of(consumers.begin(), consumers.end(),
                    [&](int c) { return c != static_cast<int>(n); })) {
      return false;
    }
    Node& producer = graph_->nodes[p];
    if (producer.outputs.size() != 1) return false;
    for (const PostOp& op : ops) {
      if (op.operand != kNoTensor && uses_.producer[op.operand] >= p)
        return false;
    }
    const int operands = OperandCount(ops);
    if (operands > 0 && TensorCount(*graph_, producer) +
                                OperandCount(producer.post_ops) + operands >
                            kMaxTensors) {
      return false;
    }
    producer.post_ops.insert(producer.post_ops.end(), ops.begin(), ops.end());
    producer.outputs[0] = node.outputs[0];
    uses_.producer[node.outputs[0]] = p;
    removed_[n] = true;
    return true;
  }

  Graph* graph_;
  Uses uses_;
  std::vector<bool> removed_;
};

}  // namespace

void FuseElementwise(Graph* graph) { Fuser(graph).Run(); }

void RealignConstants(Graph* graph) {
  for (Node& node : graph->nodes) {
    auto* attributes = std::any_cast<ElementwiseAttributes>(&node.attributes);
    if (attributes == nullptr || attributes->functions.size() != 1) continue;
    if (graph->tensor(node.inputs[attributes->source]).shape !=
        attributes->source_shape) {
      continue;
    }
    RealignedFunction& f = attributes->functions[0];
    if (f.function.operand == kNoTensor) continue;
    const Tensor& operand = graph->tensor(node.inputs[f.function.operand]);
    if (!operand.is_constant()) continue;
    Tensor realigned = operand;
    realigned.name =
        absl::StrCat(operand.name, " as ", f.operand_shape.ToString());
    realigned.shape = f.operand_shape;
    PostOp op = f.function;
    op.operand = graph->AddTensor(std::move(realigned));
    node.post_ops.insert(node.post_ops.begin(), std::move(op));
    attributes->functions.clear();
  }
}

}  // namespace gles_delegate
