// Bilinear interpolation of quantized values between the four source texels
// around each output texel, as in TFLite's kernels: in floats with the same
// rounding of each operation; with INTEGERS, in integers with ten fractional
// bits (int16 with INT16). With XNNPACK, in integers with eleven fractional
// bits, ties up. Pixels and weights come from a table: low, high, weight of
// low, weight of high; a row for each x, then one for each y. One texel per
// invocation.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  int zero_in;
  int zero_out;
  int never;  // 0, unknown to compilers: keeps a rounding separate
};

#define ROUNDED(X) intBitsToFloat(floatBitsToInt(X) + never)

vec4 code_at(float x, float y, ivec4 p) {
  return read_src(int(x), int(y), p.z, p.w) + float(zero_in);
}

ELEMENT4 dst_texel(ivec4 p) {
  vec4 x = pixels_at(0, p.x);
  vec4 y = pixels_at(0, dst_size.x + p.y);
  vec4 v00 = code_at(x.x, y.x, p);
  vec4 v01 = code_at(x.y, y.x, p);
  vec4 v10 = code_at(x.x, y.y, p);
  vec4 v11 = code_at(x.y, y.y, p);
#ifdef INTEGERS
  ivec2 w = ivec2(x.zw);
  ivec4 top = ivec4(v00) * w.x + ivec4(v01) * w.y;
  ivec4 bottom = ivec4(v10) * w.x + ivec4(v11) * w.y;
#ifdef INT16
  // 35 bits: 1024 * high + low. For negative sums, a low part makes the high
  // one's magnitude smaller by one; the remaining low part does not reach a
  // tie.
  ivec2 v = ivec2(y.zw);
  ivec4 low = (top & 1023) * v.x + (bottom & 1023) * v.y;
  ivec4 sum = (top >> 10) * v.x + (bottom >> 10) * v.y + (low >> 10);
  ivec4 below = -sum - ivec4(notEqual(low & 1023, ivec4(0)));
  ivec4 size = (mix(sum, below, lessThan(sum, ivec4(0))) + 512) >> 10;
#else
  ivec4 sum = top * int(y.z) + bottom * int(y.w);
  ivec4 size = (abs(sum) + (1 << 19)) >> 20;
#endif
#ifdef XNNPACK
  ivec4 code = (sum + (1 << 21)) >> 22;
#else
  ivec4 code = mix(size, -size, lessThan(sum, ivec4(0)));
#endif
#else
  vec4 sum = ROUNDED(v00 * ROUNDED(y.z * x.z));
  // Separate statements, since Mesa would add one expression's terms in pairs.
  sum = ROUNDED(sum + ROUNDED(v01 * ROUNDED(y.z * x.w)));
  sum = ROUNDED(sum + ROUNDED(v10 * ROUNDED(y.w * x.z)));
  sum = ROUNDED(sum + ROUNDED(v11 * ROUNDED(y.w * x.w)));
  ivec4 code = ivec4(sum + 0.5);
#endif
  return vec4(code - zero_out);
}
