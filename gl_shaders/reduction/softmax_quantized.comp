// Softmax of each pixel's 8-bit quantized values, or its LOG, as in TFLite's
// kernels: exponentials from a table, added in order, with the same rounding of
// each operation. THREADS invocations share a pixel: 1, or the whole work
// group, which looks up what its first invocation adds. PRECISE: the driver's
// keyword for ordered sums. Without it ROUNDED enforces the order, at the cost
// of an integer addition per sum.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  int zero_in;
  int zero_out;
  int low;  // the type's minimum
  int truncates;   // uint8: a half is added, and the fraction goes
  float in_scale;
  float out_scale;
  float log_scale;  // LOG: in_scale / out_scale
  int never;  // 0, unknown to compilers: keeps a rounding separate
};

#define ROUNDED(X) intBitsToFloat(floatBitsToInt(X) + never)

// e^(-d * scale), for a distance d below the maximum.
float exp_below(int d) { return op_component(exps_at(d >> 2, 0), d); }

vec4 exps_below(vec4 v, float largest) {
  ivec4 d = ivec4(largest - v);
  d = clamp(d, 0, 255);  // for padding channels
  return vec4(exp_below(d.x), exp_below(d.y), exp_below(d.z), exp_below(d.w));
}

// For slice `s` with values `v`: 0 for padding channels, which does not change
// sums.
vec4 exps_of(int s, vec4 v, float largest) {
  return mix(exps_below(v, largest), vec4(0.0), op_past(s, src_aux.x));
}

#ifdef PRECISE
#define IN_ORDER(X) (X)
#else
#define PRECISE
#define IN_ORDER(X) ROUNDED(X)
#endif

// In order of the channels, which determines a float32 sum. Without loops or
// branches, since all other invocations wait for the one that adds.
float add_in_order(float sum, vec4 e) {
  PRECISE float x = IN_ORDER(sum + e.x);
  PRECISE float y = IN_ORDER(x + e.y);
  PRECISE float z = IN_ORDER(y + e.z);
  PRECISE float w = IN_ORDER(z + e.w);
  return w;
}

#if THREADS > 1
shared vec4 shares[THREADS];
// Texels that the adding invocation preloads.
const int kAhead = THREADS < 8 ? THREADS : 8;
#endif

float largest_of(ivec3 p, int thread) {
  const vec4 kMin = vec4(-512.0);
  vec4 most = kMin;
  for (int s = thread; s < src_size.z; s += THREADS) {
    most = max(most, mix(read_src(p.x, p.y, s, p.z), kMin, op_past(s, src_aux.x)));
  }
  COMBINE_SHARES(most, max)
  return max(max(most.x, most.y), max(most.z, most.w));
}

float sum_of(ivec3 p, int thread, float largest) {
  float sum = 0.0;
#if THREADS > 1
  barrier();  // all have read the largest
  for (int first = 0; first < src_size.z; first += THREADS) {
    int s = min(first + thread, src_size.z - 1);
    vec4 e = exps_of(s, read_src(p.x, p.y, s, p.z), largest);
    shares[thread] = first + thread == s ? e : vec4(0.0);  // changes no sum
    barrier();
    int texels = min(THREADS, src_size.z - first);
    if (thread == 0) {
      for (int i = 0; i < texels; i += kAhead) {
        vec4 ahead[kAhead];
        for (int k = 0; k < kAhead; ++k) ahead[k] = shares[i + k];
        for (int k = 0; k < kAhead; ++k) sum = add_in_order(sum, ahead[k]);
      }
    }
    barrier();
  }
  if (thread == 0) shares[0].x = sum;
  barrier();
  sum = shares[0].x;
#else
  for (int s = 0; s < src_size.z; ++s) {
    vec4 e = exps_of(s, read_src(p.x, p.y, s, p.z), largest);
    sum = add_in_order(sum, e);
  }
#endif
  return sum;
}

