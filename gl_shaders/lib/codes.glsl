// Functions of the codes of quantized tensors, as TFLite's integer kernels
// compute them; the first is the simulator. quant/ has the same arithmetic in C++.
// "As the bits of a float" is how an integer of 32 bits passes through a vec4; the
// constants that are added keep those bits from being a denormal number or a NaN.

// round(x / scale) of x from 0 up, ties away from zero, of the exact quotient, as
// TFLite divides in 64 bits. Only whether x is below the tie h * scale counts:
// each product of parts of h and of the scale is exact, and so are the differences
// near a tie. Up to codes of 17 bits; what is larger stays larger.
vec4 rounded_quotient(vec4 x, float scale) {
  vec4 h = min(floor(x / scale), 65536.0) + 0.5;
  float high = uintBitsToFloat(floatBitsToUint(scale) & 0xfffff000u);
  float low = scale - high;
  vec4 coarse = floor(h / 64.0) * 64.0;
  vec4 fine = h - coarse;
  vec4 rest = (((x - coarse * high) - fine * high) - coarse * low) - fine * low;
  return h - 0.5 + vec4(greaterThanEqual(rest, vec4(0.0)));
}

// What an 8-bit tensor makes of x: to its code and back (quant/affine.h). p:
// scale, zero point, least code, greatest code. Ties go away from zero, as in
// TFLite's QUANTIZE; codes are exact in floats.
vec4 op_quantize(vec4 x, vec4 p) {
  vec4 code = sign(x) * rounded_quotient(abs(x), p.x) + p.y;
  return (clamp(code, p.z, p.w) - p.y) * p.x;
}

// A float's code, less its zero point, as newer runtimes' QUANTIZE has it. p: one
// over the scale, zero point, least code, greatest code. Ties go to even.
vec4 op_codes_by_inverse(vec4 x, vec4 p) {
  return clamp(roundEven(x * p.x) + p.y, p.z, p.w) - p.y;
}

// quant/fixed_point.h's Multiply(): x * multiplier * 2^(shift - 31), rounded after
// the multiplication, ties up, and after a shift to the right, ties up or away
// from zero. The product must fit 32 bits.
ivec4 op_rescale(ivec4 x, ivec4 multiplier, ivec4 shift, bool ties_up) {
  ivec4 high, low;
  imulExtended(x << max(shift, 0), multiplier, high, low);
  uvec4 carry;
  uvec4 rounded = uaddCarry(uvec4(low), uvec4(0x40000000u), carry);
  ivec4 product = ((high + ivec4(carry)) << 1) | ivec4(rounded >> 31u);
  ivec4 right = max(-shift, 0);
  ivec4 shifts = min(right, 1);
  ivec4 half_unit = shifts << max(right - 1, 0);
  if (!ties_up) half_unit -= shifts * ivec4(lessThan(product, ivec4(0)));
  return (product + half_unit) >> right;
}

// A sum of products of (code - zero point) as the output's. p.x: ties go up (else
// away from zero). Sums past 32 bits are TFLite's undefined behaviour, not ours.
vec4 op_requantize(vec4 x, ivec4 multiplier, ivec4 shift, vec4 p) {
  ivec4 sum = ivec4(clamp(x, -2147483520.0, 2147483520.0));
  return vec4(op_rescale(sum, multiplier, shift, p.x != 0.0));
}

// The same with one multiplier: p.x times 2^15, and p.y, its low 15 bits. p.z:
// shift, p.w: ties go up.
vec4 op_requantize_all(vec4 x, vec4 p) {
  int multiplier = int(p.x) * 32768 + int(p.y);
  return op_requantize(x, ivec4(multiplier), ivec4(int(p.z)), p.wwww);
}

// Two multipliers in one set of params: a multiplier as the bits of a float, 2^29
// less, which is never denormal, infinite or NaN.
int multiplier_of(float bits) { return floatBitsToInt(bits) + 0x20000000; }

// x by the multiplier and shift of p.zw where `below`, else of p.xy.
vec4 rescale_by_sign(vec4 x, bvec4 below, vec4 p) {
  ivec4 multiplier =
      mix(ivec4(multiplier_of(p.x)), ivec4(multiplier_of(p.z)), below);
  ivec4 shift = mix(ivec4(int(p.y)), ivec4(int(p.w)), below);
  return vec4(op_rescale(ivec4(x), multiplier, shift, false));
}
// LEAKY_RELU of (code - zero point). p.xy: multiplier and shift from 0 up,
// p.zw: below it.
vec4 op_leaky_requantize(vec4 x, vec4 p) {
  return rescale_by_sign(x, lessThan(x, vec4(0.0)), p);
}
// PRELU: below 0 by (code - zero point) of the slope first.
vec4 op_prelu_requantize(vec4 x, vec4 slope, vec4 p) {
  bvec4 below = lessThan(x, vec4(0.0));
  return rescale_by_sign(mix(x, x * slope, below), below, p);
}

