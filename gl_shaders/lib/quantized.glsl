// Functions of quantized values, as in TFLite's integer kernels; the first is
// the simulator. quant/ has the same arithmetic in C++. 32-bit integers pass
// through a vec4 "as the bits of a float"; constants are added to avoid
// denormals and NaNs.

// The lowest four weights of p, of 8, 4 or 2 bits each.
vec4 op_weights_8(int p) {
  return vec4((ivec4(p) << ivec4(24, 16, 8, 0)) >> 24);
}
vec4 op_weights_4(int p) {
  return vec4((ivec4(p) << ivec4(28, 24, 20, 16)) >> 28);
}
vec4 op_weights_2(int p) {
  return vec4((ivec4(p) << ivec4(30, 28, 26, 24)) >> 30);
}

// round(x / scale) for x >= 0, ties away from zero, of the exact quotient, as
// TFLite divides in 64 bits. Only the comparison of x with the tie h * scale
// matters: products of parts of h and scale are exact, and so are differences
// near a tie. For values of up to 17 bits; larger ones stay larger.
vec4 rounded_quotient(vec4 x, float scale) {
  vec4 h = min(floor(x / scale), 65536.0) + 0.5;
  float high = uintBitsToFloat(floatBitsToUint(scale) & 0xfffff000u);
  float low = scale - high;
  vec4 coarse = floor(h / 64.0) * 64.0;
  vec4 fine = h - coarse;
  vec4 rest = (((x - coarse * high) - fine * high) - coarse * low) - fine * low;
  return h - 0.5 + vec4(greaterThanEqual(rest, vec4(0.0)));
}

// Rounds x to a value that an 8-bit tensor represents (quant/fixed_point.h). p:
// scale, zero point, minimum, maximum. Ties go away from zero, as in TFLite's
// QUANTIZE; quantized values are exact in floats.
vec4 op_quantize(vec4 x, vec4 p) {
  vec4 code = sign(x) * rounded_quotient(abs(x), p.x) + p.y;
  return (clamp(code, p.z, p.w) - p.y) * p.x;
}

// A float's quantized value minus its zero point, as in newer runtimes'
// QUANTIZE. p: 1 / scale, zero point, minimum, maximum. Ties to even.
vec4 op_quantized_by_inverse(vec4 x, vec4 p) {
  return clamp(roundEven(x * p.x) + p.y, p.z, p.w) - p.y;
}

// x * multiplier * 2^(shift - 31), rounded to the nearest after the
// multiplication, where `tie` is 2^30 (0: down), and after a shift to the right,
// ties up or away from zero (ties_up: 1 or 0). The product must fit 32 bits.
ivec4 rescale(ivec4 x, ivec4 multiplier, ivec4 shift, ivec4 ties_up, uint tie) {
  ivec4 high, low;
  imulExtended(x << max(shift, 0), multiplier, high, low);
  uvec4 carry;
  uvec4 rounded = uaddCarry(uvec4(low), uvec4(tie), carry);
  ivec4 product = ((high + ivec4(carry)) << 1) | ivec4(rounded >> 31u);
  ivec4 right = max(-shift, 0);
  ivec4 shifts = min(right, 1);
  ivec4 half_unit = shifts << max(right - 1, 0);
  half_unit -= (1 - ties_up) * shifts * ivec4(lessThan(product, ivec4(0)));
  return (product + half_unit) >> right;
}

// quant/fixed_point.h's Multiply().
ivec4 op_rescale(ivec4 x, ivec4 multiplier, ivec4 shift, ivec4 ties_up) {
  return rescale(x, multiplier, shift, ties_up, 0x40000000u);
}

ivec4 op_rescale(ivec4 x, ivec4 multiplier, ivec4 shift, bool ties_up) {
  return op_rescale(x, multiplier, shift, ivec4(ties_up));
}

// Each channel has its own way with ties: its shift is 64 more where they go up
// (kTiesUp in delegate/passes/integer_path/products.cc).
ivec4 op_rescale_by_channel(ivec4 x, ivec4 multiplier, ivec4 shift) {
  ivec4 ties_up = ivec4(greaterThan(shift, ivec4(31)));
  return op_rescale(x, multiplier, shift - 64 * ties_up, ties_up);
}

