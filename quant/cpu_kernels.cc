#include "quant/cpu_kernels.h"

#include <algorithm>
#include <cmath>

namespace gles_delegate::quant {
namespace {

// The built-in kernels where ruy multiplies the matrices.
Rounding RoundingWithRuy(ProductOp op) {
  return op == ProductOp::kConv2d || op == ProductOp::kFullyConnected
             ? Rounding::kTwiceUp
             : Rounding::kTwiceAwayFromZero;
}

}  // namespace

Rounding RoundingOf(CpuKernels kernels, const KernelTraits& traits,
                    ProductOp op, bool is_uint8) {
  switch (kernels) {
    case CpuKernels::kTflite:
    case CpuKernels::kTflite214:
      return RoundingWithRuy(op);
    case CpuKernels::kTfliteWheel:
      return is_uint8 ? Rounding::kTwiceAwayFromZero : RoundingWithRuy(op);
    case CpuKernels::kTfliteArm:
    case CpuKernels::kLitert:
      if (traits.scales_in_vectors && op == ProductOp::kTransposeConv) {
        return is_uint8 ? Rounding::kTwiceUp : Rounding::kTwiceUpInVectors;
      }
      if (traits.scales_in_vectors && op == ProductOp::kDepthwiseConv2d &&
          !is_uint8) {
        return Rounding::kTwiceUpInVectors;
      }
      return RoundingWithRuy(op);
    case CpuKernels::kXnnpack:
      return Rounding::kOnceToEven;
    case CpuKernels::kReference:
      return Rounding::kTwiceAwayFromZero;
  }
  return Rounding::kTwiceUp;
}

KernelTraits TraitsOf(CpuKernels kernels) {
  KernelTraits traits;
  const bool newest =
      kernels == CpuKernels::kLitert || kernels == CpuKernels::kXnnpack;
  traits.batch_matmul_away_from_zero = newest;
  traits.batch_matmul_by_xnnpack = kernels == CpuKernels::kXnnpack;
  traits.quantize_multiplies = newest;
  traits.int16_rows_keep_31_bits = newest || kernels == CpuKernels::kReference;
  traits.int16_rows_without_bias_round_twice = newest;
  traits.int16_adds_round_once = newest;
  traits.int16_sums_saturate = newest;
  traits.rows_to_16_bits_round_up = kernels != CpuKernels::kReference;
  traits.scales_in_vectors = newest || kernels == CpuKernels::kTfliteArm;
  traits.last_class_first = !newest;
  if (newest) {
    traits.to_int8 = {true, 127};
    traits.to_uint8 = {true, 255};
    traits.to_int16 = {true, 32767};
  }
  return traits;
}

int32_t MultiplyAsFloat(int32_t sum, float scale) {
  const float product = static_cast<float>(sum) * scale;
  constexpr float kMax = 2147483520.0f;  // the largest float below 2^31
  if (!(product < kMax)) return static_cast<int32_t>(kMax);
  if (product < -kMax) return static_cast<int32_t>(-kMax);
  // By hand: std::nearbyint asks the thread's rounding mode.
  const float below = std::floor(product);
  const float rest = product - below;
  const auto low = static_cast<int32_t>(below);
  if (rest == 0.5f) return low + (low & 1);
  return rest > 0.5f ? low + 1 : low;
}

int32_t In256ths(float scale) { return MultiplyAsFloat(256, scale); }

std::optional<SignsIn256ths> FactorsIn256ths(float in_scale, float out_scale,
                                             float alpha) {
  const float positive = in_scale / out_scale;
  const float negative = positive * alpha;
  constexpr float kMin = 1.0f / 256, kMax = 128, kMaxBelow = 127.99609375f;
  if (!(positive >= kMin && positive <= kMax && std::abs(negative) >= kMin &&
        negative <= kMax && negative >= -kMaxBelow)) {
    return std::nullopt;
  }
  return SignsIn256ths{In256ths(positive), In256ths(negative)};
}

std::optional<FloatSum> FloatSumOf(float a_scale, float b_scale,
                                   float sum_scale, bool subtract) {
  const float a = a_scale / sum_scale;
  const float b = b_scale / sum_scale;
  constexpr float kMin = 1.0f / 1024, kTooLarge = 256;
  if (!(std::min(a, b) >= kMin && std::max(a, b) < kTooLarge)) {
    return std::nullopt;
  }
  constexpr int kMultiplierBits = 20;
  FloatSum sum;
  sum.shift = kMultiplierBits - std::ilogb(std::max(a, b));
  const auto multiplier = [&sum](float scale) {
    // Exact: one is a power of two.
    return MultiplyAsFloat(1 << sum.shift, scale);
  };
  sum.a = multiplier(a);
  sum.b = subtract ? -multiplier(b) : multiplier(b);
  return sum;
}

float FloatScale(float a, float b, float output) { return a * b / output; }

}  // namespace gles_delegate::quant