// quant/fixed_point.h's Add(), up to the sum: of the two scales the larger one's
// multiplier is a half, so that 20 more bits become 19 (and SQUARED_DIFFERENCE's
// seven six). p: the other's multiplier, as op_requantize_all has it, and its
// shift; p.w: 1 where that is a's, 2 more to subtract, 4 more for seven bits. The
// sum has more bits than a float's integers: it goes to op_sum_of_terms as the
// bits of a float, 2^30 more, which is never denormal or NaN.
vec4 op_add_terms(vec4 a, vec4 b, vec4 p) {
  int flags = int(p.w);
  bool a_is_finer = (flags & 1) != 0;
  int bits = (flags & 4) != 0 ? 7 : 20;
  if ((flags & 2) != 0) b = -b;
  ivec4 multiplier = ivec4(int(p.x) * 32768 + int(p.y));
  ivec4 finer = ivec4(a_is_finer ? a : b) << bits;
  finer = op_rescale(finer, multiplier, ivec4(int(p.z)), false);
  ivec4 coarser = ivec4(a_is_finer ? b : a) << (bits - 1);
  return intBitsToFloat(finer + coarser + 0x40000000);
}

// The sum as the output's codes, less its zero point. p: as op_add_terms, for it.
vec4 op_sum_of_terms(vec4 x, vec4 p) {
  ivec4 multiplier = ivec4(int(p.x) * 32768 + int(p.y));
  ivec4 sum = floatBitsToInt(x) - 0x40000000;
  return vec4(op_rescale(sum, multiplier, ivec4(int(p.z)), false));
}
// Likewise its square.
vec4 op_square_of_terms(vec4 x, vec4 p) {
  ivec4 multiplier = ivec4(int(p.x) * 32768 + int(p.y));
  ivec4 sum = floatBitsToInt(x) - 0x40000000;
  return vec4(op_rescale(sum * sum, multiplier, ivec4(int(p.z)), false));
}

// MAXIMUM and MINIMUM of the codes themselves, whatever these stand for: p has
// the zero points of x, of y and of the result.
vec4 op_maximum_of_codes(vec4 x, vec4 y, vec4 p) {
  return max(x + p.x, y + p.y) - p.z;
}
vec4 op_minimum_of_codes(vec4 x, vec4 y, vec4 p) {
  return min(x + p.x, y + p.y) - p.z;
}

// Where (code - zero point) lies in a table of 256. p.x: the zero point less the
// least code.
ivec4 op_lookup(vec4 x, vec4 p) { return clamp(ivec4(x + p.x), 0, 255); }

// Two codes as one of 16 bits, of which x's is the upper half. p: what makes
// codes from 0 up of what is read: the zero points less the least code.
vec4 op_pair_of_codes(vec4 x, vec4 y, vec4 p) {
  return (x + p.x) * 256.0 + (y + p.y) - 32768.0;
}

// A mean of (code - zero point) as TFLite rounds it: the mean code's ties go away
// from zero. p.x: zero point; p.y: more than what division may lose, and less
// than the distance from a tie to any other mean.
vec4 op_round_mean(vec4 x, vec4 p) {
  vec4 mean = x + p.x;
  return sign(mean) * floor(abs(mean) + (0.5 + p.y)) - p.x;
}

// A code less its zero point as the code of another quantization, less its own:
// round(code * scale + bias), bias = -zero point * scale, as TFLite's
// CONCATENATION computes it in float32. p: scale, zero point; p.w is 0, which no
// compiler knows: it keeps the product's rounding apart.
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
// `zero`: 0, which the compiler does not know, so that it cannot fuse the
// multiplication with the subtraction and lose its rounding.
vec4 scaled_to_even(vec4 x, vec4 scale, int zero) {
  vec4 product = intBitsToFloat(floatBitsToInt(x * scale) ^ ivec4(zero));
  vec4 below = floor(product);
  vec4 rest = product - below;
  vec4 half_way = mix(below, below + 1.0, is_odd(below));
  vec4 nearest = mix(below, below + 1.0, greaterThan(rest, vec4(0.5)));
  return mix(nearest, half_way, equal(rest, vec4(0.5)));
}
// MultiplyBy256ths(): p.x is the multiplier. Exact, as |x * p.x| < 2^24.
vec4 op_rescale_by_256ths(vec4 x, vec4 p) {
  return floor((x * p.x + 128.0) * 0.00390625);
}
// Likewise by p.x, or by p.y below zero.
vec4 op_leaky_by_256ths(vec4 x, vec4 p) {
  vec4 factor = mix(vec4(p.x), vec4(p.y), lessThan(x, vec4(0.0)));
  return floor((x * factor + 128.0) * 0.00390625);
}
// AddAsXnnpack(). p: the multipliers of a and of b, the shift.
vec4 op_add_as_xnnpack(vec4 a, vec4 b, vec4 p) {
  int shift = int(p.z);
  ivec4 sum = ivec4(a) * int(p.x) + ivec4(b) * int(p.y);
  return vec4((sum + (1 << (shift - 1))) >> shift);
}
// A sum of products as XNNPACK has it. p.x: scale; p.y: 0.
vec4 op_requantize_float_all(vec4 x, vec4 p) {
  return scaled_to_even(x, p.xxxx, int(p.y));
}
// The same with a scale for each channel, as the bits of floats.
vec4 op_requantize_float(vec4 x, ivec4 scale, ivec4 unused, vec4 p) {
  return scaled_to_even(x, intBitsToFloat(scale), int(p.y));
}