// A sum of products of (code - zero point) as the output's. p.x: ties go up (else
// away from zero). Sums past 32 bits are TFLite's undefined behaviour, not ours.
vec4 op_requantize(vec4 x, ivec4 multiplier, ivec4 shift, vec4 p) {
  ivec4 sum = ivec4(clamp(x, -2147483520.0, 2147483520.0));
  return vec4(op_rescale(sum, multiplier, shift, p.x != 0.0));
}

// The same where each channel has its own way with ties.
vec4 op_requantize_by_channel(vec4 x, ivec4 multiplier, ivec4 shift, vec4 p) {
  ivec4 sum = ivec4(clamp(x, -2147483520.0, 2147483520.0));
  return vec4(op_rescale_by_channel(sum, multiplier, shift));
}

// The same with one multiplier: p.x times 2^15, and p.y, its low 15 bits. p.z:
// shift, p.w: ties go up.
vec4 op_requantize_all(vec4 x, vec4 p) {
  int multiplier = int(p.x) * 32768 + int(p.y);
  return op_requantize(x, ivec4(multiplier), ivec4(int(p.z)), p.wwww);
}

// Two multipliers in one set of params: the bits of a float, with 2^29
// subtracted to avoid denormals, infinities and NaNs.
int multiplier_of(float bits) { return floatBitsToInt(bits) + 0x20000000; }

// x times the multiplier and shift of p.zw if `below`, else of p.xy.
vec4 rescale_by_sign(vec4 x, bvec4 below, vec4 p) {
  ivec4 multiplier =
      mix(ivec4(multiplier_of(p.x)), ivec4(multiplier_of(p.z)), below);
  ivec4 shift = mix(ivec4(int(p.y)), ivec4(int(p.w)), below);
  return vec4(op_rescale(ivec4(x), multiplier, shift, false));
}
// (value - zero point), scaled by sign. p.xy: multiplier and shift for values >=
// 0, p.zw: for values < 0.
vec4 op_leaky_requantize(vec4 x, vec4 p) {
  return rescale_by_sign(x, lessThan(x, vec4(0.0)), p);
}
// PRELU: multiplies values < 0 by the slope's (value - zero point) first.
vec4 op_prelu_requantize(vec4 x, vec4 slope, vec4 p) {
  bvec4 below = lessThan(x, vec4(0.0));
  return rescale_by_sign(mix(x, x * slope, below), below, p);
}

// TFLite's ADD, SUB and SQUARED_DIFFERENCE of 8 bits. The larger scale's
// multiplier is one half, so that the extra bits become one less. p: the
// multipliers of the smaller scale and of the sum, as the bits of floats minus
// 2^29; both right shifts, the first times 64; flags: 1 if a has the smaller
// scale, 2 to negate b, 4 to negate what b is scaled to, 8 to round the value of
// the smaller scale once, 16 to square the sum, and 32 times the extra bits.
vec4 op_add_quantized(vec4 a, vec4 b, vec4 p) {
  int shifts = int(p.z);
  int flags = int(p.w);
  int bits = flags >> 5;
  bool a_is_finer = (flags & 1) != 0;
  if ((flags & 2) != 0) b = -b;
  ivec4 finer = ivec4(a_is_finer ? a : b) << bits;
  // Once: the bits that the first shift drops do not reach the second one's tie.
  bool once = (flags & 8) != 0;
  finer = rescale(finer, ivec4(multiplier_of(p.x)), ivec4(-(shifts >> 6)),
                  ivec4(once), once ? 0u : 0x40000000u);
  ivec4 coarser = ivec4(a_is_finer ? b : a) << (bits - 1);
  ivec4 sum = (flags & 4) == 0 ? finer + coarser
              : a_is_finer     ? finer - coarser
                               : coarser - finer;
  if ((flags & 16) != 0) sum *= sum;
  return vec4(op_rescale(sum, ivec4(multiplier_of(p.y)), ivec4(-(shifts & 63)), false));
}

