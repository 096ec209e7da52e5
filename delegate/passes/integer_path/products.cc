// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV, FULLY_CONNECTED, BATCH_MATMUL:
// sums of products of quantized values.
//
// Floats hold the sums of 8-bit values. Of 16-bit activations and 8-bit weights
// (16x8 models), the nodes multiply parts of the values, whose sums floats hold
// exactly, and rescale a sum of these, as in TFLite's kernel. Post-ops join two
// halves of 8 bits if the bound of a sum (2^15 times the weights' magnitudes,
// plus the bias) is below 0x3f000000. Larger sums are joined by another op
// (ops/elementwise/elementwise.h), from four parts of 4 bits if a channel's
// magnitudes are 2^17 or more, and from eight of 2 bits from 2^21 on. From 2^23
// on (66,000 weights of 127) the node keeps its float view.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/algorithm/container.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/passes/integer_path/recipe.h"

namespace gles_delegate::integer_path {
namespace {

using Kind = Convolution::Kind;

// What all of these read, and how they end.
struct Product {
  const Convolution& conv;
  const PostOp& clamp;
  const Tensor& data;
  const Tensor& weights;
  const Tensor* bias;  // nullptr: none

  bool has_rows() const { return conv.kind == Kind::kRows; }
  // The dimension of the weights that is the output's.
  int channels() const { return conv.kind == Kind::kDepthwise ? 3 : 0; }
};

// --- 8 bits ------------------------------------------------------------------

bool SuitWeights(const Product& p) {
  const Quantization& q = p.weights.quantization;
  const bool are_quantized =
      p.weights.is_constant() || p.weights.holds_quantized;
  if (!are_quantized || p.weights.quantized != p.data.quantized) return false;
  const bool is_uint8 = p.weights.quantized == DataType::kUint8;
  if (q.per_channel() && (is_uint8 || q.dimension != p.channels())) {
    return false;
  }
  // TFLite takes int8 weights of convolutions for symmetric, whatever they say.
  return is_uint8 || (p.has_rows() && !q.per_channel()) || !q.has_zero_point();
}

// Sums of 2^24 scaled by 2^6 fit 32 bits; beyond that TFLite's arithmetic
// overflows.
bool FitSums(const std::vector<quant::Multiplier>& multipliers) {
  return absl::c_all_of(
      multipliers, [](const quant::Multiplier& m) { return m.shift <= 6; });
}

quant::ProductOp OpOf(const Convolution& conv) {
  switch (conv.kind) {
    case Kind::kRows:
      return quant::ProductOp::kFullyConnected;
    case Kind::kDepthwise:
      return quant::ProductOp::kDepthwiseConv2d;
    case Kind::kTransposed:
      return quant::ProductOp::kTransposeConv;
    default:
      return conv.filter.groups > 1 ? quant::ProductOp::kGroupedConv2d
                                    : quant::ProductOp::kConv2d;
  }
}

// XNNPACK leaves to the built-in kernels: uint8 weights that name another
// dimension than the first, int8 weights with a zero point, weights that are
// computed, a bias without a scale, and a transposed convolution whose shape is
// computed.
bool IsLeftByXnnpack(const QuantizedNode& q, const Product& p) {
  const Quantization& weights = p.weights.quantization;
  return (p.conv.kind == Kind::kTransposed &&
          !q.in(0).constant.is_borrowed()) ||
         (q.is_uint8() ? weights.dimension != 0 : weights.has_zero_point()) ||
         !p.weights.is_constant() ||
         (p.bias != nullptr && p.bias->tflite_index < 0);  // read_node.cc's
}

// The rounding of the CPU's kernel.
quant::Rounding RoundingOf(const QuantizedNode& q, const Product& p) {
  if (q.is_int16()) {
    return q.c.traits.rows_to_16_bits_round_up
               ? quant::Rounding::kTwiceUp
               : quant::Rounding::kTwiceAwayFromZero;
  }
  const quant::ProductOp op = OpOf(p.conv);
  const quant::Rounding rounding =
      quant::RoundingOf(q.c.cpu, q.c.traits, op, q.is_uint8());
  return rounding == quant::Rounding::kOnceToEven && IsLeftByXnnpack(q, p)
             ? quant::RoundingOf(quant::CpuKernels::kLitert, q.c.traits, op,
                                 q.is_uint8())
             : rounding;
}

// Added to the shift of channel `c` of `channels` in a table of multipliers: 64
// if its ties go up.
constexpr int kTiesUp = 64;
int TiesInVectors(int c, int channels) {
  return c < channels - channels % quant::kChannelsOfVector ? kTiesUp : 0;
}

// Each channel with its own ties.
PostOp RequantizeInVectors(const QuantizedNode& q,
                           const std::vector<quant::Multiplier>& multipliers) {
  const int channels = q.out().shape.c;
  const int left_over = channels % quant::kChannelsOfVector;
  if (left_over == 0) return q.Requantize(multipliers, quant::Ties::kUp);
  if (left_over == channels) return q.Requantize(multipliers);
  std::vector<std::array<int32_t, 2>> rows;
  for (int c = 0; c < channels; ++c) {
    const quant::Multiplier& m = multipliers[multipliers.size() > 1 ? c : 0];
    rows.push_back({m.value, m.shift + TiesInVectors(c, channels)});
  }
  return q.WithTable("requantize_by_channel", rows);
}

// Also FULLY_CONNECTED from uint8 to int16.
Nodes OfEightBits(QuantizedNode& q, const Product& p) {
  const bool same = p.data.quantized == q.out().quantized;
  const bool to_int16 =
      q.is_int16() && p.has_rows() && p.data.quantized == DataType::kUint8;
  if (!p.data.holds_quantized || (!same && !to_int16) || !SuitWeights(p) ||
      (p.bias != nullptr &&
       (!p.bias->is_constant() || p.bias->quantized != DataType::kInt32))) {
    return {};
  }
  const float in = p.data.quantization.scale[0];
  std::vector<quant::Multiplier> multipliers;
  std::vector<float> scales;
  for (float scale : p.weights.quantization.scale) {
    multipliers.push_back(quant::MultiplierOf(quant::ConvolutionScale(
        in, scale, q.out_scale(),
        /*by_channel=*/!p.has_rows() && !q.is_uint8())));
    scales.push_back(quant::FloatScale(in, scale, q.out_scale()));
  }
  if (!FitSums(multipliers)) return {};
  const quant::Rounding rounding = RoundingOf(q, p);
  const PostOp scaling =
      rounding == quant::Rounding::kOnceToEven ? q.RequantizeAsFloat(scales)
      : rounding == quant::Rounding::kTwiceUpInVectors
          ? RequantizeInVectors(q, multipliers)
          : q.Requantize(multipliers, quant::TiesOf(rounding));
  Node product = q.node;
  TensorId& weights = product.inputs[p.conv.inputs.weights];
  weights = q.Read(weights);
  if (p.bias != nullptr) {
    product.inputs[p.conv.inputs.bias] = q.Read(p.conv.weights.bias);
  }
  return q.End(std::move(product), {scaling, p.clamp});
}

// --- 16 bits -----------------------------------------------------------------

// Sums below this are carried as the bits of a float (op_join_sums).
constexpr int64_t kMaxSum = 0x3f000000;
constexpr int64_t kMaxCode = 32768;
// Sums below this are exact in floats.
constexpr int64_t kMaxExact = 1 << 24;
// Sums times multipliers fit 64 bits.
constexpr double kMaxProduct = 4611686018427387904.0;

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
      quantized[i] = int64_t{code};
    }
  };
  if (tensor.quantized == DataType::kInt8) read(int8_t{});
  if (tensor.quantized == DataType::kInt32) read(int32_t{});
  if (tensor.quantized == DataType::kInt64) read(int64_t{});
  return quantized;
}

