#include "quant/code_means.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gles_delegate::quant {
namespace {

using Way = MeanOfQuantized::Way;

int32_t WithoutZeros(int64_t sum, const MeanOfQuantized& m) {
  return static_cast<int32_t>(sum - int64_t{m.count} * m.in.zero_point);
}

Multiplier RescalingOf(const MeanOfQuantized& m) {
  return MultiplierOf(static_cast<double>(m.in.scale) / m.out.scale);
}

int32_t RescaledThenDivided(int64_t sum, const MeanOfQuantized& m) {
  return DivideRounded(Multiply(WithoutZeros(sum, m), RescalingOf(m), m.ties),
                       m.count) +
         m.out.zero_point;
}

Multiplier PlaneMultiplier(const MeanOfQuantized& m) {
  const float count = static_cast<float>(m.count);
  return MultiplierOf(m.in.scale / (count * m.out.scale));
}

// `value`, limited to a magnitude of `most`. NaN, such as 0 times an infinite
// ratio of scales, gives -most: its conversion in TFLite is undefined.
float Within(float max, float value) {
  return value > -max ? std::min(value, max) : -max;
}

int32_t ZeroPointsApart(int64_t sum, const MeanOfQuantized& m) {
  constexpr int64_t kFar = 1 << 30;  // past the quantized values of any type
  float zero = static_cast<float>(m.in.zero_point) * m.in.scale / m.out.scale;
  zero = Within(static_cast<float>(kFar), zero > 0 ? zero + 0.5f : zero - 0.5f);
  const int64_t bias = m.out.zero_point - static_cast<int64_t>(zero);
  const int64_t code =
      Multiply(static_cast<int32_t>(sum), PlaneMultiplier(m), m.ties) + bias;
  return static_cast<int32_t>(std::clamp(code, -kFar, kFar));
}

Multiplier OneMultiplierOf(const MeanOfQuantized& m) {
  return m.is_sum ? RescalingOf(m)
                  : MeanMultiplierOf(m.in.scale, m.out.scale, m.count);
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

MeanOfQuantized As(Way way, const ReducedQuantized& quantized,
                   bool is_sum = false) {
  MeanOfQuantized mean = {quantized};
  mean.way = way;
  mean.is_sum = is_sum;
  return mean;
}

}  // namespace

// TFLite divides the multiplier's bits by the count, and gives it before as
// many more bits as the count has.
Multiplier MeanMultiplierOf(float in_scale, float out_scale, int32_t count) {
  Multiplier multiplier =
      MultiplierOf(static_cast<double>(in_scale) / out_scale);
  int shift = 0;
  while (count >> (shift + 1) != 0) ++shift;
  constexpr int kMinShift = -31;
  shift = std::min(shift, multiplier.shift - kMinShift);
  multiplier.value =
      static_cast<int32_t>((int64_t{multiplier.value} << shift) / count);
  multiplier.shift -= shift;
  return multiplier;
}

bool MeanOfQuantized::FitsSums() const {
  const double max = 255.0 * count;
  if (max > std::numeric_limits<int32_t>::max()) return false;
  Multiplier multiplier;
  switch (way) {
    case Way::kTruncated:
    case Way::kFloat:
    case Way::kFloatToEven:
      return true;
    case Way::kRescaledThenDivided:
      multiplier = RescalingOf(*this);
      break;
    case Way::kZeroPointsApart:
      multiplier = PlaneMultiplier(*this);
      break;
    case Way::kByOneMultiplier:
      multiplier = OneMultiplierOf(*this);
      break;
  }
  return max * std::ldexp(1.0, multiplier.shift) <
         std::numeric_limits<int32_t>::max();
}

int32_t MeanOfQuantized::Code(int64_t sum) const {
  int32_t code = 0;
  switch (way) {
    case Way::kTruncated:
      code = static_cast<int32_t>(sum / count);
      break;
    case Way::kRescaledThenDivided:
      code = RescaledThenDivided(sum, *this);
      break;
    case Way::kZeroPointsApart:
      code = ZeroPointsApart(sum, *this);
      break;
    case Way::kByOneMultiplier:
      code = Multiply(WithoutZeros(sum, *this), OneMultiplierOf(*this), ties) +
             out.zero_point;
      break;
    case Way::kFloat:
      code = InFloats(sum, *this);
      break;
    case Way::kFloatToEven:
      code = InFloatsToEven(sum, *this);
      break;
  }
  const CodeRange range = RangeOf(1, is_unsigned);
  return std::clamp(code, range.low, range.high);
}

MeanOfQuantized MeanOf(const Reducing& r, CpuKernels cpu) {
  switch (cpu) {
    case CpuKernels::kTflite:
      if (r.over_plane) {
        return As(
            r.is_unsigned ? Way::kZeroPointsApart : Way::kRescaledThenDivided,
            r);
      }
      return As(r.in == r.out ? Way::kTruncated : Way::kFloat, r);
    case CpuKernels::kTfliteArm: {
      MeanOfQuantized mean = As(r.over_plane    ? Way::kZeroPointsApart
                                : r.in == r.out ? Way::kTruncated
                                                : Way::kFloat,
                                r);
      if (r.over_plane && !r.is_unsigned) mean.ties = Ties::kUp;
      mean.fused = true;
      return mean;
    }
    case CpuKernels::kTflite214:
    case CpuKernels::kTfliteWheel:
      return As(r.over_plane ? Way::kZeroPointsApart : Way::kByOneMultiplier,
                r);
    case CpuKernels::kLitert: {
      MeanOfQuantized mean =
          As(r.over_plane_by_any_name ? Way::kZeroPointsApart
                                      : Way::kByOneMultiplier,
             r);
      if (r.over_plane_by_any_name && !r.is_unsigned) mean.ties = Ties::kUp;
      return mean;
    }
    case CpuKernels::kXnnpack:
      return As(Way::kFloatToEven, r);
    case CpuKernels::kReference:
      return As(Way::kByOneMultiplier, r);
  }
  return As(Way::kFloatToEven, r);
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
  switch (cpu) {
    case CpuKernels::kTflite:
    case CpuKernels::kTfliteArm:
      return std::nullopt;
    case CpuKernels::kXnnpack:
      return As(Way::kFloatToEven, r, /*is_sum=*/true);
    case CpuKernels::kReference:
      return As(Way::kByOneMultiplier, r, /*is_sum=*/true);
    case CpuKernels::kTflite214:
    case CpuKernels::kTfliteWheel:
    case CpuKernels::kLitert:
      break;
  }
  return As(Way::kFloat, r, /*is_sum=*/true);
}

}  // namespace gles_delegate::quant