// --- 16-bit codes (delegate/passes/codes/wide_products.cc) ---------------------

// The code of a real value. p.x: its scale; zero points are zero.
vec4 op_code_of(vec4 x, vec4 p) { return floor(x / p.x + 0.5); }
// Where a code lies in a table of 65,536.
ivec4 op_lookup_wide(vec4 x, vec4 p) { return clamp(ivec4(x) + 32768, 0, 65535); }
// One part of a code, which is the sum of its parts, each times its unit. p.y: one
// over the part's unit, p.z: one over the next part's, 0 for none; p.w: the next
// unit is so many of this one. From -p.w / 2 to p.w / 2.
vec4 op_code_part(vec4 x, vec4 p) {
  vec4 code = op_code_of(x, p);
  return floor(code * p.y + 0.5) - p.w * floor(code * p.z + 0.5);
}
// quant/fixed_point.h's Add() of such codes, with 15 more bits. p: the multiplier
// of the finer scale and that of the sum, as the bits of floats, 2^29 less; both
// shifts to the right, the first times 64; flags: 1 where a is the finer, 2 to
// subtract, 4 where ties go up.
vec4 op_add_wide(vec4 a, vec4 b, vec4 p) {
  ivec2 multipliers = floatBitsToInt(p.xy) + 0x20000000;
  int shifts = int(p.z);
  int flags = int(p.w);
  bool a_is_finer = (flags & 1) != 0;
  bool ties_up = (flags & 4) != 0;
  ivec4 finer = ivec4(a_is_finer ? a : b) << 15;
  finer = op_rescale(finer, ivec4(multipliers.x), ivec4(-(shifts >> 6)), ties_up);
  ivec4 coarser = ivec4(a_is_finer ? b : a) << 14;
  ivec4 first = a_is_finer ? finer : coarser;
  ivec4 second = a_is_finer ? coarser : finer;
  if ((flags & 2) != 0) second = -second;
  return vec4(op_rescale(first + second, ivec4(multipliers.y),
                         ivec4(-(shifts & 63)), ties_up));
}
// TFLite's ADD and SUB of such codes where all scales are powers of two. p: one over
// the powers of two that a and b are divided by, ties away from zero; 1, or -1 to
// subtract.
vec4 op_add_shifted(vec4 a, vec4 b, vec4 p) {
  vec4 x = floor(abs(a) * p.x + 0.5);
  vec4 y = floor(abs(b) * p.y + 0.5);
  x = mix(x, -x, lessThan(a, vec4(0.0)));
  y = mix(y, -y, lessThan(b, vec4(0.0)));
  return clamp(x + p.z * y, -32768.0, 32767.0);
}
// A product of such codes, scaled. p: as op_requantize_all has it.
vec4 op_mul_wide(vec4 a, vec4 b, vec4 p) {
  ivec4 multiplier = ivec4(int(p.x) * 32768 + int(p.y));
  return vec4(op_rescale(ivec4(a) * ivec4(b), multiplier, ivec4(int(p.z)), false));
}
// A sum from those of its high and its low parts, less than 0x3f000000 in
// magnitude: as the bits of a float, 2^30 more, which is never denormal or NaN.
vec4 op_join_sums(vec4 high, vec4 low, vec4 p) {
  return intBitsToFloat(ivec4(high) * 256 + ivec4(low) + 0x40000000);
}
// (x + half) >> shift of 64 bits, of which the lower 32 are left; 1 <= shift <= 62.
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
  // Shifts of 32 bits are undefined: by 31 and by one more.
  ivec4 near = ivec4((sum >> (by & 31u)) | ((uvec4(high) << 1u) << (31u - (by & 31u))));
  ivec4 far = high >> ivec4(by & 31u);
  return mix(near, far, whole);
}
// quant/fixed_point.h's MultiplyOnce() of a sum of 64 bits, of which the lower 32 are
// left; 1 <= right <= 62. The multiplier is not negative: the upper word wraps as it
// should.
ivec4 op_rescale_64(ivec4 high, uvec4 low, uvec4 multiplier, ivec4 right) {
  uvec4 upper, lower;
  umulExtended(low, multiplier, upper, lower);
  return op_shifted_right(ivec4(upper + uvec4(high) * multiplier), lower, right);
}
// A sum of op_join_sums by quant/fixed_point.h's Multiply(), ties up.
vec4 op_rescale_sum_twice(vec4 x, ivec4 multiplier, ivec4 shift, vec4 p) {
  ivec4 sum = floatBitsToInt(x) - 0x40000000;
  return vec4(op_rescale(sum, multiplier, shift, true));
}
// The same of a sum of op_join_sums.
vec4 op_rescale_sum(vec4 x, ivec4 multiplier, ivec4 shift, vec4 p) {
  ivec4 high, low;
  imulExtended(floatBitsToInt(x) - 0x40000000, multiplier, high, low);
  return vec4(op_shifted_right(high, uvec4(low), shift));
}
