// The integer path of 8-bit models, as an alternative to the float view
// (docs/quantization.md).
//
// Activations that the float view would round are stored as quantized values,
// one byte each. The ops of codes/kernels.cc compute on (quantized value - zero
// point): small integers, whose products and sums floats hold exactly up to
// 2^24. They rescale sums as TFLite's integer kernels do (quant/fixed_point.h),
// or use tables (quant/code_table.h). Ops that move values move quantized
// values. Other ops keep their float view: they read value * scale and round
// what they write.
//
// Kernels for 16-bit activations use integer arithmetic, too, on tensors of
// real values (integer_path/kernel.h).
//
// `graph` is as read, with simulators. A node that the device cannot run in
// integers, or whose parameters are not known to match TFLite's arithmetic,
// stays as it is. `cpu`: the kernels to match. Returns the number of nodes on
// the integer path.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "delegate/graph/float_view.h"
#include "delegate/graph/op.h"
#include "delegate/passes/all_passes.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/kernel.h"

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

std::optional<Node> Rewritten(const Node& node,
                              const integer_path::KernelContext& context) {
  std::optional<Node> in_integers = integer_path::InIntegers(node, context);
  if (in_integers) return in_integers;
  return Moved(node, context.graph);
}

// Puts the nodes that compute `node` in integers of 16 bits behind `*nodes`.
// False: it has none, or the device cannot plan them.
bool AppendInt16(const Node& node, const integer_path::KernelContext& context,
                 std::vector<Node>* nodes) {
  std::vector<Node> wide = integer_path::InInt16(node, context);
  for (const Node& part : wide) {
    Planner planner(context.graph, context.profile);
    if (!PlanNode(part, &planner).ok()) return false;
  }
  for (Node& part : wide) nodes->push_back(std::move(part));
  return !wide.empty();
}

}  // namespace

int UseIntegerPath(Graph* graph, const DeviceProfile& profile,
                   quant::CpuKernels cpu, const quant::KernelTraits& traits) {
  HoldQuantized(graph);
  integer_path::MatchQuantizations(graph);
  const integer_path::KernelContext context{graph, profile, cpu, traits};
  int count = 0;
  std::vector<Node> nodes;
  for (Node& node : graph->nodes) {
    if (node.integer_path) {  // made so
      nodes.push_back(node);
      continue;
    }
    if (AppendInt16(node, context, &nodes)) {
      ++count;
      continue;
    }
    nodes.push_back(node);
    std::optional<Node> integer_path = Rewritten(node, context);
    if (!integer_path) continue;
    integer_path->integer_path = true;
    // The check is the plan, as it was when the node was accepted.
    Planner planner(graph, profile);
    if (!PlanNode(*integer_path, &planner).ok()) continue;
    nodes.back() = *std::move(integer_path);
    ++count;
  }
  graph->nodes = std::move(nodes);
  return count;
}

}  // namespace gles_delegate
