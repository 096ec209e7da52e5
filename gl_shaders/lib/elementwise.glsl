// The elementwise functions: op_<name>(x, params), op_<name>(x, y, params).
// A node of such an op is a copy with one of these as its post-op; the fusion
// pass moves it into whatever writes its input. All in highp. Functions that work
// on integers and bools too have a form with ivec4.
//
// A shader gets the functions that it names and those that they call, without
// comments (gl_shaders/library.h).
//
// A function of two arguments has a second form for a constant scalar y:
// op_<name>(x, params), y = params.x, the arguments swapped if params.y != 0.
//
// The transcendental functions are spelled out, because what drivers give is
// no better than GLSL ES 3.10 asks of them (section 4.7.1), and Mesa's exp, log
// and pow lose up to half of the mantissa. NaNs are told by their bits: min,
// max, clamp and isnan() need not honour them.

#define INFINITY_ uintBitsToFloat(0x7f800000u)
#define NAN_ uintBitsToFloat(0x7fc00000u)

bvec4 is_nan(vec4 x) {
  return greaterThan(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u));
}
bvec4 is_inf(vec4 x) {
  return equal(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u));
}
bvec4 is_negative(vec4 x) {  // of -0.0 too
  return notEqual(floatBitsToUint(x) & 0x80000000u, uvec4(0u));
}
// The top 12 bits of the significand. By bits, so that no compiler simplifies
// x - high_part(x); the product of two such parts is exact.
vec4 high_part(vec4 x) {
  return uintBitsToFloat(floatBitsToUint(x) & 0xfffff000u);
}

