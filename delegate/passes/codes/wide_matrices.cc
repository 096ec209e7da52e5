// BATCH_MATMUL of 16-bit activations.
#include <any>
#include <optional>
#include <utility>
#include <vector>

#include "delegate/ops/matmul/batch_matmul.h"
#include "delegate/passes/codes/helpers.h"
#include "delegate/passes/codes/wide_helpers.h"
#include "delegate/passes/codes/wide_kernels.h"
#include "quant/fixed_point.h"

namespace gles_delegate::codes {
namespace {

// TFLite's sums of more terms may pass the 2^47 that its scaling takes.
constexpr int kMostDepth = 1 << 17;

// A tensor with the quantized values of `id`; adds the node that makes it.
TensorId AddCodes(const Node& of, TensorId id, std::vector<Node>* nodes,
                  Graph* graph) {
  const Tensor& tensor = graph->tensor(id);
  if (tensor.is_constant()) return AsCodes(graph, id);
  const TensorId codes = AddLike(tensor, "codes", graph);
  nodes->push_back(WideElementwise(
      of, id, codes, {{"code_of", {tensor.quantization.scale[0], 0, 0, 0}}},
      *graph));
  return codes;
}

}  // namespace

std::vector<Node> WideBatchMatMul(const Node& node, const KernelContext& c) {
  Graph* const graph = c.graph;
  const Tensor& x = graph->tensor(node.inputs[0]);
  const Tensor& y = graph->tensor(node.inputs[1]);
  const Tensor& out = graph->tensor(node.outputs[0]);
  const auto& a = std::any_cast<const BatchMatMulAttributes&>(node.attributes);
  const std::optional<PostOp> clamp = WideClamp(node.post_ops, out);
  const int depth = x.dims[x.dims.size() - (a.adj_x ? 2 : 1)];
  const auto suits = [](const Tensor& tensor) {
    return IsSixteenBit(tensor) || IsSixteenBitConstant(tensor);
  };
  if (!clamp || !suits(x) || !suits(y) || depth > kMostDepth) {
    return {};
  }
  const quant::WideMultiplier m = quant::SixteenBitMultiplierOf(
      quant::ConvolutionScale(x.quantization.scale[0], y.quantization.scale[0],
                              out.quantization.scale[0], /*by_channel=*/false));
  if (m.right < 1 || m.right > 62) return {};
  std::vector<Node> nodes;
  const TensorId of_x = AddCodes(node, node.inputs[0], &nodes, graph);
  const TensorId of_y = AddCodes(node, node.inputs[1], &nodes, graph);
  Node product = WideBatchMatMulNode(node, of_x, of_y, m);
  product.post_ops = {*clamp, {"mul", {out.quantization.scale[0], 0, 0, 0}}};
  nodes.push_back(std::move(product));
  return nodes;
}

}  // namespace gles_delegate::codes
