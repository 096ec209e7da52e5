#include "quant/cpu_kernels.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/numeric/bits.h"

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

// --- MEAN and SUM ------------------------------------------------------------

namespace {

using Way = MeanOfQuantized::Way;

int32_t WithoutZeros(int64_t sum, const MeanOfQuantized& m) {
  return static_cast<int32_t>(sum - int64_t{m.count} * m.in.zero_point);
}

// Of the ways that multiply in integers.
Multiplier ScalingOf(const MeanOfQuantized& m) {
  switch (m.way) {
    case Way::kZeroPointsApart:
      return MultiplierOf(m.in.scale /
                          (static_cast<float>(m.count) * m.out.scale));
    case Way::kByOneMultiplier:
      if (!m.is_sum) return MeanMultiplierOf(m.in.scale, m.out.scale, m.count);
      [[fallthrough]];
    case Way::kRescaledThenDivided:
      return MultiplierOf(static_cast<double>(m.in.scale) / m.out.scale);
    default:
      return {};
  }
}

// `value`, limited to a magnitude of `max`. NaN, such as 0 times an infinite
// ratio of scales, gives -max: its conversion in TFLite is undefined.
float Within(float max, float value) {
  return value > -max ? std::min(value, max) : -max;
}

int32_t ZeroPointsApart(int64_t sum, const MeanOfQuantized& m) {
  constexpr int64_t kFar = 1 << 30;  // past the quantized values of any type
  float zero = static_cast<float>(m.in.zero_point) * m.in.scale / m.out.scale;
  zero = Within(static_cast<float>(kFar), zero > 0 ? zero + 0.5f : zero - 0.5f);
  const int64_t bias = m.out.zero_point - static_cast<int64_t>(zero);
  const int64_t code =
      Multiply(static_cast<int32_t>(sum), ScalingOf(m), m.ties) + bias;
  return static_cast<int32_t>(std::clamp(code, -kFar, kFar));
}

int32_t Limited(float code) {
  return static_cast<int32_t>(Within(1024.0f, code));
}

int32_t InFloats(int64_t sum, const MeanOfQuantized& m) {
  const float scale = m.in.scale / m.out.scale;
  const float count = static_cast<float>(m.count);
  float bias = static_cast<float>(-m.in.zero_point) * scale;
  float value = static_cast<float>(sum);
  if (m.is_sum) {
    bias *= count;
  } else {
    value /= count;
  }
  const float code =
      m.fused ? std::fma(value, scale, bias) : value * scale + bias;
  return Limited(std::round(code) + static_cast<float>(m.out.zero_point));
}

int32_t InFloatsToEven(int64_t sum, const MeanOfQuantized& m) {
  float scale = m.in.scale / m.out.scale;
  if (!m.is_sum) scale *= 1.0f / static_cast<float>(m.count);
  const auto zeros =
      static_cast<float>(int64_t{m.count} * int64_t{m.in.zero_point});
  const float product_of_zeros = zeros * scale;
  const float bias = static_cast<float>(m.out.zero_point) - product_of_zeros;
  const float product = static_cast<float>(sum) * scale;
  const float code = Within(1024.0f, product + bias);
  return MultiplyAsFloat(1, code);  // rounds to even
}

// Before it is limited to the type's range.
int32_t CodeOf(int64_t sum, const MeanOfQuantized& m) {
  switch (m.way) {
    case Way::kTruncated:
      return static_cast<int32_t>(sum / m.count);
    case Way::kRescaledThenDivided:
      return DivideRounded(Multiply(WithoutZeros(sum, m), ScalingOf(m), m.ties),
                           m.count) +
             m.out.zero_point;
    case Way::kZeroPointsApart:
      return ZeroPointsApart(sum, m);
    case Way::kByOneMultiplier:
      return Multiply(WithoutZeros(sum, m), ScalingOf(m), m.ties) +
             m.out.zero_point;
    case Way::kFloat:
      return InFloats(sum, m);
    case Way::kFloatToEven:
      return InFloatsToEven(sum, m);
  }
  return 0;
}

// The ways of a runtime's kernels.
struct KernelWays {
  CpuKernels cpu;
  Way plane, unsigned_plane;  // MEAN over the plane
  Way equal, other;  // other MEANs: of two equal quantizations, or of others
  std::optional<Way> sum;
  Ties ties = Ties::kAwayFromZero;  // of `plane`
  bool by_any_name = false;         // the plane may have any name
  bool fused = false;
};
constexpr Way kApart = Way::kZeroPointsApart, kToEven = Way::kFloatToEven,
              kByOne = Way::kByOneMultiplier;
constexpr KernelWays kKernelWays[] = {
    {CpuKernels::kTflite, Way::kRescaledThenDivided, kApart, Way::kTruncated,
     Way::kFloat, std::nullopt},
    {CpuKernels::kTfliteArm, kApart, kApart, Way::kTruncated, Way::kFloat,
     std::nullopt, Ties::kUp, /*by_any_name=*/false, /*fused=*/true},
    {CpuKernels::kTflite214, kApart, kApart, kByOne, kByOne, Way::kFloat},
    {CpuKernels::kTfliteWheel, kApart, kApart, kByOne, kByOne, Way::kFloat},
    {CpuKernels::kLitert, kApart, kApart, kByOne, kByOne, Way::kFloat,
     Ties::kUp, /*by_any_name=*/true},
    {CpuKernels::kXnnpack, kToEven, kToEven, kToEven, kToEven, kToEven},
    {CpuKernels::kReference, kByOne, kByOne, kByOne, kByOne, kByOne},
};
static_assert(std::size(kKernelWays) ==
              static_cast<size_t>(CpuKernels::kReference) + 1);

const KernelWays& WaysOf(CpuKernels cpu) {
  return *absl::c_find_if(
      kKernelWays, [cpu](const KernelWays& ways) { return ways.cpu == cpu; });
}

}  // namespace