// The sum of the weights' magnitudes, of each channel.
std::vector<int64_t> Magnitudes(const Tensor& weights, int dimension) {
  const auto channels = static_cast<size_t>(weights.dims[dimension]);
  size_t after = 1;
  for (size_t d = dimension + 1; d < weights.dims.size(); ++d) {
    after *= static_cast<size_t>(weights.dims[d]);
  }
  std::vector<int64_t> magnitudes(channels, 0);
  const std::vector<int64_t> quantized = QuantizedOf(weights);
  for (size_t i = 0; i < quantized.size(); ++i) {
    magnitudes[i / after % channels] += std::abs(quantized[i]);
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

// How sums become quantized values: by the kind of product, and by the bias.
struct SumRounding {
  bool keeps_31_bits = false;
  bool in_float32 = false;  // the product of the scales
  // quant::Multiply(): `right` of its multipliers is a shift to the left, and
  // kTiesUp more where ties go up.
  bool twice = false;
  bool twice_up = true;  // else by Rounding::kTwiceUpInVectors, or away
};

SumRounding SumRoundingOf(const QuantizedNode& q, const Product& p) {
  const auto* a = q.node.As<FullyConnectedAttributes>();
  if (p.has_rows() && p.bias == nullptr &&
      (a == nullptr || !a->sums_in_64_bits)) {
    return {true, true, q.c.traits.int16_rows_without_bias_round_twice};
  }
  // Which newer runtimes alone take: sums of 32 bits.
  if (p.bias != nullptr && p.bias->quantized == DataType::kInt32 &&
      p.conv.kind != Kind::kDepthwise) {
    return {true, p.has_rows(), true, p.conv.kind != Kind::kTransposed};
  }
  return {p.has_rows() && q.c.traits.int16_rows_keep_31_bits, false, false};
}

// One for each of the output's channels.
std::vector<quant::Int16Multiplier> Multipliers(const QuantizedNode& q,
                                                const Product& p,
                                                const SumRounding& rounding) {
  const auto& scales = p.weights.quantization.scale;
  const int channels = q.out().shape.c;
  std::vector<quant::Int16Multiplier> multipliers;
  for (int c = 0; c < channels; ++c) {
    const double real = quant::ConvolutionScale(
        p.data.quantization.scale[0], scales[scales.size() > 1 ? c : 0],
        q.out_scale(), !rounding.in_float32);
    if (rounding.twice) {
      const quant::Multiplier m = quant::MultiplierOf(real);
      const int ties = rounding.twice_up ? kTiesUp
                       : q.c.traits.scales_in_vectors
                           ? TiesInVectors(c, channels)
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

// Adds the same product of part `index`, of `bits` bits, of the quantized
// values, least significant first: from -2^(bits - 1) to 2^(bits - 1), so that
// the sum of part << (bits * index) is the value. Returns its sums. `bias`: its
// part of the bias; empty: none.
TensorId AddPart(QuantizedNode& q, const Product& p, int bits, int index,
                 const std::vector<float>& bias) {
  const ConvInputs& inputs = p.conv.inputs;
  const float unit = std::ldexp(1.0f, -bits * index);
  const float next = bits * (index + 1) == 16 ? 0 : std::ldexp(unit, -bits);
  const TensorId part = q.AddLike(p.data, "a part of the quantized values");
  const TensorId sums = q.AddLike(q.out(), "a part of the sums");
  q.AddCopy(p.conv.src, part,
            {PostOpOf("code_part", p.data.quantization.scale[0], unit, next,
                      std::ldexp(1.0f, bits))});
  Node product = q.node;
  product.inputs[inputs.data] = part;
  product.inputs[inputs.weights] =
      AsQuantized(&q.graph, p.conv.weights.weights);
  if (!bias.empty()) {
    product.inputs[inputs.bias] = q.AddConstant("bias", bias);
  } else if (inputs.bias < static_cast<int>(product.inputs.size())) {
    product.inputs.resize(inputs.bias);
  }
  product.outputs = {sums};
  product.post_ops.clear();
  product.integer_path = true;
  q.before.push_back(std::move(product));
  return sums;
}

// Two halves, the bias in both, whose sums are joined by post-ops.
Nodes InHalves(QuantizedNode& q, const Product& p,
               const std::vector<int64_t>& bias,
               const std::vector<quant::Int16Multiplier>& multipliers,
               bool twice) {
  std::vector<std::array<int32_t, 2>> rows;
  rows.reserve(multipliers.size());
  for (const auto& m : multipliers) rows.push_back({m.value, m.right});
  std::vector<float> high_bias, low_bias;
  for (int64_t b : bias) {
    const int64_t high = (b + 128) >> 8;
    high_bias.push_back(static_cast<float>(high));
    low_bias.push_back(static_cast<float>(b - high * 256));
  }
  PostOp join{"join_sums"};
  join.operand = AddPart(q, p, 8, 0, low_bias);
  const TensorId high = AddPart(q, p, 8, 1, high_bias);
  q.AddCopy(high, q.node.outputs[0], {});
  Node last = std::move(q.before.back());
  q.before.pop_back();
  return q.End(
      std::move(last),
      {join, q.WithTable(twice ? "rescale_sum_twice" : "rescale_sum", rows),
       p.clamp});
}

// Parts of `bits` bits, whose sums are joined in 64 bits by its own op.
Nodes InParts(QuantizedNode& q, const Product& p,
              const std::vector<int64_t>& bias,
              const std::vector<quant::Int16Multiplier>& multipliers,
              int bits) {
  std::vector<TensorId> sums;
  std::vector<int> shifts;
  for (int i = 0; i * bits < 16; ++i) {
    sums.push_back(AddPart(q, p, bits, i, {}));
    shifts.push_back(i * bits);
  }
  const size_t channels = multipliers.size();
  std::vector<int32_t> rows(4 * channels);
  for (size_t c = 0; c < channels; ++c) {
    const auto added = static_cast<uint64_t>(bias.empty() ? 0 : bias[c]);
    rows[c] = multipliers[c].value;
    rows[channels + c] = multipliers[c].right;
    rows[2 * channels + c] = static_cast<int32_t>(added & 0xffffffffu);
    rows[3 * channels + c] = static_cast<int32_t>(added >> 32);
  }
  return q.End(Int16Sums(q.node, sums, shifts, q.AddTable("scaling", 4, rows),
                         q.node.outputs[0]),
               {p.clamp});
}

Nodes OfInt16(QuantizedNode& q, const Product& p) {
  const Quantization& of_weights = p.weights.quantization;
  if (!q.is_int16() || !p.weights.is_constant() ||
      p.weights.quantized != DataType::kInt8 ||
      (of_weights.per_channel() && of_weights.dimension != p.channels()) ||
      of_weights.has_zero_point()) {
    return {};
  }
  std::vector<int64_t> bias;
  if (p.bias != nullptr) {
    bias = QuantizedOf(*p.bias);
    if (bias.empty()) return {};
  }
  const std::vector<int64_t> magnitudes = Magnitudes(p.weights, p.channels());
  const int64_t max = MaxOf(magnitudes, bias);
  SumRounding rounding = SumRoundingOf(q, p);
  auto multipliers = Multipliers(q, p, rounding);
  if (rounding.twice) {
    // Sums in 32 bits, scaled down.
    const bool fit = absl::c_all_of(multipliers, [](const auto& m) {
      return m.right <= 0 || (m.right > kTiesUp / 2 && m.right <= kTiesUp);
    });
    if (max < kMaxSum && fit) return InHalves(q, p, bias, multipliers, true);
    // One rounding differs from two by one code, near ties.
    rounding.twice = false;
    multipliers = Multipliers(q, p, rounding);
  }
  for (const quant::Int16Multiplier& m : multipliers) {
    if (!m.IsShiftOf64() || static_cast<double>(max) * m.value >= kMaxProduct) {
      return {};
    }
  }
  if (max < kMaxSum) return InHalves(q, p, bias, multipliers, false);
  const int64_t largest = *absl::c_max_element(magnitudes);
  for (int bits : {8, 4, 2}) {
    if (largest << (bits - 1) < kMaxExact) {
      return InParts(q, p, bias, multipliers, bits);
    }
  }
  return {};
}

}  // namespace

Nodes Convolve(QuantizedNode& q) {
  const auto conv = Convolution::Of(q.graph, q.node);
  const std::optional<PostOp> clamp = q.Clamp();
  if (!conv || !clamp) return {};
  const Product p = {*conv, *clamp, q.graph.tensor(conv->src),
                     q.graph.tensor(conv->weights.weights),
                     conv->weights.Bias(q.graph)};
  return IsInt16(p.data) ? OfInt16(q, p) : OfEightBits(q, p);
}

Nodes BatchMatMul(QuantizedNode& q) {
  const std::optional<PostOp> clamp = q.Clamp();
  if (!clamp || q.is_uint8() || !q.HoldsOrIsConstant(q.node.inputs[0]) ||
      !q.HoldsOrIsConstant(q.node.inputs[1])) {
    return {};
  }
  const double scale = quant::ConvolutionScale(
      q.scale(0), q.scale(1), q.out_scale(), /*by_channel=*/false);
  if (q.is_int16()) {
    // TFLite's sums of more terms may pass the 2^47 that its scaling takes.
    constexpr int kMaxDepth = 1 << 17;
    const auto& a = q.node.Get<BatchMatMulAttributes>();
    const int depth = q.in(0).dims[q.in(0).dims.size() - (a.adj_x ? 2 : 1)];
    const quant::Int16Multiplier m = quant::Int16MultiplierOf(scale);
    if (depth > kMaxDepth || !m.IsShiftOf64()) return {};
    const TensorId x = q.Read(q.node.inputs[0]), y = q.Read(q.node.inputs[1]);
    return q.End(Int16BatchMatMulNode(q.node, x, y, m), {*clamp});
  }
  const quant::Multiplier m = quant::MultiplierOf(scale);
  if (!FitSums({m})) return {};
  const bool by_xnnpack = q.c.traits.batch_matmul_by_xnnpack &&
                          q.in(1).quantization.zero_point[0] == 0;
  const PostOp scaling =
      by_xnnpack ? q.RequantizeAsFloat({quant::FloatScale(
                       q.scale(0), q.scale(1), q.out_scale())})
                 : q.Requantize({m}, q.c.traits.batch_matmul_away_from_zero
                                         ? quant::Ties::kAwayFromZero
                                         : quant::Ties::kUp);
  Node product = q.node;
  for (TensorId& id : product.inputs) id = q.Read(id);
  return q.End(std::move(product), {scaling, *clamp});
}

}  // namespace gles_delegate::integer_path
