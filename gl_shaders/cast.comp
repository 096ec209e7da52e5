// dst = src in another type: FROM_FLOAT, TO_FLOAT, TO_BOOL, integers without.
// One texel (4 channels) an invocation.
layout(std140, binding = 0) uniform Params { COMMON_PARAMS };

#if defined(TO_FLOAT)
#define CAST(V) vec4(V)
#elif defined(TO_BOOL) && defined(FROM_FLOAT)
// NaN is not 0; numbers below the least normal are, as for TFLite, which runs
// with denormals flushed. By the bits: drivers may differ.
#define CAST(V) \
  ivec4(greaterThanEqual(floatBitsToInt(V) & 0x7fffffff, ivec4(0x00800000)))
#elif defined(TO_BOOL)
#define CAST(V) ivec4(notEqual(V, ivec4(0)))
#elif defined(FROM_FLOAT)
ivec4 truncated(vec4 v) {
  // 2^31 - 128 is the greatest float that is an int32.
  ivec4 r = ivec4(clamp(v, -2147483648.0, 2147483520.0));
  // Greater ones, infinity and positive NaNs follow 2^31 as bits.
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

void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
  write_dst(p.x, p.y, p.z, p.w, CAST(read_src(p.x, p.y, p.z, p.w)));
}
