// Building blocks of the elementwise functions: special values, quotients,
// exponentials, logarithms, angles. All in highp.
//
// Transcendental functions are implemented here, since drivers only guarantee
// the precision of GLSL ES 3.10 (section 4.7.1), and Mesa's exp, log and pow
// lose up to half of the mantissa. NaNs are detected by their bits: min, max,
// clamp and isnan() need not honour them.

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
// The top 12 bits of the significand, by bits, so that compilers do not
// simplify x - high_part(x); products of two such parts are exact.
vec4 high_part(vec4 x) {
  return uintBitsToFloat(floatBitsToUint(x) & 0xfffff000u);
}

// x / y. Above 2^126 a driver may flush 1 / y to zero (GLSL ES 3.10, 4.7.1);
// NVIDIA's does.
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

// x = n * ln(2) + r; ln(2) in two parts, the first with 9 bits.
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

// The special cases of all logarithms.
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
  // 2 atanh(s) = d - s * (d - 2 * series): the rounding of s does not affect
  // the first term.
  vec4 y = d - s * (d - 2.0 * atanh_series(s));
  y += e * -2.12194440e-4;
  return log_limits(y + e * 0.693359375, x);
}

// x modulo pi / 2 for |x| from 2^13 on: multiplies by the bits of 2 / pi that
// the quotient modulo 4 and its fraction need (Payne and Hanek's reduction).
float reduce_large(float x, out int quadrant) {
  const uint kTwoOverPi[9] =
      uint[9](0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
              0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u);
  uint bits = floatBitsToUint(x);
  uint m = (bits & 0x7fffffu) | 0x800000u;  // |x| = m * 2^e
  int e = int((bits >> 23) & 0xffu) - 150;
  // Higher bits of 2 / pi only add multiples of 4.
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
  // high:low is a quarter of the quotient, modulo 1. Rounds to nearest.
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
  // pi / 2 in three parts, the first two with 8 and 11 bits.
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
  // Rational in x on [-7.9, 7.9], 1 outside.
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

// atan(n / d) for 0 <= n <= d: by pi / 4 above tan(pi / 8), then a polynomial.
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
// The nearest integer, ties to even; round() leaves ties to the driver.
vec4 nearest_even(vec4 x) {
  vec4 below = floor(x);
  vec4 rest = x - below;
  vec4 tie = mix(below, below + 1.0, is_odd(below));
  vec4 y = mix(below, below + 1.0, greaterThan(rest, vec4(0.5)));
  return mix(y, tie, equal(rest, vec4(0.5)));
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
  // 2 / ln(2) in two parts, the first with 12 bits.
  vec4 l_high = s_high * 2.884765625;
  vec4 l_low = s_high * 6.24456777927e-4 + s_low * 2.88539008178;
  vec4 log_high = high_part(e + l_high);
  vec4 log_low = ((e - log_high) + l_high) + l_low;
  vec4 y_high = high_part(y);
  vec4 z_high = y_high * log_high;
  vec4 z_low = (y - y_high) * log_high + y * log_low;
  vec4 z = z_high + z_low;
  // Outside this range the result is infinite or zero, and the parts may be
  // NaN.
  bvec4 over = greaterThan(z, vec4(129.0));
  bvec4 under = lessThan(z, vec4(-151.0));
  vec4 n = floor(clamp(z, -151.0, 129.0) + 0.5);
  vec4 f = ((z_high - n) + z_low) * 0.69314718056;
  vec4 r = scale_by_power(1.0 + expm1_reduced(f), n);
  return mix(mix(r, vec4(INFINITY_), over), vec4(0.0), under);
}

// a modulo b, exact, for a and b >= 0: long division, eight bits per step.
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
