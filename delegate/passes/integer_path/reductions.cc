// Functions of several positions or of all channels: pools, reductions,
// SOFTMAX, LOG_SOFTMAX, L2_NORMALIZATION, RESIZE_BILINEAR.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "delegate/ops/image/resize.h"
#include "delegate/ops/reduction/reduction.h"
#include "delegate/ops/reduction/rows.h"
#include "delegate/passes/integer_path/recipe.h"

namespace gles_delegate::integer_path {
namespace {

// Sums of fewer int16 values fit 32 bits.
constexpr int64_t kMaxSummed = 1 << 16;

// The node with other attributes, which reads quantized values.
template <typename Attributes>
Nodes With(QuantizedNode& q, Attributes attributes,
           std::vector<PostOp> post_ops = {}) {
  Node last = q.node;
  last.inputs[0] = q.Read(q.node.inputs[0]);
  last.attributes = std::move(attributes);
  return q.End(std::move(last), std::move(post_ops));
}

template <typename Attributes>
Nodes WithSums(QuantizedNode& q, CodeSums sums,
               std::vector<PostOp> post_ops = {}) {
  auto attributes = q.node.Get<Attributes>();
  attributes.quantized = std::make_shared<const CodeSums>(std::move(sums));
  return With(q, std::move(attributes), std::move(post_ops));
}

int ZeroPointOf(const Tensor& tensor) {
  return static_cast<int>(tensor.quantization.zero_point[0]);
}

CodeSums SumsOf(const QuantizedNode& q, CodeSums::Result result) {
  CodeSums sums;
  sums.result = result;
  sums.low = AffineQuantizedOf(q.out()).range.low;
  sums.zero_in = ZeroPointOf(q.in());
  sums.zero_out = ZeroPointOf(q.out());
  return sums;
}

// Number of inputs per output.
int64_t CountOf(const QuantizedNode& q) {
  return q.in().shape.elements() / q.out().shape.elements();
}

}  // namespace

// TFLite's kernels take the mean of the quantized values themselves, regardless
// of their quantization.
Nodes AveragePool(QuantizedNode& q) {
  // Sums of windows with this many elements fit 32 bits.
  constexpr int64_t kMaxSummedWindow = 1 << 22;
  // Windows have fewer elements than this. The distance from a tie to the
  // nearest other mean, half of 1 / elements, then exceeds kMeanSlack and the
  // error of divisions for means up to 255 (2^-13).
  constexpr int kMaxMeanWindow = 1024;
  constexpr float kMeanSlack = 1.0f / 4096;
  const auto& pool = q.node.Get<PoolAttributes>();
  const std::optional<PostOp> clamp = q.Clamp();
  const int64_t window = int64_t{pool.window_h} * pool.window_w;
  if (!clamp || !q.Holds() ||
      window > (q.is_int16() ? kMaxSummed - 1 : kMaxSummedWindow)) {
    return {};
  }
  if (!q.is_int16() && window < kMaxMeanWindow &&
      SameQuantized(q.in(), q.out())) {
    const auto zero = static_cast<float>(ZeroPointOf(q.out()));
    return q.End(q.node, {PostOpOf("round_mean", zero, kMeanSlack), *clamp});
  }
  return WithSums<PoolAttributes>(q, SumsOf(q, CodeSums::Result::kMean),
                                  {*clamp});
}

// --- Reductions --------------------------------------------------------------

namespace {

quant::Reducing ReducingOf(const QuantizedNode& q) {
  const auto& a = q.node.Get<ReduceAttributes>();
  quant::Reducing reducing;
  reducing.in = {q.scale(), ZeroPointOf(q.in())};
  reducing.out = {q.out_scale(), ZeroPointOf(q.out())};
  reducing.is_unsigned = q.is_uint8();
  reducing.over_plane = a.over_plane;
  reducing.over_plane_by_any_name = a.over_plane_by_any_name;
  reducing.count = static_cast<int32_t>(CountOf(q));
  return reducing;
}

// Sums of 8-bit values fit 32 bits, and those of int16 as well.
bool Reduces(const QuantizedNode& q) {
  constexpr int64_t kMaxOfEightBits = std::numeric_limits<int32_t>::max() / 256;
  return q.Clamp() && q.Holds() &&
         CountOf(q) <= (q.is_int16() ? kMaxSummed - 1 : kMaxOfEightBits);
}

Nodes MeanOfInt16(QuantizedNode& q) {
  const int64_t count = CountOf(q);
  CodeSums sums = SumsOf(q, CodeSums::Result::kRescaled);
  sums.count = static_cast<int>(count);
  if (q.c.cpu != quant::CpuKernels::kTflite &&
      q.c.cpu != quant::CpuKernels::kTfliteArm) {
    sums.multiplier =
        quant::MeanMultiplierOf(q.scale(), q.out_scale(), sums.count);
    sums.count = 1;  // of which the multiplier has it all
  } else if (q.node.Get<ReduceAttributes>().over_plane) {
    sums.multiplier =
        quant::MultiplierOf(static_cast<double>(q.scale()) / q.out_scale());
  } else if (q.scale() == q.out_scale()) {
    sums.result = CodeSums::Result::kTruncated;
  } else {
    sums.result = CodeSums::Result::kFloatMean;
    sums.scale = q.scale() / q.out_scale();
  }
  // A sum is below 2^31; TFLite loses bits that it shifts beyond 32.
  if (count << (15 + std::max(sums.multiplier.shift, 0)) > INT32_MAX) return {};
  return WithSums<ReduceAttributes>(q, std::move(sums), {*q.Clamp()});
}

Nodes WithSteps(QuantizedNode& q, const quant::MeanOfQuantized& mean,
                const std::optional<quant::MeanOfQuantized>& last = {}) {
  if (!mean.FitsSums()) return {};
  CodeSums sums = SumsOf(q, CodeSums::Result::kSteps);
  sums.steps = quant::StepsOf(mean);
  const int channels = q.out().shape.c;
  if (last && channels % quant::kMeanBlock != 0) {
    sums.last_steps = quant::StepsOf(*last);
    sums.last_channels = channels - channels % quant::kMeanBlock;
  }
  return WithSums<ReduceAttributes>(q, std::move(sums));
}

}  // namespace

Nodes Mean(QuantizedNode& q) {
  if (!Reduces(q)) return {};
  if (q.is_int16()) return MeanOfInt16(q);
  const quant::Reducing reducing = ReducingOf(q);
  return WithSteps(q, quant::MeanOf(reducing, q.c.cpu),
                   quant::MeanOfLastChannels(reducing, q.c.cpu));
}

Nodes SumOfAxes(QuantizedNode& q) {
  if (!Reduces(q)) return {};
  CodeSums sums = SumsOf(q, CodeSums::Result::kScaled);
  if (q.is_int16()) {
    sums.rescales = q.c.traits.int16_sums_saturate;
    sums.low_bits = sums.rescales ? -1 : 0xffff;
    if (sums.rescales) sums.scale = q.scale() / q.out_scale();
    // TFLite's kernel refuses two scales.
    if (!sums.rescales && q.scale() != q.out_scale()) return {};
    return WithSums<ReduceAttributes>(q, std::move(sums), {*q.Clamp()});
  }
  const quant::Reducing reducing = ReducingOf(q);
  if (const auto sum = quant::SumOf(reducing, q.c.cpu)) {
    return WithSteps(q, *sum);
  }
  // Before 2.13: round(sum * scale + bias) + zero point in float32, ties away
  // from zero, or the sum itself if both quantizations are equal. Only the low
  // eight bits are kept.
  sums.first = reducing.count * sums.zero_in;
  if (!SameQuantized(q.in(), q.out())) {
    sums.rescales = true;
    sums.scale = q.scale() / q.out_scale();
    sums.bias = static_cast<float>(-sums.zero_in) * sums.scale *
                static_cast<float>(reducing.count);
    sums.added_zero = sums.zero_out;
    sums.fused = q.c.cpu == quant::CpuKernels::kTfliteArm;
  }
  return WithSums<ReduceAttributes>(q, std::move(sums));
}

Nodes ProductOfAxes(QuantizedNode& q) {
  const std::optional<PostOp> clamp = q.Clamp();
  // TFLite has no uint8 kernel.
  if (!clamp || !q.Holds() || q.is_uint8()) return {};
  CodeSums product;
  product.result = CodeSums::Result::kProduct;
  product.step = quant::ProductStepOf(q.scale(), q.out_scale(),
                                      static_cast<int>(CountOf(q)));
  if (!product.step.IsShiftOf64()) return {};
  return WithSums<ReduceAttributes>(q, std::move(product), {*clamp});
}

Nodes Extreme(QuantizedNode& q) {
  if (q.is_int16() || !q.EndsAfter(0) || !q.Holds() ||
      !SameQuantized(q.in(), q.out())) {
    return {};
  }
  return q.End(q.node, {});
}

// --- All channels of a pixel -------------------------------------------------

namespace {

// The simulator is the node's only post-op, its source has 8-bit quantized
// values of the output's type, and the output has TFLite's required scale,
// within `part` of it, and zero point.
bool Suits(const QuantizedNode& q, float scale, float part, int signed_zero,
           int unsigned_zero) {
  return q.EndsAfter(0) && q.Holds() && !q.is_int16() &&
         std::abs(q.out_scale() - scale) <= part * scale &&
         ZeroPointOf(q.out()) == (q.is_uint8() ? unsigned_zero : signed_zero);
}

Nodes SoftmaxOfEightBits(QuantizedNode& q, SoftmaxAttributes a) {
  SoftmaxOfQuantized quantized;
  quantized.in_scale = q.scale();
  quantized.out_scale = q.out_scale();
  quantized.zero_in = ZeroPointOf(q.in());
  quantized.zero_out = ZeroPointOf(q.out());
  quantized.is_unsigned = q.is_uint8();
  // By the process's own expf, which the CPU's kernel calls too.
  const float step = -quantized.in_scale * a.beta;
  for (int d = 0; d < 256; ++d) {
    quantized.exps.push_back(std::exp(step * static_cast<float>(d)));
  }
  a.quantized =
      std::make_shared<const SoftmaxOfQuantized>(std::move(quantized));
  return With(q, std::move(a));
}

}  // namespace

Nodes Softmax(QuantizedNode& q) {
  auto a = q.node.Get<SoftmaxAttributes>();
  if (!q.is_int16()) {
    // A negative beta has exponentials past 1, whose sum may be infinite.
    return Suits(q, 1.0f / 256, 0.001f, -128, 0) && a.beta >= 0
               ? SoftmaxOfEightBits(q, a)
               : Nodes();
  }
  if (!q.EndsAfter(0) || !q.Holds() ||
      !quant::IsScaleOfFractions(q.out_scale()) ||
      q.out().shape.c >= kMaxSummed) {
    return {};
  }
  auto int16 = quant::SoftmaxOf(q.scale(), a.beta);
  if (!int16) return {};
  a.int16 = std::make_shared<const quant::SoftmaxOfInt16>(*int16);
  return With(q, std::move(a));
}

Nodes LogSoftmax(QuantizedNode& q) {
  if (!Suits(q, 16.0f / 256, 0, 127, 255)) return {};
  return SoftmaxOfEightBits(q, q.node.Get<SoftmaxAttributes>());
}

Nodes L2Normalization(QuantizedNode& q) {
  if (!Suits(q, 1.0f / 128, 0, 0, 128) ||
      int64_t{q.out().shape.c} * 255 * 255 > INT32_MAX) {
    return {};
  }
  return With(q,
              L2NormalizationOfQuantized{ZeroPointOf(q.out()), q.is_uint8()});
}

// --- RESIZE_BILINEAR ---------------------------------------------------------

// TFLite's kernels interpolate the quantized values themselves, regardless of
// their quantization.
Nodes ResizeBilinear(QuantizedNode& q) {
  if (!q.EndsAfter(0) || !q.Holds()) return {};
  return With(
      q, ResizeOfQuantized{q.node.Get<ResizeAttributes>(), ZeroPointOf(q.in()),
                           ZeroPointOf(q.out()), q.is_uint8(), q.is_int16(),
                           /*by_xnnpack=*/q.by_xnnpack() && !q.is_int16() &&
                               SameQuantized(q.in(), q.out())});
}

}  // namespace gles_delegate::integer_path
