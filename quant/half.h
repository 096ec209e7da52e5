// IEEE 754 binary16, as float16 models and 16-bit storage hold it.
#ifndef GLES_DELEGATE_QUANT_HALF_H_
#define GLES_DELEGATE_QUANT_HALF_H_

#include <cstdint>

namespace gles_delegate {

float HalfToFloat(uint16_t half);
// To nearest, ties to even; overflow gives infinity, NaN stays NaN.
uint16_t FloatToHalf(float value);
inline float RoundToHalf(float value) {
  return HalfToFloat(FloatToHalf(value));
}

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_QUANT_HALF_H_
