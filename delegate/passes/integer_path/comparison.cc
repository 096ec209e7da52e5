// EQUAL, LESS and similar ops, which scale both sides in integers, and SELECT,
// which moves quantized values.
#include "delegate/ops/elementwise/comparison.h"

#include <any>
#include <initializer_list>

#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/kernel.h"

namespace gles_delegate::integer_path {

std::optional<Node> ComparisonInIntegers(const Node& node,
                                         const KernelContext& c) {
  if (!std::any_cast<const ComparisonAttributes&>(node.attributes)
           .of_quantized) {
    return std::nullopt;
  }
  Node comparison = node;
  for (TensorId& id : comparison.inputs) {
    if (c.graph->tensor(id).is_constant()) {
      id = AsQuantized(c.graph, id);
    } else if (!HoldsQuantized(*c.graph, id)) {
      return std::nullopt;
    }
  }
  return comparison;
}

std::optional<Node> SelectInIntegers(const Node& node, const KernelContext& c) {
  const TensorId out = node.outputs[0];
  if (!HoldsQuantized(*c.graph, out)) return std::nullopt;
  const Tensor& to = c.graph->tensor(out);
  for (int i : {1, 2}) {
    const Tensor& from = c.graph->tensor(node.inputs[i]);
    // Moves (value - zero point).
    if (from.quantized != to.quantized ||
        from.quantization.zero_point != to.quantization.zero_point ||
        (!from.is_constant() && !from.holds_quantized)) {
      return std::nullopt;
    }
  }
  Node select = node;
  // TFLite moves quantized values regardless of scales, so there is no
  // simulator.
  select.post_ops.clear();
  for (int i : {1, 2}) {
    if (c.graph->tensor(node.inputs[i]).is_constant()) {
      select.inputs[i] = AsQuantized(c.graph, node.inputs[i]);
    }
  }
  return select;
}

}  // namespace gles_delegate::integer_path
