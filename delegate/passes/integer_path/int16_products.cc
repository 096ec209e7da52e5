// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED with 16-bit
// activations and 8-bit weights (16x8 models), in TFLite's integer arithmetic:
// sums of products of int16 values.
#include <algorithm>
#include <any>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/elementwise/int16_sums.h"
#include "delegate/ops/matmul/fully_connected.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/int16_helpers.h"
#include "delegate/passes/integer_path/kernel.h"

namespace gles_delegate::integer_path {
namespace {

// Sums below this are carried as the bits of a float (op_join_sums).
constexpr int64_t kMaxSum = 0x3f000000;
constexpr int64_t kMaxCode = 32768;
// Sums below this are exact in floats.
constexpr int64_t kMaxExact = 1 << 24;
// Sums times multipliers fit 64 bits.
constexpr double kMaxProduct = 4611686018427387904.0;

// The node's parts, if it is suitable.
struct Parts {
  TensorId data = kNoTensor;
  ConvInputs inputs;
  int channels = 0;  // the dimension of the weights that is the output's
  Convolution::Kind kind = Convolution::Kind::kRows;
};

std::optional<Parts> PartsOf(const Node& node, const Graph& graph) {
  const auto conv = Convolution::Of(graph, node);
  if (!conv) return std::nullopt;
  return Parts{conv->src, conv->inputs,
               conv->kind == Convolution::Kind::kDepthwise ? 3 : 0, conv->kind};
}

// The quantized values of a constant of whole numbers that floats hold; empty
// where it is none. A float view's values divided by its scales.
std::vector<int64_t> QuantizedOf(const Tensor& tensor) {
  const absl::Span<const uint8_t> bytes = tensor.constant.bytes();
  std::vector<int64_t> quantized;
  const auto read = [&](auto zero) {
    using Code = decltype(zero);
    quantized.resize(bytes.size() / sizeof(Code));
    for (size_t i = 0; i < quantized.size(); ++i) {
      Code code;
      std::memcpy(&code, bytes.data() + i * sizeof(Code), sizeof(Code));
      quantized[i] = code;
    }
  };
  if (tensor.quantized == DataType::kInt8) read(int8_t{});
  if (tensor.quantized == DataType::kInt32) read(int32_t{});
  if (tensor.quantized == DataType::kInt64) read(int64_t{});
  return quantized;
}

// The output's channel of element `i` of the weights.
size_t ChannelOf(const Tensor& weights, int dimension, size_t i) {
  size_t after = 1;
  for (size_t d = dimension + 1; d < weights.dims.size(); ++d) {
    after *= static_cast<size_t>(weights.dims[d]);
  }
  return i / after % static_cast<size_t>(weights.dims[dimension]);
}

// The sum of the weights' magnitudes, of each channel.
std::vector<int64_t> Magnitudes(const Tensor& weights, int dimension) {
  std::vector<int64_t> magnitudes(weights.dims[dimension], 0);
  const std::vector<int64_t> quantized = QuantizedOf(weights);
  for (size_t i = 0; i < quantized.size(); ++i) {
    magnitudes[ChannelOf(weights, dimension, i)] += std::abs(quantized[i]);
  }
  return magnitudes;
}

// The largest magnitude that a sum may have.
int64_t MaxOf(const std::vector<int64_t>& magnitudes,
              const std::vector<int64_t>& bias) {
  int64_t max = 0;
  for (size_t c = 0; c < magnitudes.size(); ++c) {
    const int64_t added = bias.empty() ? 0 : std::abs(bias[c]);
    max = std::max(max, magnitudes[c] * kMaxCode + added);
  }
  return max;
}

// The float32 constant of `values` whose dims are [count].
TensorId AddFloatVector(const std::string& name,
                        const std::vector<float>& values, Graph* graph) {
  Tensor tensor;
  tensor.name = name;
  tensor.dims = {static_cast<int>(values.size())};
  tensor.shape = Shape::FromDims(tensor.dims);
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  tensor.constant = ConstantData::Own(std::move(bytes));
  return graph->AddTensor(std::move(tensor));
}

// How sums become quantized values: by the kind of product, and by the bias.
struct SumRounding {
  bool keeps_31_bits = false;
  bool in_float32 = false;  // the product of the scales
  // quant::Multiply(): `right` of its multipliers is a shift to the left, and
  // kTiesUp more where ties go up.
  bool twice = false;
  bool twice_up = true;  // else by Rounding::kTwiceUpInVectors, or away
};
bool NamesSumsOf64Bits(const Node& node) {
  const auto* a = std::any_cast<FullyConnectedAttributes>(&node.attributes);
  return a != nullptr && a->sums_in_64_bits;
}

// `bias`: its type; kOther: none. `names_64_bits`: the node's type of a missing
// bias.
SumRounding RoundingOf(Convolution::Kind kind, DataType bias,
                       bool names_64_bits, const quant::KernelTraits& traits) {
  const bool rows = kind == Convolution::Kind::kRows;
  if (rows && bias == DataType::kOther && !names_64_bits) {
    return {true, true, traits.int16_rows_without_bias_round_twice};
  }
  // Which newer runtimes alone take: sums of 32 bits.
  if (bias == DataType::kInt32 && kind != Convolution::Kind::kDepthwise) {
    return {true, rows, true, kind != Convolution::Kind::kTransposed};
  }
  return {rows && traits.int16_rows_keep_31_bits, false, false};
}

// One for each of the output's channels.
std::vector<quant::Int16Multiplier> Multipliers(const Tensor& data,
                                                const Tensor& weights,
                                                const Tensor& out,
                                                const SumRounding& rounding,
                                                bool in_vectors) {
  const auto& scales = weights.quantization.scale;
  std::vector<quant::Int16Multiplier> multipliers;
  for (int c = 0; c < out.shape.c; ++c) {
    const double real = quant::ConvolutionScale(
        data.quantization.scale[0], scales[scales.size() > 1 ? c : 0],
        out.quantization.scale[0], !rounding.in_float32);
    if (rounding.twice) {
      const quant::Multiplier m = quant::MultiplierOf(real);
      const int ties = rounding.twice_up ? kTiesUp
                       : in_vectors      ? TiesInVectors(c, out.shape.c)
                                         : 0;
      multipliers.push_back({m.value, m.shift + ties});
    } else {
      multipliers.push_back(rounding.keeps_31_bits
                                ? quant::Int16MultiplierOf31Bits(real)
                                : quant::Int16MultiplierOf(real));
    }
  }
  return multipliers;
}

// The same product of one part of the quantized values, with one part of the
// bias.
Node PartProduct(const Node& node, const Parts& parts, TensorId part,
                 const std::vector<float>& bias, TensorId sums, Graph* graph) {
  Node product = node;
  product.inputs[parts.inputs.data] = part;
  product.inputs[parts.inputs.weights] =
      AsQuantized(graph, node.inputs[parts.inputs.weights]);
  if (!bias.empty()) {
    product.inputs[parts.inputs.bias] = AddFloatVector(
        absl::StrCat("bias of ", graph->tensor(sums).name), bias, graph);
  } else if (parts.inputs.bias < static_cast<int>(node.inputs.size())) {
    product.inputs.resize(parts.inputs.bias);
  }
  product.outputs = {sums};
  product.post_ops.clear();
  product.integer_path = true;
  return product;
}

// The properties of a suitable node.
struct ProductInQuantized {
  Parts parts;
  PostOp clamp;
  std::vector<int64_t> bias;  // empty: none
  std::vector<quant::Int16Multiplier> multipliers;
  SumRounding rounding;
};

// Two halves, the bias in both, whose sums are joined by post-ops.
std::vector<Node> InHalves(const Node& node, const ProductInQuantized& p,
                           Graph* graph) {
  const Tensor& data = graph->tensor(p.parts.data);
  const Tensor& out = graph->tensor(node.outputs[0]);
  std::vector<std::array<int32_t, 2>> rows;
  for (const auto& m : p.multipliers) rows.push_back({m.value, m.right});
  std::vector<float> high_bias, low_bias;
  for (int64_t b : p.bias) {
    const int64_t high = (b + 128) >> 8;
    high_bias.push_back(static_cast<float>(high));
    low_bias.push_back(static_cast<float>(b - high * 256));
  }
  const float scale = data.quantization.scale[0];
  const TensorId high = AddLike(data, "high quantized values", graph);
  const TensorId low = AddLike(data, "low quantized values", graph);
  const TensorId high_sums = AddLike(out, "high sums", graph);
  const TensorId low_sums = AddLike(out, "low sums", graph);
  PostOp join{"join_sums", {}};
  join.operand = low_sums;
  return {Int16Elementwise(node, p.parts.data, low, {CodePart(scale, 8, 0)},
                           *graph),
          PartProduct(node, p.parts, low, low_bias, low_sums, graph),
          Int16Elementwise(node, p.parts.data, high, {CodePart(scale, 8, 1)},
                           *graph),
          PartProduct(node, p.parts, high, high_bias, high_sums, graph),
          Int16Elementwise(
              node, high_sums, node.outputs[0],
              {join,
               WithTable(p.rounding.twice ? "rescale_sum_twice" : "rescale_sum",
                         rows, out.name, graph),
               p.clamp,
               {"mul", {out.quantization.scale[0], 0, 0, 0}}},
              *graph)};
}

// Parts of `bits` bits, whose sums are joined in 64 bits by its own op.
std::vector<Node> InParts(const Node& node, const ProductInQuantized& p,
                          int bits, Graph* graph) {
  const Tensor& data = graph->tensor(p.parts.data);
  const Tensor& out = graph->tensor(node.outputs[0]);
  std::vector<Int16SumRow> rows;
  for (size_t c = 0; c < p.multipliers.size(); ++c) {
    rows.push_back({p.multipliers[c], p.bias.empty() ? 0 : p.bias[c]});
  }
  std::vector<Node> nodes;
  std::vector<TensorId> sums;
  std::vector<int> shifts;
  for (int i = 0; i * bits < 16; ++i) {
    const TensorId part =
        AddLike(data, "a part of the quantized values", graph);
    sums.push_back(AddLike(out, "a part of the sums", graph));
    shifts.push_back(i * bits);
    nodes.push_back(Int16Elementwise(
        node, p.parts.data, part,
        {CodePart(data.quantization.scale[0], bits, i)}, *graph));
    nodes.push_back(PartProduct(node, p.parts, part, {}, sums.back(), graph));
  }
  Node join =
      Int16Sums(node, sums, shifts, AddInt16SumRows(rows, out.name, graph),
                node.outputs[0]);
  join.post_ops = {p.clamp, {"mul", {out.quantization.scale[0], 0, 0, 0}}};
  nodes.push_back(std::move(join));
  return nodes;
}

}  // namespace

// The nodes that replace `node` of the float view: products of parts of the
// input's values, whose sums floats hold exactly, and a rescaled sum of these,
// as in TFLite's kernel. Post-ops join two halves of 8 bits if the bound of a
// sum (2^15 times the weights' magnitudes, plus the bias) is below 0x3f000000.
// Larger sums are joined by another op (ops/elementwise/int16_sums.h), from
// four parts of 4 bits if a channel's magnitudes are 2^17 or more, and from
// eight of 2 bits from 2^21 on. Tensors hold real values. Empty: another kind
// of node, or magnitudes of 2^23 or more (66,000 weights of 127).
std::vector<Node> Int16Product(const Node& node, const KernelContext& c) {
  Graph* const graph = c.graph;
  const std::optional<Parts> parts = PartsOf(node, *graph);
  if (!parts) return {};
  const Tensor& out = graph->tensor(node.outputs[0]);
  const Tensor& data = graph->tensor(parts->data);
  const Tensor& weights = graph->tensor(node.inputs[parts->inputs.weights]);
  const Quantization& q = weights.quantization;
  const std::optional<PostOp> clamp = Int16Clamp(node.post_ops, out);
  if (!clamp || !IsInt16(out) || !IsInt16(data) || !weights.is_constant() ||
      weights.quantized != DataType::kInt8 ||
      (q.per_channel() && q.dimension != parts->channels) ||
      std::any_of(q.zero_point.begin(), q.zero_point.end(),
                  [](int64_t zero) { return zero != 0; })) {
    return {};
  }
  ProductInQuantized product = {*parts, *clamp, {}, {}, {}};
  if (parts->inputs.bias < static_cast<int>(node.inputs.size()) &&
      node.inputs[parts->inputs.bias] != kNoTensor) {
    product.bias = QuantizedOf(graph->tensor(node.inputs[parts->inputs.bias]));
    if (product.bias.empty()) return {};
  }
  product.rounding =
      RoundingOf(parts->kind,
                 product.bias.empty()
                     ? DataType::kOther
                     : graph->tensor(node.inputs[parts->inputs.bias]).quantized,
                 NamesSumsOf64Bits(node), c.traits);
  const bool in_vectors = c.traits.scales_in_vectors;
  product.multipliers =
      Multipliers(data, weights, out, product.rounding, in_vectors);
  const std::vector<int64_t> magnitudes = Magnitudes(weights, parts->channels);
  const int64_t max = MaxOf(magnitudes, product.bias);
  if (product.rounding.twice) {
    // Sums in 32 bits, scaled down.
    const bool fit =
        max < kMaxSum &&
        std::all_of(product.multipliers.begin(), product.multipliers.end(),
                    [](const auto& m) {
                      return m.right <= 0 ||
                             (m.right > kTiesUp / 2 && m.right <= kTiesUp);
                    });
    if (fit) return InHalves(node, product, graph);
    // One rounding differs from two by one code, near ties.
    product.rounding.twice = false;
    product.multipliers =
        Multipliers(data, weights, out, product.rounding, in_vectors);
  }
  for (const quant::Int16Multiplier& m : product.multipliers) {
    if (m.right < 1 || m.right > 62 ||
        static_cast<double>(max) * m.value >= kMaxProduct) {
      return {};
    }
  }
  if (max < kMaxSum) return InHalves(node, product, graph);
  const int64_t largest =
      *std::max_element(magnitudes.begin(), magnitudes.end());
  for (int bits : {8, 4, 2}) {
    if (largest << (bits - 1) < kMaxExact) {
      return InParts(node, product, bits, graph);
    }
  }
  return {};
}

}  // namespace gles_delegate::integer_path
