#include "quant/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/base/casts.h"

// GLES_DELEGATE_HALF_VECTORS: below are two functions that convert by vectors.
// Every AArch64 processor has the instructions; an x86-64 one is asked, when
// the program runs. A 32-bit ARM has them from VFPv4 on, which Debian's armhf
// does not ask for: there values are converted one by one.
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#define GLES_DELEGATE_HALF_VECTORS
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#define GLES_DELEGATE_HALF_VECTORS
#endif

namespace gles_delegate {

float HalfToFloat(uint16_t half) {
  const uint32_t sign = uint32_t{half & 0x8000u} << 16;
  const uint32_t exponent = (half >> 10) & 0x1f;
  const uint32_t mantissa = half & 0x3ff;
  if (exponent == 0) {  // a multiple of 2^-24
    const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
    return sign == 0 ? magnitude : -magnitude;
  }
  const uint32_t wide = exponent == 0x1f ? 0xff : exponent + 112;
  return absl::bit_cast<float>(sign | (wide << 23) | (mantissa << 13));
}

uint16_t FloatToHalf(float value) {
  const auto bits = absl::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return sign | 0x7e00u;  // NaN stays one.
  // 65520 is halfway between the largest half and the next power of two.
  if (magnitude >= 0x477ff000u) return sign | 0x7c00u;
  if (magnitude < 0x38800000u) {  // Below 2^-14: a multiple of 2^-24.
    const float scaled = std::ldexp(std::fabs(value), 24);
    return sign | static_cast<uint16_t>(std::nearbyint(scaled));
  }
  // Rounds off 13 bits, ties to even. A carry out of the significand correctly
  // increments the exponent.
  const uint32_t odd = (magnitude >> 13) & 1u;
  const uint32_t rounded = magnitude + 0xfffu + odd;
  return sign | static_cast<uint16_t>((rounded - 0x38000000u) >> 13);
}

namespace {

constexpr float kLargestHalf = 65504.0f;

#if defined(GLES_DELEGATE_HALF_VECTORS)
constexpr size_t kLanes = 8;
#endif

#if defined(__x86_64__)
// Converts whole groups of lanes and returns their number of values. If
// `halves` is aligned, stores bypass the caches, as in egl::StreamCopy: a
// device reads them.
__attribute__((target("avx,f16c"))) size_t FloatsToHalvesByVectors(
    const uint8_t* floats, uint8_t* halves, size_t count) {
  const bool aligned = reinterpret_cast<uintptr_t>(halves) % 16 == 0;
  const __m256 largest = _mm256_set1_ps(kLargestHalf);
  const __m256 least = _mm256_set1_ps(-kLargestHalf);
  const __m256 infinity =
      _mm256_set1_ps(std::numeric_limits<float>::infinity());
  const __m256 sign = _mm256_set1_ps(-0.0f);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m256 from =
        _mm256_loadu_ps(reinterpret_cast<const float*>(floats + 4 * i));
    const __m256 finite =
        _mm256_cmp_ps(_mm256_andnot_ps(sign, from), infinity, _CMP_LT_OQ);
    const __m256 within = _mm256_min_ps(_mm256_max_ps(from, least), largest);
    const __m128i v = _mm256_cvtps_ph(_mm256_blendv_ps(from, within, finite),
                                      _MM_FROUND_TO_NEAREST_INT);
    auto* to = reinterpret_cast<__m128i*>(halves + 2 * i);
    if (aligned) {
      _mm_stream_si128(to, v);
    } else {
      _mm_storeu_si128(to, v);
    }
  }
  _mm_sfence();  // streamed stores are not ordered with others otherwise
  return i;
}

__attribute__((target("avx,f16c"))) size_t HalvesToFloatsByVectors(
    const uint8_t* halves, uint8_t* floats, size_t count) {
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m128i v =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(halves + 2 * i));
    _mm256_storeu_ps(reinterpret_cast<float*>(floats + 4 * i),
                     _mm256_cvtph_ps(v));
  }
  return i;
}
#elif defined(GLES_DELEGATE_HALF_VECTORS)
// The same with NEON. Loads and stores bytes, for any alignment.
size_t FloatsToHalvesByVectors(const uint8_t* floats, uint8_t* halves,
                               size_t count) {
  size_t i = 0;
  const auto convert = [](const uint8_t* from) {
    const float32x4_t v = vreinterpretq_f32_u8(vld1q_u8(from));
    const uint32x4_t finite = vcltq_f32(
        vabsq_f32(v), vdupq_n_f32(std::numeric_limits<float>::infinity()));
    const float32x4_t within = vminq_f32(
        vmaxq_f32(v, vdupq_n_f32(-kLargestHalf)), vdupq_n_f32(kLargestHalf));
    return vcvt_f16_f32(vbslq_f32(finite, within, v));
  };
  for (; i + kLanes <= count; i += kLanes) {
    const float16x4_t low = convert(floats + 4 * i);
    const float16x4_t high = convert(floats + 4 * i + 16);
    vst1q_u8(halves + 2 * i, vreinterpretq_u8_f16(vcombine_f16(low, high)));
  }
  return i;
}

size_t HalvesToFloatsByVectors(const uint8_t* halves, uint8_t* floats,
                               size_t count) {
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const float16x8_t v = vreinterpretq_f16_u8(vld1q_u8(halves + 2 * i));
    uint8_t* to = floats + 4 * i;
    vst1q_u8(to, vreinterpretq_u8_f32(vcvt_f32_f16(vget_low_f16(v))));
    vst1q_u8(to + 16, vreinterpretq_u8_f32(vcvt_f32_f16(vget_high_f16(v))));
  }
  return i;
}
#endif

}  // namespace

bool HalvesAreFast() {
#if defined(__x86_64__)
  // The two features for which the vector code is compiled. Checks F16C by hand
  // (CPUID's leaf 1, bit 29 of ECX), since not every compiler's
  // __builtin_cpu_supports knows it; "avx" includes the system's support.
  static const bool fast = [] {
    unsigned int eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __builtin_cpu_supports("avx") &&
           __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx >> 29 & 1) != 0;
  }();
  return fast;
#elif defined(GLES_DELEGATE_HALF_VECTORS)
  return true;
#else
  return false;
#endif
}

void FloatsToHalves(const void* floats, void* halves, size_t count) {
  const auto* from = static_cast<const uint8_t*>(floats);
  auto* to = static_cast<uint8_t*>(halves);
  size_t i = 0;
#if defined(GLES_DELEGATE_HALF_VECTORS)
  if (HalvesAreFast()) i = FloatsToHalvesByVectors(from, to, count);
#endif
  for (; i < count; ++i) {
    float value;
    std::memcpy(&value, from + 4 * i, sizeof(value));
    if (std::isfinite(value)) {
      value = std::clamp(value, -kLargestHalf, kLargestHalf);
    }
    const uint16_t half = FloatToHalf(value);
    std::memcpy(to + 2 * i, &half, sizeof(half));
  }
}

void HalvesToFloats(const void* halves, void* floats, size_t count) {
  const auto* from = static_cast<const uint8_t*>(halves);
  auto* to = static_cast<uint8_t*>(floats);
  size_t i = 0;
#if defined(GLES_DELEGATE_HALF_VECTORS)
  if (HalvesAreFast()) i = HalvesToFloatsByVectors(from, to, count);
#endif
  for (; i < count; ++i) {
    uint16_t half;
    std::memcpy(&half, from + 2 * i, sizeof(half));
    const float value = HalfToFloat(half);
    std::memcpy(to + 4 * i, &value, sizeof(value));
  }
}

}  // namespace gles_delegate
