// IEEE 754 binary16, for float16 models and 16-bit storage.
#ifndef GLES_DELEGATE_QUANT_HALF_H_
#define GLES_DELEGATE_QUANT_HALF_H_

#include <cstddef>
#include <cstdint>

namespace gles_delegate {

float HalfToFloat(uint16_t half);
// Rounds to nearest, ties to even; overflow gives infinity, NaN stays NaN.
uint16_t FloatToHalf(float value);
inline float RoundToHalf(float value) {
  return HalfToFloat(FloatToHalf(value));
}

// Converts `count` values, with vector instructions if the CPU has them. Any
// alignment. FloatsToHalves keeps finite values finite (at most 65504), and may
// bypass the caches, since a device reads the result next.
void FloatsToHalves(const void* floats, void* halves, size_t count);
void HalvesToFloats(const void* halves, void* floats, size_t count);
// True if the CPU has such instructions: about as fast as a copy, otherwise
// tens of times slower.
bool HalvesAreFast();

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_QUANT_HALF_H_
