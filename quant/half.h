// IEEE 754 binary16, as float16 models and 16-bit storage hold it.
#ifndef GLES_DELEGATE_QUANT_HALF_H_
#define GLES_DELEGATE_QUANT_HALF_H_

#include <cstddef>
#include <cstdint>

namespace gles_delegate {

float HalfToFloat(uint16_t half);
// To nearest, ties to even; overflow gives infinity, NaN stays NaN.
uint16_t FloatToHalf(float value);
inline float RoundToHalf(float value) {
  return HalfToFloat(FloatToHalf(value));
}

// Likewise for `count` values, by vector instructions where the processor has
// them. Any alignment. FloatsToHalves is for memory that a device reads next:
// it may leave the caches out.
void FloatsToHalves(const void* floats, void* halves, size_t count);
void HalvesToFloats(const void* halves, void* floats, size_t count);
// True where it has: about as fast as copying then, else tens of times slower.
bool HalvesAreFast();

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_QUANT_HALF_H_
