#include "quant/affine.h"

#include <algorithm>
#include <cmath>

namespace gles_delegate::quant {

int32_t Quantize(float value, float scale, int64_t zero_point, int32_t low,
                 int32_t high) {
  // NaN has no code; TFLite's cast of it is undefined. Zero is the safe choice.
  if (std::isnan(value)) value = 0.0f;
  const double code = std::round(value / scale) + static_cast<double>(zero_point);
  return static_cast<int32_t>(
      std::clamp(code, static_cast<double>(low), static_cast<double>(high)));
}

}  // namespace gles_delegate::quant
