// Ops that move int16 values unchanged between scales.
#include <any>
#include <cmath>
#include <optional>
#include <utility>

#include "delegate/ops/movement/remap.h"
#include "delegate/passes/integer_path/int16_helpers.h"
#include "delegate/passes/integer_path/kernel.h"

namespace gles_delegate::integer_path {
namespace {

PostOp CodeOf(const Tensor& tensor) {
  return {"code_of", {tensor.quantization.scale[0], 0, 0, 0}};
}
PostOp ValueIn(const Tensor& tensor) {
  return {"mul", {tensor.quantization.scale[0], 0, 0, 0}};
}

// A copy of tensor `id` with the scale of `to`; adds the node that makes it to
// `*nodes`, on behalf of `mover`.
TensorId MovedTo(const Tensor& to, TensorId id, const Node& mover, Graph* graph,
                 std::vector<Node>* nodes) {
  const Tensor& from = graph->tensor(id);
  std::vector<PostOp> post_ops = {CodeOf(from), ValueIn(to)};
  const TensorId moved = AddLike(from, "quantized values moved", graph);
  nodes->push_back(
      Int16Elementwise(mover, id, moved, std::move(post_ops), *graph));
  return moved;
}

// A PADV2 with a runtime value, which TFLite expects in the output's scale, so
// that only the input is converted.
std::vector<Node> PadByTensor(const Node& node, Graph* graph) {
  const Tensor& out = graph->tensor(node.outputs[0]);
  const Tensor& value = graph->tensor(node.inputs[2]);
  if (node.post_ops.size() != 1 ||  // an activation
      !IsInt16(value) || value.quantization.scale != out.quantization.scale) {
    return {};
  }
  std::vector<Node> nodes;
  Node pad = node;
  pad.integer_path = true;
  pad.post_ops.clear();
  pad.inputs[0] = MovedTo(out, node.inputs[0], node, graph, &nodes);
  nodes.push_back(std::move(pad));
  return nodes;
}

}  // namespace

std::vector<Node> Int16Move(const Node& node, const KernelContext& c) {
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const std::optional<PostOp> clamp = Int16Clamp(node.post_ops, out);
  if (!clamp || !IsInt16(in)) return {};
  Node moved = node;
  moved.integer_path = true;
  moved.post_ops = {CodeOf(in), *clamp, ValueIn(out)};
  // The fill value has the output's scale, and passes the post-ops, too.
  if (const auto* pad = std::any_cast<PadAttributes>(&node.attributes)) {
    if (pad->runtime_value) return PadByTensor(node, c.graph);
    PadAttributes filled = *pad;
    filled.value = std::round(pad->value / out.quantization.scale[0]) *
                   in.quantization.scale[0];
    moved.attributes = filled;
  }
  return {std::move(moved)};
}

std::vector<Node> Int16Join(const Node& node, const KernelContext& c) {
  Graph* const graph = c.graph;
  if (node.post_ops.size() != 1) return {};  // an activation
  std::vector<Node> nodes;
  Node joined = node;
  joined.integer_path = true;
  joined.post_ops.clear();
  for (TensorId& id : joined.inputs) {
    const Tensor& in = graph->tensor(id);
    if (!in.is_float_view()) continue;  // a condition
    const Tensor& out = graph->tensor(node.outputs[0]);
    if (IsInt16Constant(in)) {
      Tensor constant = in;
      constant.quantization = out.quantization;
      id = graph->AddTensor(std::move(constant));
    } else if (!IsInt16(in)) {
      return {};
    } else if (in.quantization.scale != out.quantization.scale) {
      id = MovedTo(out, id, node, graph, &nodes);
    }
  }
  nodes.push_back(std::move(joined));
  return nodes;
}

}  // namespace gles_delegate::integer_path
