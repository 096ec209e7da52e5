// Fuses elementwise nodes into the producer of their input, which saves a
// dispatch and a tensor.
//
// Fuses if the producer has one output, only the elementwise node reads it, and
// the node's output has the same shape. The producer moves to the node's place
// in the order, so that operands are computed before. A function of two tensors
// is fused into the later of the two producers if possible. No fused node binds
// more than `max_tensors` tensors and packed constants (MaxBoundTensors of
// delegate/plan/planner.h), since fused nodes are not checked again, or has
// more than kMaxPostOps (delegate/passes/fusing.h). Of a loop, it fuses whole
// steps (Tensor::nodes_of_step).
#include <algorithm>
#include <any>
#include <utility>
#include <vector>

#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/op_list.h"
#include "delegate/passes/all_passes.h"
#include "delegate/passes/fusing.h"

namespace gles_delegate {
namespace {

int OperandCount(absl::Span<const PostOp> ops) {
  return static_cast<int>(
      std::count_if(ops.begin(), ops.end(),
                    [](const PostOp& op) { return op.operand != kNoTensor; }));
}

// Number of bindings of a node's dispatch without post-op operands: inputs
// computed at run time, packed constants (counted as one), outputs.
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

bool KeepsState(const Graph& graph, const Node& node) {
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
    return id != kNoTensor && graph.tensor(id).is_variable;
  });
}

class Fuser {
 public:
  Fuser(Graph* graph, int max_tensors)
      : graph_(graph),
        max_tensors_(max_tensors),
        uses_(*graph),
        removed_(graph->nodes.size(), false) {}

  void Run() {
    for (size_t n = 0; n < graph_->nodes.size(); ++n) {
      if (IsPlainElementwise(*graph_, graph_->nodes[n])) Fuse(n);
    }
    RemoveNodes(removed_, graph_);
  }

 private:
  // The functions of a node on the tensor that its producer may apply them to.
  struct Candidate {
    TensorId source;
    std::vector<PostOp> ops;
  };

  void Fuse(size_t n) {
    const Node& node = graph_->nodes[n];
    const int source =
        std::any_cast<const ElementwiseAttributes&>(node.attributes).source;
    std::vector<Candidate> candidates = {{node.inputs[source], node.post_ops}};
    if (!node.post_ops.empty() && node.post_ops[0].operand != kNoTensor) {
      // f(a, b) with the other operand as the one that is computed on the way.
      Candidate swapped{node.post_ops[0].operand, node.post_ops};
      swapped.ops[0].operand = node.inputs[source];
      swapped.ops[0].operand_first = !swapped.ops[0].operand_first;
      candidates.push_back(std::move(swapped));
      if (uses_.producer[candidates[1].source] >
          uses_.producer[candidates[0].source]) {
        std::swap(candidates[0], candidates[1]);
      }
    }
    for (const Candidate& c : candidates) {
      if (!FuseInto(n, c.source, c.ops)) continue;
      if (JoinSilu(&graph_->nodes[n])) Fuse(n);
      return;
    }
  }

  // x * LOGISTIC(x), as models write SiLU (swish), becomes one function of x,
  // which x's producer can then apply.
  bool JoinSilu(Node* node) {
    if (!IsPlainElementwise(*graph_, *node) || node->post_ops.size() < 2) {
      return false;
    }
    auto& ops = node->post_ops;
    const int source =
        std::any_cast<const ElementwiseAttributes&>(node->attributes).source;
    if (ops[0].function != "logistic" || ops[1].function != "mul" ||
        ops[1].operand != node->inputs[source]) {
      return false;
    }
    ops.erase(ops.begin());
    ops[0] = PostOp{"silu"};
    return true;
  }