// TFLite divides the multiplier's bits by the count, and gives it before as
// many more bits as the count has.
Multiplier MeanMultiplierOf(float in_scale, float out_scale, int32_t count) {
  Multiplier multiplier =
      MultiplierOf(static_cast<double>(in_scale) / out_scale);
  constexpr int kMinShift = -31;
  const int shift =
      std::min(31 - absl::countl_zero(static_cast<uint32_t>(count)),
               multiplier.shift - kMinShift);
  multiplier.value =
      static_cast<int32_t>((int64_t{multiplier.value} << shift) / count);
  multiplier.shift -= shift;
  return multiplier;
}

bool MeanOfQuantized::FitsSums() const {
  return 255.0 * count * std::ldexp(1.0, std::max(0, ScalingOf(*this).shift)) <
         std::numeric_limits<int32_t>::max();
}

int32_t MeanOfQuantized::Code(int64_t sum) const {
  const CodeRange range = RangeOf(1, is_unsigned);
  return std::clamp(CodeOf(sum, *this), range.low, range.high);
}

MeanOfQuantized MeanOf(const Reducing& r, CpuKernels cpu) {
  const KernelWays& ways = WaysOf(cpu);
  const bool is_plane =
      ways.by_any_name ? r.over_plane_by_any_name : r.over_plane;
  MeanOfQuantized mean = {r};
  mean.way = !is_plane       ? (r.in == r.out ? ways.equal : ways.other)
             : r.is_unsigned ? ways.unsigned_plane
                             : ways.plane;
  if (is_plane && !r.is_unsigned) mean.ties = ways.ties;
  mean.fused = ways.fused;
  return mean;
}

std::optional<MeanOfQuantized> MeanOfLastChannels(const Reducing& r,
                                                  CpuKernels cpu) {
  MeanOfQuantized mean = MeanOf(r, cpu);
  if (mean.ties == Ties::kAwayFromZero) return std::nullopt;
  mean.ties = Ties::kAwayFromZero;
  return mean;
}

std::vector<int32_t> StepsOf(const MeanOfQuantized& mean) {
  const CodeRange range = RangeOf(1, mean.is_unsigned);
  const int64_t zeros = int64_t{mean.count} * mean.in.zero_point;
  const int64_t min = int64_t{mean.count} * range.low;
  const int64_t max = int64_t{mean.count} * range.high;
  std::vector<int32_t> steps;
  int64_t low = min;
  for (int32_t code = range.low + 1; code <= range.high; ++code) {
    int64_t high = max + 1;  // the step is in [low, high]
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (mean.Code(middle) >= code) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    steps.push_back(low > max ? std::numeric_limits<int32_t>::max()
                              : static_cast<int32_t>(low - zeros));
  }
  return steps;
}

std::optional<MeanOfQuantized> SumOf(const Reducing& r, CpuKernels cpu) {
  const std::optional<Way> way = WaysOf(cpu).sum;
  if (!way) return std::nullopt;
  MeanOfQuantized sum = {r};
  sum.way = *way;
  sum.is_sum = true;
  return sum;
}

}  // namespace gles_delegate::quant
