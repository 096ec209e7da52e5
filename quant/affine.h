// TFLite's affine quantization: real = scale * (code - zero_point).
// https://www.tensorflow.org/lite/performance/quantization_spec
#ifndef GLES_DELEGATE_QUANT_AFFINE_H_
#define GLES_DELEGATE_QUANT_AFFINE_H_

#include <cstdint>

namespace gles_delegate::quant {

// As TFLite's DEQUANTIZE kernel computes it: the difference is exact, then one
// float32 multiplication.
inline float Dequantize(int64_t code, float scale, int64_t zero_point) {
  return scale * static_cast<float>(code - zero_point);
}

// As TFLite's QUANTIZE kernel computes it (reference AffineQuantize): divide in
// float32, round half away from zero, add the zero point, clamp to [low, high].
int32_t Quantize(float value, float scale, int64_t zero_point, int32_t low,
                 int32_t high);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_AFFINE_H_
