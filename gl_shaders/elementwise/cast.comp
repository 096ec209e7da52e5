// dst = src in another type: FROM_FLOAT, TO_FLOAT, TO_BOOL; otherwise integers.
// SATURATE_LOW, SATURATE_HIGH, OF_NAN: results for floats out of range and NaN.
// WRAP_SIGNED, WRAP_UNSIGNED: integers of this many bits, stored in 32.
// ROUND_TO_HALF, TRUNCATE: floats that represent halves or integers. One texel
// (4 channels) per invocation.

#if defined(ROUND_TO_HALF)
// To nearest, ties to even, in integers, since packHalf2x16() may round
// otherwise.
vec4 rounded(vec4 v) {
  uvec4 bits = floatBitsToUint(v);
  uvec4 magnitude = bits & 0x7fffffffu;
  uvec4 sign_bit = bits & 0x80000000u;
  uvec4 near = (magnitude + 0xfffu + ((magnitude >> 13) & 1u)) & ~0x1fffu;
  // 65536 is 0x47800000: values above the largest half become infinity.
  near = mix(near, uvec4(0x7f800000u), greaterThanEqual(near, uvec4(0x47800000u)));
  // NaN stays NaN.
  near = mix(near, magnitude, greaterThan(magnitude, uvec4(0x7f800000u)));
  // Below 2^-14, the smallest normal half, the spacing is 2^-24.
  uvec4 small = floatBitsToUint(
      roundEven(uintBitsToFloat(min(magnitude, uvec4(0x38800000u))) * 16777216.0) /
      16777216.0);
  near = mix(near, small, lessThan(magnitude, uvec4(0x38800000u)));
  return uintBitsToFloat(near | sign_bit);
}
#define CAST(V) rounded(vec4(V))
#elif defined(TO_FLOAT) && defined(TRUNCATE)
#define CAST(V) trunc(V)
#elif defined(TO_FLOAT)
#define CAST(V) vec4(V)
#elif defined(TO_BOOL) && defined(FROM_FLOAT)
// NaN is true; denormals are false, as in TFLite, which flushes them. In
// integers, since drivers may differ.
#define CAST(V) \
  ivec4(greaterThanEqual(floatBitsToInt(V) & 0x7fffffff, ivec4(0x00800000)))
#elif defined(TO_BOOL)
#define CAST(V) ivec4(notEqual(V, ivec4(0)))
#elif defined(SATURATE_LOW)
ivec4 saturated(vec4 v) {
  ivec4 r = ivec4(clamp(v, float(SATURATE_LOW), float(SATURATE_HIGH)));
  bvec4 nan = greaterThan(floatBitsToInt(v) & 0x7fffffff, ivec4(0x7f800000));
  return mix(r, ivec4(OF_NAN), nan);
}
#define CAST(V) saturated(V)
#elif defined(FROM_FLOAT)
ivec4 truncated(vec4 v) {
  // 2^31 - 128 is the largest float that fits int32.
  ivec4 r = ivec4(clamp(v, -2147483648.0, 2147483520.0));
  // Larger ones, infinity and positive NaNs are above 2^31 as bits.
  ivec4 bits = floatBitsToInt(v);
  bvec4 great = greaterThanEqual(bits, ivec4(0x4f000000));
  bvec4 nan = greaterThan(bits & 0x7fffffff, ivec4(0x7f800000));
  r = mix(r, ivec4(0x7fffffff), great);
  return mix(r, ivec4(0x7fffffff), nan);
}
#define CAST(V) truncated(V)
#else
#define CAST(V) V
#endif

#if defined(WRAP_SIGNED)
#define WRAP(V) bitfieldExtract(V, 0, WRAP_SIGNED)
#elif defined(WRAP_UNSIGNED)
#define WRAP(V) ((V) & ((1 << WRAP_UNSIGNED) - 1))
#else
#define WRAP(V) V
#endif

ELEMENT4 dst_texel(ivec4 p) {
  return WRAP(CAST(read_src(p.x, p.y, p.z, p.w)));
}
