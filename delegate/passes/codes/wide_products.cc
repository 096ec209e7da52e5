#include "delegate/passes/codes/wide_products.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/passes/codes/helpers.h"
#include "delegate/passes/codes/wide_helpers.h"

namespace gles_delegate::codes {
namespace {

// Sums below this are carried as the bits of a float (op_join_sums).
constexpr int64_t kMostSum = 0x3f000000;
constexpr int64_t kMostCode = 32768;

// What the node is made of, once it is known to suit.
struct Parts {
  TensorId data = kNoTensor;
  int data_input = 0, weights_input = 1, bias_input = 2;
  int channels = 0;  // the dimension of the weights that is the output's
  bool fully_connected = false;
};

std::optional<Parts> PartsOf(const Node& node) {
  Parts parts;
  if (node.op->name == "DEPTHWISE_CONV_2D") {
    parts.channels = 3;
  } else if (node.op->name == "TRANSPOSE_CONV") {
    parts.data_input = 2;
    parts.bias_input = 3;
  } else if (node.op->name == "FULLY_CONNECTED") {
    parts.fully_connected = true;
  } else if (node.op->name != "CONV_2D") {
    return std::nullopt;
  }
  parts.data = node.inputs[parts.data_input];
  return parts;
}

// The codes of a constant of whole numbers that floats hold; empty where it is
// none. A float view's values divided by its scales.
std::vector<int64_t> CodesOf(const Tensor& tensor) {
  const absl::Span<const uint8_t> bytes = tensor.constant.bytes();
  std::vector<int64_t> codes;
  const auto read = [&](auto zero) {
    using Code = decltype(zero);
    codes.resize(bytes.size() / sizeof(Code));
    for (size_t i = 0; i < codes.size(); ++i) {
      Code code;
      std::memcpy(&code, bytes.data() + i * sizeof(Code), sizeof(Code));
      codes[i] = code;
    }
  };
  if (tensor.codes == DataType::kInt8) read(int8_t{});
  if (tensor.codes == DataType::kInt32) read(int32_t{});
  if (tensor.codes == DataType::kInt64) read(int64_t{});
  return codes;
}

// The output's channel of element `i` of the weights.
size_t ChannelOf(const Tensor& weights, int dimension, size_t i) {
  size_t after = 1;
  for (size_t d = dimension + 1; d < weights.dims.size(); ++d) {
    after *= static_cast<size_t>(weights.dims[d]);
  }
  return i / after % static_cast<size_t>(weights.dims[dimension]);
}

bool SumsFit(const Tensor& weights, const std::vector<int64_t>& bias,
             int dimension) {
  std::vector<int64_t> most(weights.dims[dimension], 0);
  const std::vector<int64_t> codes = CodesOf(weights);
  for (size_t i = 0; i < codes.size(); ++i) {
    most[ChannelOf(weights, dimension, i)] += std::abs(codes[i]) * kMostCode;
  }
  for (size_t c = 0; c < most.size(); ++c) {
    if (!bias.empty()) {
      if (bias[c] <= -kMostSum || bias[c] >= kMostSum) return false;
      most[c] += std::abs(bias[c]);
    }
    if (most[c] >= kMostSum) return false;
  }
  return true;
}

// The float32 constant of `values` whose dims are [count].
TensorId AddFloats(const std::string& name, const std::vector<float>& values,
                   Graph* graph) {
  Tensor tensor;
  tensor.name = name;
  tensor.dims = {static_cast<int>(values.size())};
  tensor.shape = Shape::FromDims(tensor.dims);
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  tensor.constant = ConstantData::Own(std::move(bytes));
  return graph->AddTensor(std::move(tensor));
}

// A row for each of the output's channels.
std::vector<std::array<int32_t, 2>> Multipliers(const Tensor& data,
                                                const Tensor& weights,
                                                const Tensor& out,
                                                bool fully_connected,
                                                quant::CpuKernels cpu) {
  // FULLY_CONNECTED keeps all bits in newer runtimes.
  const bool older = cpu == quant::CpuKernels::kTflite ||
                     cpu == quant::CpuKernels::kTfliteWheel;
  const auto& scales = weights.quantization.scale;
  std::vector<std::array<int32_t, 2>> rows;
  for (int c = 0; c < out.shape.c; ++c) {
    const double real = quant::ConvolutionScale(
        data.quantization.scale[0], scales[scales.size() > 1 ? c : 0],
        out.quantization.scale[0],
        /*by_channel=*/true);
    const quant::WideMultiplier m = fully_connected && !older
                                        ? quant::WideMultiplierOf(real)
                                        : quant::SixteenBitMultiplierOf(real);
    rows.push_back({m.value, m.right});
  }
  return rows;
}

// The same product of one half of the codes, with one half of the bias.
Node HalfProduct(const Node& node, const Parts& parts, TensorId half,
                 const std::vector<float>& bias, TensorId sums, Graph* graph) {
  Node product = node;
  product.inputs[parts.data_input] = half;
  product.inputs[parts.weights_input] =
      AsCodes(graph, node.inputs[parts.weights_input]);
  if (!bias.empty()) {
    product.inputs[parts.bias_input] = AddFloats(
        absl::StrCat("bias of ", graph->tensor(sums).name), bias, graph);
  }
  product.outputs = {sums};
  product.post_ops.clear();
  product.on_codes = true;
  return product;
}

}  // namespace

std::vector<Node> WideProduct(const Node& node, const KernelContext& c) {
  Graph* const graph = c.graph;
  const std::optional<Parts> parts = PartsOf(node);
  // Halves of codes are too many for 16-bit floats.
  if (!parts || c.profile.options.half || !EndsInSimulator(node)) return {};
  const Tensor& out = graph->tensor(node.outputs[0]);
  const Tensor& data = graph->tensor(parts->data);
  const Tensor& weights = graph->tensor(node.inputs[parts->weights_input]);
  const Quantization& q = weights.quantization;
  const std::optional<PostOp> clamp = WideClamp(node.post_ops, out);
  if (!clamp || !IsSixteenBit(out) || !IsSixteenBit(data) ||
      !weights.is_constant() || weights.codes != DataType::kInt8 ||
      (q.per_channel() && q.dimension != parts->channels) ||
      std::any_of(q.zero_point.begin(), q.zero_point.end(),
                  [](int64_t zero) { return zero != 0; })) {
    return {};
  }
  std::vector<int64_t> bias;
  if (parts->bias_input < static_cast<int>(node.inputs.size()) &&
      node.inputs[parts->bias_input] != kNoTensor) {
    bias = CodesOf(graph->tensor(node.inputs[parts->bias_input]));
    if (bias.empty()) return {};
  }
  if (!SumsFit(weights, bias, parts->channels)) return {};
  const auto rows =
      Multipliers(data, weights, out, parts->fully_connected, c.cpu);
  for (const auto& [value, right] : rows) {
    if (right < 1 || right > 62) return {};
  }
  std::vector<float> high_bias, low_bias;
  for (int64_t b : bias) {
    const int64_t high = (b + 128) >> 8;
    high_bias.push_back(static_cast<float>(high));
    low_bias.push_back(static_cast<float>(b - high * 256));
  }
  const float scale = data.quantization.scale[0];
  const TensorId high = AddLike(data, "high codes", graph);
  const TensorId low = AddLike(data, "low codes", graph);
  const TensorId high_sums = AddLike(out, "high sums", graph);
  const TensorId low_sums = AddLike(out, "low sums", graph);
  PostOp join{"join_sums", {}};
  join.operand = low_sums;
  return {WideElementwise(node, parts->data, low,
                          {{"low_code", {scale, 0, 0, 0}}}, *graph),
          HalfProduct(node, *parts, low, low_bias, low_sums, graph),
          WideElementwise(node, parts->data, high,
                          {{"high_code", {scale, 0, 0, 0}}}, *graph),
          HalfProduct(node, *parts, high, high_bias, high_sums, graph),
          WideElementwise(node, high_sums, node.outputs[0],
                          {join,
                           WithTable("rescale_sum", rows, out.name, graph),
                           *clamp,
                           {"mul", {out.quantization.scale[0], 0, 0, 0}}},
                          *graph)};
}

}  // namespace gles_delegate::codes
