#include "quant/affine.h"

#include <algorithm>
#include <cmath>

namespace gles_delegate::quant {

CodeRange RangeOf(int bytes, bool is_unsigned) {
  const int64_t span = int64_t{1} << (8 * bytes);
  const int64_t low = is_unsigned ? 0 : -span / 2;
  return {static_cast<int32_t>(low),
          static_cast<int32_t>(std::min<int64_t>(low + span - 1, INT32_MAX))};
}

int32_t Quantize(float value, float scale, int64_t zero_point, int32_t low,
                 int32_t high) {
  if (std::isnan(value)) return static_cast<int32_t>(zero_point);
  const double code =
      std::round(value / scale) + static_cast<double>(zero_point);
  return static_cast<int32_t>(
      std::clamp(code, static_cast<double>(low), static_cast<double>(high)));
}

}  // namespace gles_delegate::quant