// MAXIMUM and MINIMUM of the quantized values themselves: p has the zero points
// of x, of y and of the result.
vec4 op_maximum_of_quantized(vec4 x, vec4 y, vec4 p) {
  return max(x + p.x, y + p.y) - p.z;
}
vec4 op_minimum_of_quantized(vec4 x, vec4 y, vec4 p) {
  return min(x + p.x, y + p.y) - p.z;
}

// The index of (value - zero point) in a table of 256. p.x: the zero point
// minus the type's minimum.
ivec4 op_lookup(vec4 x, vec4 p) { return clamp(ivec4(x + p.x), 0, 255); }

// Combines two 8-bit values to a 16-bit one, with x's as the upper half. p:
// converts what is read to values from 0 up: the zero points minus the minimum.
vec4 op_pair_of_quantized(vec4 x, vec4 y, vec4 p) {
  return (x + p.x) * 256.0 + (y + p.y) - 32768.0;
}

// A mean of (value - zero point) as rounded by TFLite: ties of the mean go away
// from zero. p.x: zero point; p.y: more than the error of a division, and less
// than the distance from a tie to any other mean.
vec4 op_round_mean(vec4 x, vec4 p) {
  vec4 mean = x + p.x;
  return sign(mean) * floor(abs(mean) + (0.5 + p.y)) - p.x;
}

// Converts (value - zero point) to another quantization: round(value * scale +
// bias), bias = -zero point * scale, as TFLite's CONCATENATION computes it in
// float32. p: scale, zero point; p.w is 0 but unknown to compilers, to keep the
// product's rounding separate.
vec4 op_scaled_code(vec4 x, vec4 p) {
  int never = int(p.w);
  float bias = intBitsToFloat(floatBitsToInt(-p.y * p.x) + never);
  vec4 product = intBitsToFloat(floatBitsToInt((x + p.y) * p.x) + never);
  vec4 y = product + bias;
  vec4 whole = floor(abs(y));
  whole += vec4(greaterThanEqual(abs(y) - whole, vec4(0.5)));
  return sign(y) * whole;
}

// quant/cpu_kernels.h's MultiplyAsFloat(): x * scale in floats, ties to even.
// `zero`: 0, but unknown to compilers, so that they do not fuse the
// multiplication with the subtraction and lose its rounding.
vec4 scaled_to_even(vec4 x, vec4 scale, int zero) {
  return nearest_even(intBitsToFloat(floatBitsToInt(x * scale) ^ ivec4(zero)));
}
// Of quant/cpu_kernels.h's In256ths(): p.x is the multiplier. Exact, as |x * p.x| < 2^24.
vec4 op_rescale_by_256ths(vec4 x, vec4 p) {
  return floor((x * p.x + 128.0) * 0.00390625);
}
// The same by p.x, or by p.y for values < 0.
vec4 op_leaky_by_256ths(vec4 x, vec4 p) {
  vec4 factor = mix(vec4(p.x), vec4(p.y), lessThan(x, vec4(0.0)));
  return floor((x * factor + 128.0) * 0.00390625);
}
// The sum of a FloatSum. p: the multipliers of a and of b, the shift.
vec4 op_add_as_xnnpack(vec4 a, vec4 b, vec4 p) {
  int shift = int(p.z);
  ivec4 sum = ivec4(a) * int(p.x) + ivec4(b) * int(p.y);
  return vec4((sum + (1 << (shift - 1))) >> shift);
}
// XNNPACK's requantization of a sum of products. p.x: scale; p.y: 0.
vec4 op_requantize_float_all(vec4 x, vec4 p) {
  return scaled_to_even(x, p.xxxx, int(p.y));
}
// The same with a scale per channel, as the bits of floats.
vec4 op_requantize_float(vec4 x, ivec4 scale, ivec4 unused, vec4 p) {
  return scaled_to_even(x, intBitsToFloat(scale), int(p.y));
}

// --- int16 -------------------------------------------------------------------