#ifdef LOG
// log(x) for x >= 1, within 2^-30 before the final rounding: the larger parts
// of 2 atanh((m - 1) / (m + 1)) and of the exponent's logarithm are kept in two
// floats each.
float log_of(float x) {
  int bits = floatBitsToInt(x);
  int power = (bits >> 23) - 127;
  float m = intBitsToFloat((bits & 0x7fffff) | 0x3f800000);
  if (m > 1.41421356) {
    m *= 0.5;
    power += 1;
  }
  float n = m - 1.0;  // exact
  float d = ROUNDED(m + 1.0);
  float d_rest = m - ROUNDED(d - 1.0);
  float f = ROUNDED(n / d);
  // The remainder of n - f * d, from products of halves, which are exact.
  float f_high = intBitsToFloat(floatBitsToInt(f) & ~0xfff);
  float d_high = intBitsToFloat(floatBitsToInt(d) & ~0xfff);
  float f_low = f - f_high;
  float d_low = d - d_high;
  float rest = ROUNDED(n - f_high * d_high) - ROUNDED(f_high * d_low);
  rest = ROUNDED(rest - f_low * d_high) - f_low * d_low - f * d_rest;
  float f_rest = rest / d;
  float z = f * f;
  float tail = 1.0 / 13.0;
  tail = tail * z + 1.0 / 11.0;
  tail = tail * z + 1.0 / 9.0;
  tail = tail * z + 1.0 / 7.0;
  tail = tail * z + 1.0 / 5.0;
  tail = tail * z + 1.0 / 3.0;
  tail = 2.0 * f * (z * tail) + 2.0 * f_rest;
  float k = float(power);
  float large = k * 0.693359375;  // 9 bits: exact
  float high = ROUNDED(large + 2.0 * f);
  float low_part = power == 0 ? ROUNDED(2.0 * f - high)
                              : 2.0 * f - ROUNDED(high - large);
  return high + (low_part + (tail + k * -2.12194440e-4));
}

vec4 quantized_of(vec4 v, float largest, float log_sum) {
  float start = ROUNDED(in_scale * (largest + float(zero_in)));
  start = ROUNDED(ROUNDED(start + log_sum) / out_scale);  // a power of two
  vec4 x = ROUNDED(log_scale * (v + float(zero_in)));
  return op_round(ROUNDED(x - start), vec4(0.0)) + float(zero_out);
}
#else
// The float nearest to 1 / x, regardless of the driver's division: the
// remainder, in integers, corrects the last bits. x and its reciprocal are not
// denormal.
float reciprocal_of(float x) {
  int bits = floatBitsToInt(x);
  int power = bits >> 23;
  uint m = uint((bits & 0x7fffff) | 0x800000);
  if (m == 0x800000u) return intBitsToFloat((254 - power) << 23);
  int guess = floatBitsToInt(1.0 / x) - ((253 - power) << 23);
  uint q = uint(clamp(guess, 0, 0xffffff)) + 0x800000u;
  q = min(q, 0xffffffu);
  // 2^47 - q * m: its low 32 bits suffice if q is close.
  uint high, low_bits;
  umulExtended(q, m, high, low_bits);
  int rest = -int(low_bits);
  int half_of = int(m >> 1u);
  for (int i = 0; i < 8; ++i) {
    if (rest > half_of) {
      q += 1u;
      rest -= int(m);
    } else if (rest < -half_of) {
      q -= 1u;
      rest += int(m);
    }
  }
  return intBitsToFloat(((253 - power) << 23) + int(q - 0x800000u));
}

vec4 quantized_of(vec4 v, float largest, float inverse) {
  vec4 x = ROUNDED(exps_below(v, largest) * inverse);
  vec4 whole = floor(x);
  vec4 up = vec4(greaterThanEqual(x - whole, vec4(0.5)));
  vec4 truncated = floor(ROUNDED(x + 0.5));
  return (truncates != 0 ? truncated : whole + up) + float(zero_out);
}
#endif

void main() {
  RETURN_IF_OUTSIDE
  int thread = gid.x % THREADS;
  ivec3 p = ivec3(gid.x / THREADS, gid.y, gid.z);
  float largest = largest_of(p, thread);
  float sum = sum_of(p, thread, largest);
#ifdef LOG
  float part = log_of(sum);
#else
  float part = reciprocal_of(ROUNDED(sum * out_scale));
#endif
  for (int s = thread; s < src_size.z; s += THREADS) {
    vec4 quantized = quantized_of(read_src(p.x, p.y, s, p.z), largest, part);
    quantized = clamp(quantized, float(low), float(low + 255));
    write_dst(p.x, p.y, s, p.z, quantized - float(zero_out));
  }
}