  // Moves `ops`, the functions of node n on `source`, into source's producer.
  bool FuseInto(size_t n, TensorId source, const std::vector<PostOp>& ops) {
    const int p = uses_.producer[source];
    if (p < 0 || !OnlyReadBy(source, static_cast<int>(n))) return false;
    const Node& node = graph_->nodes[n];
    const Tensor& between = graph_->tensor(source);
    // Functions compute in the type of their output.
    if (between.type != graph_->tensor(node.outputs[0]).type ||
        between.is_variable ||
        between.shape != graph_->tensor(node.outputs[0]).shape) {
      return false;
    }
    for (const PostOp& op : ops) {
      if (op.operand == source) return false;
    }
    Node& producer = graph_->nodes[p];
    if (producer.integer_path != node.integer_path ||
        producer.outputs.size() != 1 || KeepsState(*graph_, producer) ||
        !CanBind(producer, ops) ||
        !HasRoomFor(std::max(ops.size(), between.nodes_of_step),
                    producer.post_ops)) {
      return false;
    }
    Node fused = std::move(producer);
    fused.post_ops.insert(fused.post_ops.end(), ops.begin(), ops.end());
    fused.outputs[0] = node.outputs[0];
    fused.always_float32 |= node.always_float32;
    graph_->tensor(fused.outputs[0]).always_float32 |= fused.always_float32;
    for (TensorId id : fused.inputs) MoveReader(id, p, static_cast<int>(n));
    for (const PostOp& op : fused.post_ops) {
      MoveReader(op.operand, p, static_cast<int>(n));
    }
    // Here, not at p, all operands are there; nothing else reads `source`.
    graph_->nodes[n] = std::move(fused);
    removed_[p] = true;
    return true;
  }

  // Node `to` reads the tensor in place of node `from`.
  void MoveReader(TensorId id, int from, int to) {
    if (id == kNoTensor) return;
    auto& readers = uses_.consumers[id];
    std::replace(readers.begin(), readers.end(), from, to);
  }

  bool OnlyReadBy(TensorId id, int n) const {
    const auto& consumers = uses_.consumers[id];
    return !uses_.is_output[id] &&
           std::all_of(consumers.begin(), consumers.end(),
                       [n](int c) { return c == n; });
  }

  bool CanBind(const Node& producer, const std::vector<PostOp>& ops) const {
    const int operands = OperandCount(ops);
    return operands == 0 || TensorCount(*graph_, producer) +
                                    OperandCount(producer.post_ops) +
                                    operands <=
                                max_tensors_;
  }

  Graph* graph_;
  int max_tensors_;
  Uses uses_;
  std::vector<bool> removed_;
};

// The operand as a tensor of this shape; kNoTensor: it is computed, or repeats.
TensorId OperandAs(const Shape& shape, TensorId id, Graph* graph) {
  const Tensor& operand = graph->tensor(id);
  if (operand.shape == shape) return id;
  return operand.is_constant() && operand.shape.elements() == shape.elements()
             ? AddConstantAs(shape, id, graph)
             : kNoTensor;
}

// A source with fewer axes whose rows keep their order, as the scores of heads
// that a mask of four axes is added to.
bool IsReshaped(const Tensor& source, const Tensor& output,
                const ElementwiseAttributes& a) {
  return IsComputedFloat(source) && IsComputedFloat(output) &&
         source.shape.c == a.source_shape.c && a.source_shape == output.shape &&
         source.shape.elements() == output.shape.elements();
}

}  // namespace

void FuseElementwise(Graph* graph, int max_tensors) {
  Fuser(graph, max_tensors).Run();
}

// Makes a function whose operand is read in another shape (RealignedFunction of
// delegate/ops/elementwise/elementwise.h) a post-op, so that FuseElementwise
// can take the node: a constant gets that shape, another operand may have it by
// now. If the source is read in another shape, the node becomes a RESHAPE of it
// with the function as a post-op: one dispatch, not two.
void RealignOperands(Graph* graph) {
  for (Node& node : graph->nodes) {
    auto* attributes = std::any_cast<ElementwiseAttributes>(&node.attributes);
    if (attributes == nullptr || attributes->functions.size() != 1) continue;
    const TensorId source = node.inputs[attributes->source];
    const bool is_aligned =
        graph->tensor(source).shape == attributes->source_shape;
    if (!is_aligned &&
        (node.integer_path ||
         !IsReshaped(graph->tensor(source), graph->tensor(node.outputs[0]),
                     *attributes))) {
      continue;
    }
    RealignedFunction& f = attributes->functions[0];
    PostOp op = f.function;
    if (op.operand == kNoTensor && is_aligned) continue;
    if (op.operand != kNoTensor) {
      op.operand = OperandAs(f.operand_shape, node.inputs[op.operand], graph);
      if (op.operand == kNoTensor) continue;
    }
    node.post_ops.insert(node.post_ops.begin(), std::move(op));
    attributes->functions.clear();
    if (is_aligned) continue;
    node.op = FindOpNamed("RESHAPE");
    node.inputs = {source};
    node.attributes.reset();
  }
}

}  // namespace gles_delegate