// The quantized value of a real value. p.x: its scale; zero points are zero.
vec4 op_code_of(vec4 x, vec4 p) { return floor(x / p.x + 0.5); }
// The index of a value in a table of 65,536.
ivec4 op_lookup_int16(vec4 x, vec4 p) { return clamp(ivec4(x) + 32768, 0, 65535); }
// One part of a value that is the sum of its parts times their units. p.y: 1 /
// the part's unit, p.z: 1 / the next part's unit, 0 for none; p.w: the ratio of
// these units. From -p.w / 2 to p.w / 2.
vec4 op_code_part(vec4 x, vec4 p) {
  vec4 code = op_code_of(x, p);
  return floor(code * p.y + 0.5) - p.w * floor(code * p.z + 0.5);
}
// TFLite's ADD and SUB of int16 with power-of-two scales. p: 1 / the powers of
// two that a and b are divided by, ties away from zero; 1, or -1 to subtract.
vec4 op_add_shifted(vec4 a, vec4 b, vec4 p) {
  vec4 x = floor(abs(a) * p.x + 0.5);
  vec4 y = floor(abs(b) * p.y + 0.5);
  x = mix(x, -x, lessThan(a, vec4(0.0)));
  y = mix(y, -y, lessThan(b, vec4(0.0)));
  return clamp(x + p.z * y, -32768.0, 32767.0);
}
// A rescaled product of int16 values. p: as in op_requantize_all.
vec4 op_mul_int16(vec4 a, vec4 b, vec4 p) {
  ivec4 multiplier = ivec4(int(p.x) * 32768 + int(p.y));
  return vec4(op_rescale(ivec4(a) * ivec4(b), multiplier, ivec4(int(p.z)), false));
}
// Joins the sums of high and low parts, below 0x3f000000 in magnitude: as the
// bits of a float, with 2^30 added to avoid denormals and NaNs.
vec4 op_join_sums(vec4 high, vec4 low, vec4 p) {
  return intBitsToFloat(ivec4(high) * 256 + ivec4(low) + 0x40000000);
}
// The lower 32 bits of (x + half) >> shift in 64 bits; 1 <= shift <= 62.
ivec4 op_shifted_right(ivec4 high, uvec4 low, ivec4 shift) {
  uvec4 down = uvec4(shift - 1);
  // The half: a bit of the lower word, or of the upper one.
  bvec4 in_low = lessThan(down, uvec4(32u));
  uvec4 bit = uvec4(1u) << (down & 31u);
  uvec4 carry;
  uvec4 sum = uaddCarry(low, mix(uvec4(0u), bit, in_low), carry);
  high += ivec4(carry) + ivec4(mix(bit, uvec4(0u), in_low));
  uvec4 by = uvec4(shift);
  bvec4 whole = greaterThanEqual(by, uvec4(32u));
  // In two steps, since shifts by 32 bits are undefined.
  ivec4 near = ivec4((sum >> (by & 31u)) | ((uvec4(high) << 1u) << (31u - (by & 31u))));
  ivec4 far = high >> ivec4(by & 31u);
  return mix(near, far, whole);
}
// The lower 32 bits of a 64-bit sum times quant/fixed_point.h's
// Int16Multiplier; 1 <= right <= 62. The multiplier is not negative, so the upper word wraps
// correctly.
ivec4 op_rescale_64(ivec4 high, uvec4 low, uvec4 multiplier, ivec4 right) {
  uvec4 upper, lower;
  umulExtended(low, multiplier, upper, lower);
  return op_shifted_right(ivec4(upper + uvec4(high) * multiplier), lower, right);
}
// A sum of op_join_sums by quant/fixed_point.h's Multiply(), each channel with its
// own way with ties.
vec4 op_rescale_sum_twice(vec4 x, ivec4 multiplier, ivec4 shift, vec4 p) {
  ivec4 sum = floatBitsToInt(x) - 0x40000000;
  return vec4(op_rescale_by_channel(sum, multiplier, shift));
}
// The same for an Int16Multiplier.
vec4 op_rescale_sum(vec4 x, ivec4 multiplier, ivec4 shift, vec4 p) {
  ivec4 high, low;
  imulExtended(floatBitsToInt(x) - 0x40000000, multiplier, high, low);
  return vec4(op_shifted_right(high, uvec4(low), shift));
}
