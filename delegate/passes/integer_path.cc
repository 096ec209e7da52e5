// The integer path of 8-bit models, as an alternative to the float view
// (docs/quantization.md).
//
// Activations that the float view would round are stored as quantized values,
// one byte each. The ops with a recipe (integer_path/recipe.h) compute on
// (quantized value - zero point): small integers, whose products and sums floats hold exactly up
// to 2^24. They rescale sums as TFLite's integer kernels do
// (quant/fixed_point.h), or use tables (quant/code_table.h). Ops that move
// values move quantized values. Other ops keep their float view: they read
// value * scale and round what they write.
//
// Those of 16-bit activations use integer arithmetic, too, on tensors of real
// values.
//
// `graph` is as read, with simulators. A node that the device cannot run in
// integers, or whose parameters are not known to match TFLite's arithmetic,
// stays as it is.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "delegate/graph/float_view.h"
#include "delegate/graph/op.h"
#include "delegate/passes/all_passes.h"
#include "delegate/passes/integer_path/recipe.h"
#include "delegate/passes/passes.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

using integer_path::HoldsQuantized;

// Tensors that only contain quantized values: the partition's inputs, outputs
// of simulators, and values moved between those.
void HoldQuantized(Graph* graph) {
  const auto hold = [graph](TensorId id) {
    Tensor& tensor = graph->tensor(id);
    tensor.holds_quantized = integer_path::MayHoldQuantized(tensor);
  };
  for (TensorId id : graph->inputs) hold(id);
  for (const Node& node : graph->nodes) {
    if (integer_path::EndsInSimulator(node) || KeepsQuantized(*graph, node)) {
      for (TensorId id : node.outputs) hold(id);
    }
  }
}

bool IsQuantized(const Graph& graph, const std::vector<TensorId>& ids) {
  return std::any_of(ids.begin(), ids.end(), [&](TensorId id) {
    return graph.tensor(id).is_float_view();
  });
}

// A node that moves quantized values does so regardless of their quantization.
std::optional<Node> Moved(const Node& node, Graph* graph) {
  if (!KeepsQuantized(*graph, node) || node.op->Has(kFillsWithInput)) {
    return std::nullopt;
  }
  for (TensorId id : node.outputs) {
    if (!graph->tensor(id).is_float_view()) continue;  // positions, say
    if (!HoldsQuantized(*graph, id)) return std::nullopt;
  }
  Node moved = node;
  bool any = IsQuantized(*graph, node.outputs);
  for (TensorId& id : moved.inputs) {
    if (id == kNoTensor || !graph->tensor(id).is_float_view()) continue;
    any = true;
    if (graph->tensor(id).is_constant() &&
        graph->tensor(id).quantization.scale.size() == 1) {
      id = integer_path::AsQuantized(graph,
                                     id);  // a constant among what is moved
    } else if (!HoldsQuantized(*graph, id)) {
      return std::nullopt;
    }
  }
  // A node that moves only other values may fuse with nodes of real values.
  return any ? std::optional(moved) : std::nullopt;
}

// The check is the plan, as it was when the node was accepted.
bool CanPlan(const Node& node, const integer_path::KernelContext& context) {
  Planner planner(context.graph, context.profile);
  return PlanNode(node, &planner).ok();
}

// Computes node n in integers, or stores its values as they are. False: it
// keeps its float view.
bool MoveToIntegers(Rewriter& r, int n,
                    const integer_path::KernelContext& context) {
  integer_path::Nodes nodes = integer_path::InIntegers(r.node(n), context);
  if (nodes.empty()) {
    std::optional<Node> moved = Moved(r.node(n), &r.graph());
    if (!moved) return false;
    moved->integer_path = true;
    nodes.push_back(*std::move(moved));
  }
  if (!std::all_of(nodes.begin(), nodes.end(),
                   [&](const Node& node) { return CanPlan(node, context); })) {
    r.Decline(n, "the device cannot plan it in integers");
    return false;
  }
  Node last = std::move(nodes.back());
  nodes.pop_back();
  for (Node& before : nodes) r.InsertBefore(n, std::move(before));
  r.Replace(n, std::move(last));
  return true;
}

}  // namespace

void UseIntegerPath(Rewriter& r) {
  const size_t tensors = r.graph().tensors.size();
  const int count = r.size();
  HoldQuantized(&r.graph());
  for (int n = 0; n < count; ++n) integer_path::MatchQuantizations(r, n);
  const integer_path::KernelContext context{
      &r.graph(), r.profile(), r.context().cpu, r.context().traits};
  int moved = 0;
  for (int n = 0; n < count; ++n) {
    if (!r.node(n).integer_path && MoveToIntegers(r, n, context)) ++moved;
  }
  // As the model's quantized tensors: parts of integers and their sums.
  for (size_t i = tensors; i < r.graph().tensors.size(); ++i) {
    r.tensor(static_cast<TensorId>(i)).always_float32 |=
        r.profile().options.half;
  }
  if (r.context().nodes_on_integer_path != nullptr) {
    *r.context().nodes_on_integer_path = moved;
  }
}

}  // namespace gles_delegate
