#include "delegate/passes/compute_on_codes.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "delegate/graph/float_view.h"
#include "delegate/graph/op.h"
#include "delegate/passes/codes/helpers.h"
#include "delegate/passes/codes/kernel.h"
#include "delegate/passes/codes/wide_kernels.h"

namespace gles_delegate {
namespace {

using codes::HoldsCodes;

// Tensors that only contain quantized values: the partition's inputs, outputs
// of simulators, and values moved between those.
void HoldCodes(Graph* graph) {
  const auto hold = [graph](TensorId id) {
    Tensor& tensor = graph->tensor(id);
    tensor.holds_codes = codes::MayHoldCodes(tensor);
  };
  for (TensorId id : graph->inputs) hold(id);
  for (const Node& node : graph->nodes) {
    if (codes::EndsInSimulator(node) || KeepsCodes(*graph, node)) {
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
  if (!KeepsCodes(*graph, node) || node.op->Has(kFillsWithInput)) {
    return std::nullopt;
  }
  for (TensorId id : node.outputs) {
    if (!graph->tensor(id).is_float_view()) continue;  // positions, say
    if (!HoldsCodes(*graph, id)) return std::nullopt;
  }
  Node moved = node;
  bool any = IsQuantized(*graph, node.outputs);
  for (TensorId& id : moved.inputs) {
    if (id == kNoTensor || !graph->tensor(id).is_float_view()) continue;
    any = true;
    if (graph->tensor(id).is_constant() &&
        graph->tensor(id).quantization.scale.size() == 1) {
      id = codes::AsCodes(graph, id);  // a constant among what is moved
    } else if (!HoldsCodes(*graph, id)) {
      return std::nullopt;
    }
  }
  // A node that moves only other values may fuse with nodes of real values.
  return any ? std::optional(moved) : std::nullopt;
}

std::optional<Node> Rewritten(const Node& node,
                              const codes::KernelContext& context) {
  const codes::IntegerKernel* kernel = codes::FindIntegerKernel(node.op->name);
  if (kernel != nullptr && (!kernel->ends_in_simulator ||
                            (codes::EndsInSimulator(node) &&
                             HoldsCodes(*context.graph, node.outputs[0])))) {
    if (std::optional<Node> node_on_codes = kernel->rewrite(node, context)) {
      return node_on_codes;
    }
  }
  return Moved(node, context.graph);
}

// Puts the nodes that compute `node` in integers of 16 bits behind `*nodes`.
// False: it has none, or the device cannot plan them.
bool AppendWide(const Node& node, const codes::KernelContext& context,
                std::vector<Node>* nodes) {
  std::vector<Node> wide = codes::WideNodes(node, context);
  for (const Node& part : wide) {
    Planner planner(context.graph, context.profile);
    if (!PlanNode(part, &planner).ok()) return false;
  }
  for (Node& part : wide) nodes->push_back(std::move(part));
  return !wide.empty();
}

}  // namespace

int ComputeOnCodes(Graph* graph, const DeviceProfile& profile,
                   quant::CpuKernels cpu, const quant::KernelTraits& traits) {
  HoldCodes(graph);
  codes::MatchQuantizations(graph);
  const codes::KernelContext context{graph, profile, cpu, traits};
  int count = 0;
  std::vector<Node> nodes;
  for (Node& node : graph->nodes) {
    if (node.on_codes) {  // made so
      nodes.push_back(node);
      continue;
    }
    if (AppendWide(node, context, &nodes)) {
      ++count;
      continue;
    }
    nodes.push_back(node);
    std::optional<Node> on_codes = Rewritten(node, context);
    if (!on_codes) continue;
    on_codes->on_codes = true;
    // The check is the plan, as it was when the node was accepted.
    Planner planner(graph, profile);
    if (!PlanNode(*on_codes, &planner).ok()) continue;
    nodes.back() = *std::move(on_codes);
    ++count;
  }
  graph->nodes = std::move(nodes);
  return count;
}

}  // namespace gles_delegate