// What an 8-bit tensor makes of x: to its code and back (quant/affine.h). p:
// scale, zero point, least code, greatest code. Ties go away from zero, as in
// TFLite's QUANTIZE; codes are exact in floats.
vec4 op_quantize(vec4 x, vec4 p) {
  vec4 steps = x / p.x;
  vec4 code = sign(steps) * floor(abs(steps) + 0.5) + p.y;
  return (clamp(code, p.z, p.w) - p.y) * p.x;
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
// codes from 0 up of what is read: the zero points of uint8.
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

// x / y. Past 2^126 a driver may take 1 / y for zero (GLSL ES 3.10, 4.7.1); an
// H200 does.
vec4 quotient(vec4 x, vec4 y) {
  vec4 scale = mix(vec4(1.0), vec4(0.25), greaterThan(abs(y), vec4(8.5e37)));
  return (x * scale) / (y * scale);
}

// y * 2^n, for |n| <= 250 and results that may overflow or underflow.
vec4 scale_by_power(vec4 y, vec4 n) {
  vec4 half_n = floor(n * 0.5);
  ivec4 first = ivec4(half_n) + 127;
  ivec4 second = ivec4(n - half_n) + 127;
  return y * intBitsToFloat(first << 23) * intBitsToFloat(second << 23);
}

// (e^r - 1) for |r| <= ln(2) / 2.
vec4 expm1_reduced(vec4 r) {
  vec4 p = 1.9875691500e-4 * r + 1.3981999507e-3;
  p = p * r + 8.3334519073e-3;
  p = p * r + 4.1665795894e-2;
  p = p * r + 1.6666665459e-1;
  p = p * r + 5.0000001201e-1;
  return p * (r * r) + r;
}

// x = n * ln(2) + r; ln(2) in two parts, the first of 9 bits.
vec4 reduce_by_ln2(vec4 x, out vec4 n) {
  n = floor(x * 1.44269504089 + 0.5);
  return (x - n * 0.693359375) - n * -2.12194440e-4;
}

vec4 exp_of(vec4 x) {
  vec4 n;
  vec4 r = reduce_by_ln2(clamp(x, -104.0, 89.0), n);
  return mix(scale_by_power(1.0 + expm1_reduced(r), n), x, is_nan(x));
}

vec4 expm1_of(vec4 x) {
  vec4 n;
  vec4 r = reduce_by_ln2(clamp(x, -104.0, 89.0), n);
  vec4 m = expm1_reduced(r);
  vec4 y = mix(scale_by_power(1.0 + m, n) - 1.0, m, equal(n, vec4(0.0)));
  return mix(y, x, is_nan(x));
}

// x = m * 2^e, sqrt(1/2) <= m < sqrt(2), for finite x > 0.
vec4 split_power(vec4 x, out vec4 e) {
  bvec4 tiny = lessThan(x, vec4(1.17549435e-38));
  ivec4 bits = floatBitsToInt(mix(x, x * 8388608.0, tiny));
  // So that m's exponent is 0 from sqrt(1/2) on.
  ivec4 shifted = bits - 0x3f3504f3;
  ivec4 power = shifted >> 23;
  e = vec4(power) - mix(vec4(0.0), vec4(23.0), tiny);
  return intBitsToFloat(bits - (power << 23));
}

// atanh(s) / s - 1, for |s| <= 0.1716: the series of log((1 + s) / (1 - s)).
vec4 atanh_series(vec4 s) {
  vec4 z = s * s;
  vec4 p = 0.1111111 * z + 0.14285714;
  p = p * z + 0.2;
  p = p * z + 0.33333333;
  return p * z;
}

// The special cases that every logarithm shares.
vec4 log_limits(vec4 y, vec4 x) {
  y = mix(y, vec4(-INFINITY_), equal(x, vec4(0.0)));
  y = mix(y, vec4(NAN_), lessThan(x, vec4(0.0)));
  y = mix(y, x, equal(floatBitsToUint(x), uvec4(0x7f800000u)));
  return mix(y, x, is_nan(x));
}

vec4 log_of(vec4 x) {
  vec4 e;
  vec4 d = split_power(x, e) - 1.0;
  vec4 s = d / (2.0 + d);
  // 2 atanh(s) = d - s * (d - 2 * series): no rounding of s reaches the first
  // term.
  vec4 y = d - s * (d - 2.0 * atanh_series(s));
  y += e * -2.12194440e-4;
  return log_limits(y + e * 0.693359375, x);
}

// x by pi / 2 for |x| from 2^13 on: the product with as many bits of 2 / pi as
// the quotient modulo 4 and its fraction need (Payne and Hanek's reduction).
float reduce_large(float x, out int quadrant) {
  const uint kTwoOverPi[9] =
      uint[9](0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
              0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u);
  uint bits = floatBitsToUint(x);
  uint m = (bits & 0x7fffffu) | 0x800000u;  // |x| = m * 2^e
  int e = int((bits >> 23) & 0xffu) - 150;
  // Bits of 2 / pi above this one only add multiples of 4.
  int at = clamp(e - 2 + 32, 0, 159);
  int word = at >> 5;
  int shift = at & 31;
  uint w[3];
  for (int i = 0; i < 3; ++i) {
    w[i] = kTwoOverPi[word + i] << shift;
    if (shift > 0) w[i] |= kTwoOverPi[word + i + 1] >> (32 - shift);
  }
  uint high1, low1, high2, low2, carry;
  umulExtended(m, w[1], high1, low1);
  umulExtended(m, w[2], high2, low2);
  uint low = uaddCarry(low1, high2, carry);
  uint high = m * w[0] + high1 + carry;
  // A quarter of the quotient, modulo 1, is high:low now. To the nearest.
  uint nearest = high + 0x20000000u;
  quadrant = int(nearest >> 30);
  high -= uint(quadrant) << 30;
  float r = float(int(high)) * 1.4629180792671596e-9 +  // pi / 2 * 2^-30
            float(low) * 3.4061215800e-19;
  if (x < 0.0) quadrant = -quadrant;
  return x < 0.0 ? -r : r;
}

// sin(x + quarters * pi / 2).
vec4 sin_of(vec4 x, int quarters) {
  vec4 n = floor(x * 0.636619772368 + 0.5);
  // pi / 2 in three parts, the first two of 8 and 11 bits.
  vec4 r = ((x - n * 1.5703125) - n * 4.837512969970703125e-4) -
           n * 7.54978995489188216e-8;
  ivec4 quadrant = ivec4(clamp(n, -8192.0, 8192.0));
  for (int i = 0; i < 4; ++i) {
    if (abs(x[i]) > 8192.0) r[i] = reduce_large(x[i], quadrant[i]);
  }
  quadrant += quarters;
  vec4 z = r * r;
  vec4 s = -1.9515295891e-4 * z + 8.3321608736e-3;
  s = (s * z - 1.6666654611e-1) * z * r + r;
  vec4 c = 2.443315711809948e-5 * z - 1.388731625493765e-3;
  c = (c * z + 4.166664568298827e-2) * z * z - 0.5 * z + 1.0;
  vec4 y = mix(s, c, equal(quadrant & 1, ivec4(1)));
  y = mix(y, -y, equal(quadrant & 2, ivec4(2)));
  return mix(mix(y, vec4(NAN_), is_inf(x)), x, is_nan(x));
}

vec4 tanh_of(vec4 x) {
  // Rational in x on [-7.9, 7.9], 1 past it.
  vec4 a = clamp(x, -9.0, 9.0);
  vec4 z = a * a;
  vec4 p = -2.76076847742355e-16 * z + 2.00018790482477e-13;
  p = p * z - 8.60467152213735e-11;
  p = p * z + 5.12229709037114e-08;
  p = p * z + 1.48572235717979e-05;
  p = p * z + 6.37261928875436e-04;
  p = p * z + 4.89352455891786e-03;
  vec4 q = 1.19825839466702e-06 * z + 1.18534705686654e-04;
  q = q * z + 2.26843463243900e-03;
  q = q * z + 4.89352518554385e-03;
  vec4 y = clamp(a * p / q, -1.0, 1.0);
  y = mix(y, x, lessThan(abs(x), vec4(0.0004)));
  return mix(y, x, is_nan(x));
}

vec4 logistic_of(vec4 x) {
  vec4 e = exp_of(-abs(x));  // never overflows
  return mix(e, vec4(1.0), greaterThanEqual(x, vec4(0.0))) / (1.0 + e);
}

vec4 erf_of(vec4 x) {
  vec4 a = clamp(x, -4.0, 4.0);  // erf(4) rounds to 1
  vec4 z = a * a;
  vec4 p = -2.72614225801306e-10 * z + 2.77068142495902e-08;
  p = p * z - 2.10102402082508e-06;
  p = p * z - 5.69250639462346e-05;
  p = p * z - 7.34990630326855e-04;
  p = p * z - 2.95459980854025e-03;
  p = p * z - 1.60960333262415e-02;
  vec4 q = -1.45660718464996e-05 * z - 2.13374055278905e-04;
  q = q * z - 1.68282697438203e-03;
  q = q * z - 7.37332916720468e-03;
  q = q * z - 1.42647390514189e-02;
  return mix(clamp(a * p / q, -1.0, 1.0), x, is_nan(x));
}

// atan(n / d) for 0 <= n <= d: by pi / 4 past tan(pi / 8), then a polynomial.
vec4 atan_of_fraction(vec4 n, vec4 d) {
  bvec4 far = greaterThan(n, 0.41421356 * d);
  vec4 z = quotient(mix(n, n - d, far), mix(d, n + d, far));
  vec4 w = z * z;
  vec4 p = 8.05374449538e-2 * w - 1.38776856032e-1;
  p = p * w + 1.99777106478e-1;
  p = p * w - 3.33329491539e-1;
  return mix(vec4(0.0), vec4(0.78539816340), far) + (p * w * z + z);
}

bvec4 is_integer(vec4 x) { return equal(floor(x), x); }
bvec4 is_odd(vec4 x) {  // an integer x
  return notEqual(2.0 * floor(0.5 * x), x);
}

// x^y for finite x > 0: 2^(y * log2(x)) with log2 and the product in two parts.
vec4 positive_pow(vec4 x, vec4 y) {
  vec4 e;
  vec4 m = split_power(x, e);
  vec4 d = m - 1.0;
  vec4 t = m + 1.0;
  vec4 s = d / t;
  vec4 s_high = high_part(s);
  vec4 t_high = high_part(t);
  vec4 t_low = m - (t_high - 1.0);
  vec4 s_low = ((d - s_high * t_high) - s_high * t_low) / t;
  s_low += s * atanh_series(s);
  // 2 / ln(2) in two parts, the first of 12 bits.
  vec4 l_high = s_high * 2.884765625;
  vec4 l_low = s_high * 6.24456777927e-4 + s_low * 2.88539008178;
  vec4 log_high = high_part(e + l_high);
  vec4 log_low = ((e - log_high) + l_high) + l_low;
  vec4 y_high = high_part(y);
  vec4 z_high = y_high * log_high;
  vec4 z_low = (y - y_high) * log_high + y * log_low;
  vec4 z = z_high + z_low;
  // Past these the result is infinite or zero, and the parts may be no numbers.
  bvec4 over = greaterThan(z, vec4(129.0));
  bvec4 under = lessThan(z, vec4(-151.0));
  vec4 n = floor(clamp(z, -151.0, 129.0) + 0.5);
  vec4 f = ((z_high - n) + z_low) * 0.69314718056;
  vec4 r = scale_by_power(1.0 + expm1_reduced(f), n);
  return mix(mix(r, vec4(INFINITY_), over), vec4(0.0), under);
}

// a modulo b, exact, for a and b >= 0: long division, eight bits a step.
float fmod_of(float a, float b) {
  if (a < b) return a;
  uint a_bits = floatBitsToUint(a);
  uint b_bits = floatBitsToUint(b);
  int steps = int(a_bits >> 23) - int(b_bits >> 23);
  if (b_bits < 0x800000u) return NAN_;  // zero
  uint divisor = (b_bits & 0x7fffffu) | 0x800000u;
  uint rest = ((a_bits & 0x7fffffu) | 0x800000u) % divisor;
  while (steps > 0) {
    int s = min(steps, 8);
    rest = (rest << s) % divisor;
    steps -= s;
  }
  int power = int(b_bits >> 23) - 150;
  return scale_by_power(vec4(float(rest)), vec4(float(power))).x;
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
// quant/fixed_point.h's MultiplyOnce() of a sum of op_join_sums.
vec4 op_rescale_sum(vec4 x, ivec4 multiplier, ivec4 shift, vec4 p) {
  ivec4 high, low;
  imulExtended(floatBitsToInt(x) - 0x40000000, multiplier, high, low);
  return vec4(op_shifted_right(high, uvec4(low), shift));
}

// --- Ranges ------------------------------------------------------------------

// NaN stays NaN, as in TFLite's kernels.
vec4 op_clamp(vec4 x, vec4 p) { return mix(clamp(x, p.x, p.y), x, is_nan(x)); }

// --- One argument ------------------------------------------------------------

vec4 op_abs(vec4 x, vec4 p) { return abs(x); }
vec4 op_neg(vec4 x, vec4 p) { return -x; }
vec4 op_square(vec4 x, vec4 p) { return x * x; }
vec4 op_floor(vec4 x, vec4 p) { return floor(x); }
vec4 op_ceil(vec4 x, vec4 p) { return ceil(x); }
// Ties to even; round() leaves ties to the driver.
vec4 op_round(vec4 x, vec4 p) {
  vec4 below = floor(x);
  vec4 rest = x - below;
  bvec4 odd = is_odd(below);
  vec4 tie = mix(below, below + 1.0, odd);
  vec4 y = mix(below, below + 1.0, greaterThan(rest, vec4(0.5)));
  y = mix(y, tie, equal(rest, vec4(0.5)));
  return mix(y, x, is_inf(x));
}
vec4 op_sign(vec4 x, vec4 p) { return mix(sign(x), x, is_nan(x)); }
vec4 op_zeros_like(vec4 x, vec4 p) { return vec4(0.0); }
vec4 op_sqrt(vec4 x, vec4 p) {
  vec4 y = mix(sqrt(x), vec4(NAN_), lessThan(x, vec4(0.0)));
  return mix(y, x, is_nan(x));
}
vec4 op_rsqrt(vec4 x, vec4 p) { return 1.0 / op_sqrt(x, p); }
vec4 op_exp(vec4 x, vec4 p) { return exp_of(x); }
vec4 op_log(vec4 x, vec4 p) { return log_of(x); }
vec4 op_sin(vec4 x, vec4 p) { return sin_of(x, 0); }
vec4 op_cos(vec4 x, vec4 p) { return sin_of(x, 1); }
vec4 op_tanh(vec4 x, vec4 p) { return tanh_of(x); }
vec4 op_logistic(vec4 x, vec4 p) { return logistic_of(x); }
vec4 op_elu(vec4 x, vec4 p) {
  return mix(x, expm1_of(x), lessThan(x, vec4(0.0)));
}
vec4 op_leaky_relu(vec4 x, vec4 p) {
  return mix(x, x * p.x, lessThan(x, vec4(0.0)));
}
vec4 op_hard_swish(vec4 x, vec4 p) {
  return x * clamp(x + 3.0, 0.0, 6.0) / 6.0;
}
vec4 op_gelu(vec4 x, vec4 p) {
  return 0.5 * x * (1.0 + erf_of(x * 0.70710678118654752));
}
// x (1 + tanh(z)) / 2 by the logistic function, which keeps small results.
vec4 op_gelu_tanh(vec4 x, vec4 p) {
  return x * logistic_of(1.5957691216057308 * (x + 0.044715 * x * x * x));
}

// --- Two arguments -----------------------------------------------------------

vec4 op_add(vec4 x, vec4 y, vec4 p) { return x + y; }
vec4 op_sub(vec4 x, vec4 y, vec4 p) { return x - y; }
vec4 op_mul(vec4 x, vec4 y, vec4 p) { return x * y; }
vec4 op_div(vec4 x, vec4 y, vec4 p) { return quotient(x, y); }
vec4 op_squared_difference(vec4 x, vec4 y, vec4 p) {
  vec4 d = x - y;
  return d * d;
}
// x > y ? x : y, as TFLite's kernel has it: y where either is NaN.
vec4 op_maximum(vec4 x, vec4 y, vec4 p) {
  return mix(mix(max(x, y), y, is_nan(x)), y, is_nan(y));
}
vec4 op_minimum(vec4 x, vec4 y, vec4 p) {
  return mix(mix(min(x, y), y, is_nan(x)), y, is_nan(y));
}
vec4 op_prelu(vec4 x, vec4 y, vec4 p) {
  return mix(x, x * y, lessThan(x, vec4(0.0)));
}
// The angle of the point (y, x), as std::atan2, special cases included.
vec4 op_atan2(vec4 y, vec4 x, vec4 p) {
  vec4 a = abs(x);
  vec4 b = abs(y);
  bvec4 steep = greaterThan(b, a);
  vec4 d = mix(a, b, steep);
  vec4 n = mix(b, a, steep);
  // Away from where sums overflow and quotients lose their last bits.
  vec4 scale = mix(vec4(1.0), vec4(0.0625), greaterThan(d, vec4(1e37)));
  scale = mix(scale, vec4(1.8446744e19), lessThan(d, vec4(1e-18)));
  vec4 r = atan_of_fraction(n * scale, d * scale);
  r = mix(r, vec4(0.0), is_inf(d));
  r = mix(r, vec4(0.78539816340), equal(a, b));  // infinities too
  r = mix(r, vec4(0.0), equal(d, vec4(0.0)));
  r = mix(r, 1.5707963268 - r, steep);
  r = mix(r, 3.1415926536 - r, is_negative(x));
  r = mix(r, -r, is_negative(y));
  return mix(mix(r, x, is_nan(x)), y, is_nan(y));
}
// floor(x / y) of the exact quotient, not of one rounded up to an integer.
vec4 op_floor_div(vec4 x, vec4 y, vec4 p) {
  vec4 a = abs(x);
  vec4 b = abs(y);
  vec4 rest;
  for (int i = 0; i < 4; ++i) rest[i] = fmod_of(a[i], b[i]);
  rest = mix(rest, vec4(0.0), is_inf(y));
  vec4 q = quotient(a - rest, b);
  q = mix(q, floor(q + 0.5), lessThan(q, vec4(8388608.0)));
  q = mix(q, vec4(0.0), is_inf(y));
  vec4 below = mix(vec4(0.0), vec4(1.0), notEqual(rest, vec4(0.0)));
  q = mix(q, -q - below, notEqual(is_negative(x), is_negative(y)));
  q = mix(q, quotient(x, y), is_inf(x));
  q = mix(q, quotient(x, y), equal(y, vec4(0.0)));
  return mix(mix(q, x, is_nan(x)), y, is_nan(y));
}
// The remainder with the divisor's sign: std::fmod, then moved there.
vec4 op_floor_mod(vec4 x, vec4 y, vec4 p) {
  vec4 r;
  for (int i = 0; i < 4; ++i) r[i] = fmod_of(abs(x[i]), abs(y[i]));
  r = mix(r, -r, is_negative(x));
  bvec4 apart = notEqual(is_negative(x), is_negative(y));
  r = mix(r, mix(r, r + y, apart), notEqual(r, vec4(0.0)));
  r = mix(r, vec4(NAN_), is_inf(x));
  return mix(mix(r, x, is_nan(x)), y, is_nan(y));
}
// As std::pow, special cases included.
vec4 op_pow(vec4 x, vec4 y, vec4 p) {
  vec4 a = abs(x);
  vec4 zero = vec4(0.0);
  vec4 one = vec4(1.0);
  vec4 inf = vec4(INFINITY_);
  bvec4 inverse = is_negative(y);
  vec4 r = positive_pow(mix(a, one, is_inf(x)), y);
  r = mix(r, mix(zero, inf, inverse), equal(a, zero));
  r = mix(r, mix(inf, zero, inverse), is_inf(x));
  // An infinite exponent: by the size of |x|.
  vec4 at_inf = mix(zero, inf, greaterThan(a, one));
  vec4 at_minus_inf = mix(inf, zero, greaterThan(a, one));
  r = mix(r, mix(at_inf, at_minus_inf, inverse), is_inf(y));
  // A negative base: the sign of an odd power, no value between integers.
  bvec4 negative = is_negative(x);
  vec4 whole = mix(r, -r, is_odd(y));
  vec4 broken = mix(vec4(NAN_), r, is_inf(x));
  broken = mix(broken, r, equal(a, zero));
  r = mix(r, mix(broken, whole, is_integer(y)), negative);
  r = mix(r, vec4(NAN_), is_nan(x));
  r = mix(r, vec4(NAN_), is_nan(y));
  r = mix(r, one, equal(x, one));
  r = mix(r, mix(r, one, is_inf(y)), equal(a, one));
  return mix(r, one, equal(y, zero));
}

// --- Integers and bools (0 or 1) ---------------------------------------------

// Sums, differences and products keep the low 32 bits, as TFLite's do.
ivec4 op_add(ivec4 x, ivec4 y, vec4 p) { return x + y; }
ivec4 op_sub(ivec4 x, ivec4 y, vec4 p) { return x - y; }
ivec4 op_mul(ivec4 x, ivec4 y, vec4 p) { return x * y; }
ivec4 op_maximum(ivec4 x, ivec4 y, vec4 p) { return max(x, y); }
ivec4 op_minimum(ivec4 x, ivec4 y, vec4 p) { return min(x, y); }
ivec4 op_squared_difference(ivec4 x, ivec4 y, vec4 p) {
  ivec4 d = x - y;
  return d * d;
}
// Quotients of the magnitudes: GLSL ES leaves signed remainders open.
uvec4 magnitude(ivec4 x) { return uvec4(mix(x, -x, lessThan(x, ivec4(0)))); }
bvec4 signs_differ(ivec4 x, ivec4 y) { return lessThan(x ^ y, ivec4(0)); }
// Towards zero; 0 by zero.
ivec4 op_div(ivec4 x, ivec4 y, vec4 p) {
  ivec4 q = ivec4(magnitude(x) / max(magnitude(y), uvec4(1u)));
  q = mix(q, -q, signs_differ(x, y));
  return mix(q, ivec4(0), equal(y, ivec4(0)));
}
// Towards minus infinity; 0 by zero.
ivec4 op_floor_div(ivec4 x, ivec4 y, vec4 p) {
  uvec4 a = magnitude(x);
  uvec4 b = max(magnitude(y), uvec4(1u));
  uvec4 q = a / b;
  uvec4 up = mix(q, q + 1u, notEqual(q * b, a));
  ivec4 r = mix(ivec4(q), -ivec4(up), signs_differ(x, y));
  return mix(r, ivec4(0), equal(y, ivec4(0)));
}
ivec4 op_floor_mod(ivec4 x, ivec4 y, vec4 p) {
  ivec4 r = x - op_floor_div(x, y, p) * y;
  return mix(r, ivec4(0), equal(y, ivec4(0)));
}
ivec4 op_logical_and(ivec4 x, ivec4 y, vec4 p) { return x & y; }
ivec4 op_logical_or(ivec4 x, ivec4 y, vec4 p) { return x | y; }
ivec4 op_logical_not(ivec4 x, vec4 p) { return 1 - x; }
ivec4 op_zeros_like(ivec4 x, vec4 p) { return ivec4(0); }
ivec4 op_abs(ivec4 x, vec4 p) { return mix(x, -x, lessThan(x, ivec4(0))); }
ivec4 op_neg(ivec4 x, vec4 p) { return -x; }
ivec4 op_sign(ivec4 x, vec4 p) { return sign(x); }
// No bound from 2^31 on.
ivec4 op_clamp(ivec4 x, vec4 p) {
  int low = p.x > -2147483648.0 ? int(p.x) : ~0x7fffffff;
  int high = p.y < 2147483648.0 ? int(p.y) : 0x7fffffff;
  return clamp(x, low, high);
}

// --- Constant scalars --------------------------------------------------------

// Integers as p.x only up to 2^24, which floats hold.
ivec4 first_of(ivec4 x, vec4 p) { return p.y == 0.0 ? x : ivec4(int(p.x)); }
ivec4 second_of(ivec4 x, vec4 p) { return p.y == 0.0 ? ivec4(int(p.x)) : x; }
vec4 first_of(vec4 x, vec4 p) { return p.y == 0.0 ? x : vec4(p.x); }
vec4 second_of(vec4 x, vec4 p) { return p.y == 0.0 ? vec4(p.x) : x; }
vec4 op_add(vec4 x, vec4 p) {
  return op_add(first_of(x, p), second_of(x, p), p);
}
vec4 op_sub(vec4 x, vec4 p) {
  return op_sub(first_of(x, p), second_of(x, p), p);
}
vec4 op_mul(vec4 x, vec4 p) {
  return op_mul(first_of(x, p), second_of(x, p), p);
}
vec4 op_div(vec4 x, vec4 p) {
  return op_div(first_of(x, p), second_of(x, p), p);
}
vec4 op_squared_difference(vec4 x, vec4 p) {
  return op_squared_difference(first_of(x, p), second_of(x, p), p);
}
vec4 op_maximum(vec4 x, vec4 p) {
  return op_maximum(first_of(x, p), second_of(x, p), p);
}
vec4 op_minimum(vec4 x, vec4 p) {
  return op_minimum(first_of(x, p), second_of(x, p), p);
}
vec4 op_prelu(vec4 x, vec4 p) {
  return op_prelu(first_of(x, p), second_of(x, p), p);
}
vec4 op_floor_div(vec4 x, vec4 p) {
  return op_floor_div(first_of(x, p), second_of(x, p), p);
}
vec4 op_floor_mod(vec4 x, vec4 p) {
  return op_floor_mod(first_of(x, p), second_of(x, p), p);
}
vec4 op_atan2(vec4 x, vec4 p) {
  return op_atan2(first_of(x, p), second_of(x, p), p);
}
vec4 op_pow(vec4 x, vec4 p) {
  return op_pow(first_of(x, p), second_of(x, p), p);
}
ivec4 op_add(ivec4 x, vec4 p) {
  return op_add(first_of(x, p), second_of(x, p), p);
}
ivec4 op_sub(ivec4 x, vec4 p) {
  return op_sub(first_of(x, p), second_of(x, p), p);
}
ivec4 op_mul(ivec4 x, vec4 p) {
  return op_mul(first_of(x, p), second_of(x, p), p);
}
ivec4 op_div(ivec4 x, vec4 p) {
  return op_div(first_of(x, p), second_of(x, p), p);
}
ivec4 op_squared_difference(ivec4 x, vec4 p) {
  return op_squared_difference(first_of(x, p), second_of(x, p), p);
}
ivec4 op_maximum(ivec4 x, vec4 p) {
  return op_maximum(first_of(x, p), second_of(x, p), p);
}
ivec4 op_minimum(ivec4 x, vec4 p) {
  return op_minimum(first_of(x, p), second_of(x, p), p);
}
ivec4 op_floor_div(ivec4 x, vec4 p) {
  return op_floor_div(first_of(x, p), second_of(x, p), p);
}
ivec4 op_floor_mod(ivec4 x, vec4 p) {
  return op_floor_mod(first_of(x, p), second_of(x, p), p);
}
ivec4 op_logical_and(ivec4 x, vec4 p) {
  return op_logical_and(first_of(x, p), second_of(x, p), p);
}
ivec4 op_logical_or(ivec4 x, vec4 p) {
  return op_logical_or(first_of(x, p), second_of(x, p), p);
}
