#include "quant/code_means.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "quant/fixed_point.h"

namespace gles_delegate::quant {
namespace {

bool SameQuantization(const CodeQuantization& a, const CodeQuantization& b) {
  return a.scale == b.scale && a.zero_point == b.zero_point;
}

// int8 over a plane: the sum is rescaled, then divided.
int32_t SignedPlaneMean(int64_t sum, const MeanOfCodes& m) {
  const Multiplier multiplier =
      MultiplierOf(static_cast<double>(m.in.scale) / m.out.scale);
  const auto centered =
      static_cast<int32_t>(sum - int64_t{m.count} * m.in.zero_point);
  return DivideRounded(Multiply(centered, multiplier, Ties::kAwayFromZero),
                       m.count) +
         m.out.zero_point;
}

Multiplier UnsignedPlaneMultiplier(const MeanOfCodes& m) {
  const float count = static_cast<float>(m.count);
  return MultiplierOf(m.in.scale / (count * m.out.scale));
}

// uint8 over a plane: the sum, zero points and all, is multiplied once, and the
// zero point's share is rounded apart.
int32_t UnsignedPlaneMean(int64_t sum, const MeanOfCodes& m) {
  float zero = static_cast<float>(m.in.zero_point) * m.in.scale / m.out.scale;
  zero = zero > 0 ? zero + 0.5f : zero - 0.5f;
  const int32_t bias = m.out.zero_point - static_cast<int32_t>(zero);
  return Multiply(static_cast<int32_t>(sum), UnsignedPlaneMultiplier(m),
                  Ties::kAwayFromZero) +
         bias;
}

// Any other mean between two quantizations.
int32_t FloatMean(int64_t sum, const MeanOfCodes& m) {
  const float scale = m.in.scale / m.out.scale;
  const float bias = static_cast<float>(-m.in.zero_point) * scale;
  const float mean = static_cast<float>(sum) / static_cast<float>(m.count);
  const float code =
      std::round(mean * scale + bias) + static_cast<float>(m.out.zero_point);
  return static_cast<int32_t>(std::clamp(code, -1024.0f, 1024.0f));
}

}  // namespace

bool MeanOfCodes::FitsSums() const {
  const double most = 255.0 * count;
  if (most > std::numeric_limits<int32_t>::max()) return false;
  if (!over_plane) return true;
  const Multiplier multiplier =
      is_unsigned ? UnsignedPlaneMultiplier(*this)
                  : MultiplierOf(static_cast<double>(in.scale) / out.scale);
  return most * std::ldexp(1.0, multiplier.shift) <
         std::numeric_limits<int32_t>::max();
}

int32_t MeanOfCodes::Code(int64_t sum) const {
  int32_t code;
  if (over_plane) {
    code = is_unsigned ? UnsignedPlaneMean(sum, *this)
                       : SignedPlaneMean(sum, *this);
  } else if (SameQuantization(in, out)) {
    code = static_cast<int32_t>(sum / count);  // towards zero
  } else {
    code = FloatMean(sum, *this);
  }
  const CodeRange range = RangeOf(1, is_unsigned);
  return std::clamp(code, range.low, range.high);
}

std::vector<int32_t> StepsOf(const MeanOfCodes& mean) {
  const CodeRange range = RangeOf(1, mean.is_unsigned);
  const int64_t zeros = int64_t{mean.count} * mean.in.zero_point;
  const int64_t least = int64_t{mean.count} * range.low;
  const int64_t most = int64_t{mean.count} * range.high;
  std::vector<int32_t> steps;
  int64_t low = least;
  for (int32_t code = range.low + 1; code <= range.high; ++code) {
    int64_t high = most + 1;  // the step is in [low, high]
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (mean.Code(middle) >= code) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    steps.push_back(low > most ? std::numeric_limits<int32_t>::max()
                               : static_cast<int32_t>(low - zeros));
  }
  return steps;
}

SumOfCodes SumOf(const CodeQuantization& in, const CodeQuantization& out,
                 int32_t count) {
  SumOfCodes sum;
  if (SameQuantization(in, out)) return sum;
  sum.rescales = true;
  sum.scale = in.scale / out.scale;
  sum.bias = static_cast<float>(-in.zero_point) * sum.scale *
             static_cast<float>(count);
  sum.zero_point = out.zero_point;
  return sum;
}

}  // namespace gles_delegate::quant
