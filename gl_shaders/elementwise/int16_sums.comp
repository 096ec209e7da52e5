// Adds the parts of a sum in 64 bits, a * 2^shifts.x + b * 2^shifts.y + ...,
// and a bias; multiplies, shifts right and rounds once (quant/fixed_point.h's
// Int16Multiplier), by RESCALE_64, which is op_rescale_64. `rows` has a
// multiplier, a shift, and the low and high words of a bias, for each channel
// or, with ONE_ROW, for all. One texel per invocation.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 shifts;
  ivec4 more_shifts;
};

struct Wide {
  ivec4 high;
  uvec4 low;
};

// sum + x * 2^shift.
Wide plus_shifted(Wide sum, vec4 x, int shift) {
  ivec4 v = ivec4(x);
  uvec4 low = uvec4(v) << shift;
  // In two steps, since GLSL does not define a shift by 32 bits.
  ivec4 high = (v >> (31 - shift)) >> 1;
  uvec4 carry;
  low = uaddCarry(sum.low, low, carry);
  return Wide(sum.high + high + ivec4(carry), low);
}

ivec4 row(int i, int slice) {
#ifdef ONE_ROW
  return read_rows(i, 0, 0, 0).xxxx;
#else
  return read_rows(i, 0, slice, 0);
#endif
}

ELEMENT4 dst_texel(ivec4 p) {
  Wide sum = Wide(row(3, p.z), uvec4(row(2, p.z)));
  sum = plus_shifted(sum, read_a(p.x, p.y, p.z, p.w), shifts.x);
  sum = plus_shifted(sum, read_b(p.x, p.y, p.z, p.w), shifts.y);
#if PARTS > 2
  sum = plus_shifted(sum, read_c(p.x, p.y, p.z, p.w), shifts.z);
  sum = plus_shifted(sum, read_d(p.x, p.y, p.z, p.w), shifts.w);
#endif
#if PARTS > 4
  sum = plus_shifted(sum, read_e(p.x, p.y, p.z, p.w), more_shifts.x);
  sum = plus_shifted(sum, read_f(p.x, p.y, p.z, p.w), more_shifts.y);
  sum = plus_shifted(sum, read_g(p.x, p.y, p.z, p.w), more_shifts.z);
  sum = plus_shifted(sum, read_h(p.x, p.y, p.z, p.w), more_shifts.w);
#endif
  ivec4 right = max(row(1, p.z), ivec4(1));  // 0 past the last channel
  ivec4 quantized = RESCALE_64(sum.high, sum.low, uvec4(row(0, p.z)), right);
  return vec4(quantized);
}
