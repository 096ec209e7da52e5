// The elementwise functions: op_<name>(x, params), op_<name>(x, y, params). A
// node of such an op is a copy with one of these as its post-op; the fusion
// pass moves the post-op to the producer of the copy's input. All in highp.
// Functions that also work on integers and bools have a form with ivec4.
// math.glsl has their building blocks, quantized.glsl the functions of quantized
// values.
//
// A function of two arguments has a second form for a constant scalar y:
// op_<name>(x, params), y = params.x, the arguments swapped if params.y != 0
// (ScalarForms() of gl_shaders/shader.cc).

// --- Ranges ------------------------------------------------------------------

// NaN stays NaN, as in TFLite's kernels.
vec4 op_clamp(vec4 x, vec4 p) { return mix(clamp(x, p.x, p.y), x, is_nan(x)); }

// --- One argument ------------------------------------------------------------

vec4 op_abs(vec4 x, vec4 p) { return abs(x); }
vec4 op_neg(vec4 x, vec4 p) { return -x; }
vec4 op_square(vec4 x, vec4 p) { return x * x; }
vec4 op_floor(vec4 x, vec4 p) { return floor(x); }
vec4 op_ceil(vec4 x, vec4 p) { return ceil(x); }
vec4 op_round(vec4 x, vec4 p) { return mix(nearest_even(x), x, is_inf(x)); }
vec4 op_sign(vec4 x, vec4 p) { return mix(sign(x), x, is_nan(x)); }
vec4 op_zeros_like(vec4 x, vec4 p) { return vec4(0.0); }
vec4 op_sqrt(vec4 x, vec4 p) {
  vec4 y = mix(sqrt(x), vec4(NAN_), lessThan(x, vec4(0.0)));
  return mix(y, x, is_nan(x));
}
vec4 op_rsqrt(vec4 x, vec4 p) { return 1.0 / op_sqrt(x, p); }
vec4 op_exp(vec4 x, vec4 p) { return exp_of(x); }
// Integers in the order of the floats, independent of drivers' treatment of NaN
// and denormals. Denormals are 0, as in TFLite, which flushes them; NaN comes
// last, and is the only one with the smallest integer.
ivec4 op_order_keys(vec4 v) {
  ivec4 bits = floatBitsToInt(v);
  ivec4 size = bits & 0x7fffffff;
  ivec4 key = mix(bits, bits ^ 0x7fffffff, lessThan(bits, ivec4(0)));
  key = mix(key, ivec4(0), lessThan(size, ivec4(0x00800000)));
  return mix(key, ivec4(~0x7fffffff), greaterThan(size, ivec4(0x7f800000)));
}
vec4 op_log(vec4 x, vec4 p) { return log_of(x); }
vec4 op_sin(vec4 x, vec4 p) { return sin_of(x, 0); }
vec4 op_cos(vec4 x, vec4 p) { return sin_of(x, 1); }
vec4 op_tanh(vec4 x, vec4 p) { return tanh_of(x); }
vec4 op_logistic(vec4 x, vec4 p) { return logistic_of(x); }
vec4 op_silu(vec4 x, vec4 p) { return x * logistic_of(x); }
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
// x (1 + tanh(z)) / 2 by the logistic function, which preserves small results.
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
// x > y ? x : y as in TFLite's kernel: y if either is NaN.
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
  // Avoids overflow of sums and loss of the quotients' last bits.
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
// floor(x / y) of the exact quotient, even if the float quotient rounds up to
// an integer.
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
// The remainder with the divisor's sign: std::fmod, then adjusted.
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
  // A negative base: the sign of an odd power, NaN for non-integers.
  bvec4 negative = is_negative(x);
  vec4 whole = mix(r, -r, is_odd(y));
  vec4 broken = mix(vec4(NAN_), r, is_inf(x));
  broken = mix(broken, r, equal(a, zero));
  r = mix(r, mix(broken, whole, is_integer(y)), negative);
  // An infinite exponent: depends on |x| only. After the handling of negative
  // bases, since is_integer() is false for infinities on virgl: Mesa (22.3)
  // turns floor(y) == y into fract(y) == 0.0 there, which is NaN.
  vec4 at_inf = mix(zero, inf, greaterThan(a, one));
  vec4 at_minus_inf = mix(inf, zero, greaterThan(a, one));
  r = mix(r, mix(at_inf, at_minus_inf, inverse), is_inf(y));
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
// Quotients of magnitudes: GLSL ES leaves signed remainders undefined.
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
// By squaring; the low 32 bits. 0 for exponents below 0.
ivec4 op_pow(ivec4 x, ivec4 y, vec4 p) {
  ivec4 r = mix(ivec4(1), ivec4(0), lessThan(y, ivec4(0)));
  for (int bit = 0; bit < 31; ++bit) {
    r = mix(r, r * x, notEqual(y & 1, ivec4(0)));
    x *= x;
    y >>= 1;
  }
  return r;
}
ivec4 op_bitwise_xor(ivec4 x, ivec4 y, vec4 p) { return x ^ y; }
// An arithmetic shift; shifts are clamped to 0 to 31.
ivec4 op_right_shift(ivec4 x, ivec4 y, vec4 p) { return x >> clamp(y, 0, 31); }
// Shifts count modulo 32, as in TFLite's kernel on x86.
ivec4 op_shift_left(ivec4 x, ivec4 y, vec4 p) { return x << (y & 31); }
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

// Integers as p.x only up to 2^24, which floats represent.
ivec4 first_of(ivec4 x, vec4 p) { return p.y == 0.0 ? x : ivec4(int(p.x)); }
ivec4 second_of(ivec4 x, vec4 p) { return p.y == 0.0 ? ivec4(int(p.x)) : x; }
vec4 first_of(vec4 x, vec4 p) { return p.y == 0.0 ? x : vec4(p.x); }
vec4 second_of(vec4 x, vec4 p) { return p.y == 0.0 ? vec4(p.x) : x; }
