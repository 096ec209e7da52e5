// BATCH_MATMUL of 16-bit activations: four products of halves of both sides.
#include <any>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "delegate/ops/elementwise/wide_sums.h"
#include "delegate/ops/matmul/batch_matmul.h"
#include "delegate/passes/codes/wide_helpers.h"
#include "delegate/passes/codes/wide_kernels.h"
#include "quant/fixed_point.h"

namespace gles_delegate::codes {
namespace {

// Sums of fewer products of halves, 2^14 at most, are exact in floats.
constexpr int kMostDepth = 1 << 10;

// The two halves of what `id` holds, the low one first.
struct Halves {
  TensorId low = kNoTensor, high = kNoTensor;
};

// Of a constant: constants.
Halves AddConstantHalves(TensorId id, Graph* graph) {
  const Tensor constant = graph->tensor(id);
  const absl::Span<const uint8_t> bytes = constant.constant.bytes();
  std::vector<int16_t> codes(bytes.size() / sizeof(int16_t));
  std::memcpy(codes.data(), bytes.data(), codes.size() * sizeof(int16_t));
  std::vector<float> low, high;
  for (const int16_t code : codes) {
    const int upper = (code + 128) >> 8;
    high.push_back(static_cast<float>(upper));
    low.push_back(static_cast<float>(code - upper * 256));
  }
  const auto add = [&](const char* name, const std::vector<float>& values) {
    const TensorId half = AddLike(constant, name, graph);
    std::vector<uint8_t> of_floats(values.size() * sizeof(float));
    std::memcpy(of_floats.data(), values.data(), of_floats.size());
    graph->tensor(half).constant = ConstantData::Own(std::move(of_floats));
    return half;
  };
  return {add("low codes", low), add("high codes", high)};
}

Halves AddHalves(const Node& node, TensorId id, std::vector<Node>* nodes,
                 Graph* graph) {
  if (graph->tensor(id).is_constant()) return AddConstantHalves(id, graph);
  const float scale = graph->tensor(id).quantization.scale[0];
  const auto part = [&](const char* name, int index) {
    const TensorId to = AddLike(graph->tensor(id), name, graph);
    nodes->push_back(
        WideElementwise(node, id, to, {CodePart(scale, 8, index)}, *graph));
    return to;
  };
  return {part("low codes", 0), part("high codes", 1)};
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
  if (!clamp || !suits(x) || !suits(y) || depth >= kMostDepth) {
    return {};
  }
  const quant::WideMultiplier m = quant::SixteenBitMultiplierOf(
      quant::ConvolutionScale(x.quantization.scale[0], y.quantization.scale[0],
                              out.quantization.scale[0], /*by_channel=*/false));
  if (m.right < 1 || m.right > 62) return {};
  std::vector<Node> nodes;
  const Halves of_x = AddHalves(node, node.inputs[0], &nodes, graph);
  const Halves of_y = AddHalves(node, node.inputs[1], &nodes, graph);
  std::vector<TensorId> sums;
  for (const TensorId left : {of_x.low, of_x.high}) {
    for (const TensorId right : {of_y.low, of_y.high}) {
      Node product = node;
      product.inputs = {left, right};
      product.outputs = {AddLike(out, "a part of the sums", graph)};
      product.post_ops.clear();
      product.on_codes = true;
      sums.push_back(product.outputs[0]);
      nodes.push_back(std::move(product));
    }
  }
  Node join =
      WideSums(node, sums, {0, 8, 8, 16},
               AddWideSumRows({{m, 0}}, out.name, graph), node.outputs[0]);
  join.post_ops = {*clamp, {"mul", {out.quantization.scale[0], 0, 0, 0}}};
  nodes.push_back(std::move(join));
  return nodes;
}

}  // namespace gles_delegate::codes
