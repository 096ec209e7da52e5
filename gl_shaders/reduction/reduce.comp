// SUM, MEAN, MAX, MIN or PRODUCT of a window of source texels, or ANY or ALL of
// bools, for each output texel: COMBINE of a and b, from IDENTITY on. Ignores
// texels outside the source, or with ZEROS reads them as zeros. With CHANNELS,
// also over all channels. THREADS invocations share one output: 1, or the whole
// work group.
//
// QUANTIZED: sums of quantized values in integers; the result follows TFLite
// (quant/cpu_kernels.h):
//   PARTIAL  a sum of (value - zero point) for a second pass, as an integer
//   STEPS    the value whose step the sum reaches, of 255 steps; with
//            LAST_STEPS, of others from channel last_channels on
//   SCALED   the low bits of the sum of values, rescaled; with FUSED, by a
//            product and a sum that are rounded at once
//   MEAN     the mean, rounded away from zero
// and for int16, with MEAN over count_of_mean values:
//   TRUNCATED   the mean, rounded towards zero
//   RESCALED    the sum rescaled, then its mean, rounded away from zero
//   FLOAT_MEAN  the mean as a float, times `scale`, rounded away from zero
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 window;  // x, y, slice, batch
  ivec4 stride;
  ivec4 before;
#ifdef QUANTIZED
  int low;         // the type's minimum
  int first;       // sum of values minus sum of (value - zero point)
  int zero_in;     // the source's zero point
  int zero_out;    // the result's
  int added_zero;  // SCALED: zero_out, or 0 if it does not rescale
  int rescales;
  float scale;
  float bias;
  int never;  // 0, unknown to compilers: keeps a rounding separate
  int count_of_mean;
  int multiplier;  // RESCALED
  int shift;
  int last_channels;
  int low_bits;  // SCALED
#endif
};

#ifdef QUANTIZED
#define TOTAL int
#define TOTAL4 ivec4
#else
#define TOTAL ELEMENT
#define TOTAL4 ELEMENT4
#endif

const TOTAL kIdentity = TOTAL(IDENTITY);
TOTAL4 combine(TOTAL4 a, TOTAL4 b) { return COMBINE; }

#if THREADS > 1
shared TOTAL4 shares[THREADS];
#endif

TOTAL4 value_at(ivec4 q) {
  TOTAL4 v = TOTAL4(read_src(q.x, q.y, q.z, q.w));
#ifdef CHANNELS
  v = mix(v, TOTAL4(kIdentity), op_past(q.z, src_aux.x));
#endif
  return v;
}

// Reduces the window [from, from + n), or this invocation's share of it.
TOTAL4 reduce_window(ivec4 from, ivec4 n, int thread) {
  TOTAL4 total = TOTAL4(kIdentity);
#if THREADS > 1
  int count = n.x * n.y * n.z * n.w;
  for (int i = thread; i < count; i += THREADS) {
    int row = i / n.x;
    int plane = row / n.y;
    ivec4 q = ivec4(i - row * n.x, row - plane * n.y, plane % n.z, plane / n.z);
    total = combine(total, value_at(from + q));
  }
#else
  for (int b = 0; b < n.w; ++b) {
    for (int s = 0; s < n.z; ++s) {
      for (int y = 0; y < n.y; ++y) {
        for (int x = 0; x < n.x; ++x) {
          total = combine(total, value_at(from + ivec4(x, y, s, b)));
        }
      }
    }
  }
#endif
  return total;
}

#if defined(QUANTIZED) && !defined(PARTIAL)
#ifdef STEPS
int step_at(int i, int row) {
  vec4 parts = steps_at(i, row);
  return int(parts.x) * 65536 + int(parts.y);
}

// How many of the 255 steps the sum reaches; `lane`: its channel in a texel.
int steps_below(int sum, int lane) {
  int row = 0;
#ifdef LAST_STEPS
  if (4 * (gid.z % dst_size.z) + lane >= last_channels) row = 1;
#endif
  int n = 0;
  for (int half_of = 128; half_of > 0; half_of /= 2) {
    if (step_at(n + half_of - 1, row) <= sum) n += half_of;
  }
  return n;
}

ivec4 result_of(ivec4 sum, int count) {
#ifdef CHANNELS
  return ivec4(low + steps_below(sum.x, 0));
#else
  return low + ivec4(steps_below(sum.x, 0), steps_below(sum.y, 1),
                     steps_below(sum.z, 2), steps_below(sum.w, 3));
#endif
}
#elif defined(TRUNCATED)
ivec4 result_of(ivec4 sum, int count) {
  ivec4 size = abs(sum) / count_of_mean;
  return mix(size, -size, lessThan(sum, ivec4(0)));
}
#elif defined(RESCALED)
ivec4 result_of(ivec4 sum, int count) {
  ivec4 scaled = RESCALE(sum, ivec4(multiplier), ivec4(shift), false);
  ivec4 size = (abs(scaled) + count_of_mean / 2) / count_of_mean;
  return mix(size, -size, lessThan(scaled, ivec4(0)));
}
#elif defined(FLOAT_MEAN)
// n, rounded to 24 bits, ties to even.
uint as_float(uint n) {
  int past = max(findMSB(n) - 23, 0);
  if (past == 0) return n;
  uint kept = n >> past;
  uint rest = n - (kept << past);
  uint half_unit = 1u << (past - 1);
  if (rest > half_unit || (rest == half_unit && (kept & 1u) == 1u)) ++kept;
  return kept << past;
}

// The float nearest to n / d, ties to even, for d < 2^16, since drivers'
// divisions may be inexact. Three steps with 16 fractional bits each.
float divided(uint n, uint d) {
  if (n == 0u) return 0.0;
  uint whole = n / d;
  uint rest = (n % d) << 16u;
  uint fraction = (rest / d) << 16u;
  rest = (rest % d) << 16u;
  fraction |= rest / d;
  rest = (rest % d) << 16u;
  uint last = (rest / d) << 16u;
  bool more = rest % d != 0u;
  // 24 bits from the first that is set, and the rest after them.
  int exponent = 0;
  if (whole == 0u) {  // n / d >= 2^-16
    whole = fraction >> 16u;
    fraction = (fraction << 16u) | (last >> 16u);
    last = 0u;
    exponent = -16;
  }
  int top = findMSB(whole);
  uint kept;
  uint after;  // its first bit is one half
  if (top >= 24) {
    int past = top - 23;
    kept = whole >> past;
    after = whole << (32 - past);
    more = more || fraction != 0u || last != 0u;
  } else if (top == 23) {
    kept = whole;
    after = fraction;
    more = more || last != 0u;
  } else {
    int left = 23 - top;
    kept = (whole << left) | (fraction >> (32 - left));
    after = (fraction << left) | (last >> (32 - left));
    more = more || (last << left) != 0u;
  }
  exponent += top - 23;
  bool above = after > 0x80000000u || (after == 0x80000000u && more);
  bool tie = after == 0x80000000u && !more;
  if (above || (tie && (kept & 1u) == 1u)) ++kept;
  return float(kept) * intBitsToFloat((exponent + 127) << 23);
}

int scaled_mean(int sum) {
  float mean = divided(as_float(uint(abs(sum))), uint(count_of_mean));
  float code = intBitsToFloat(floatBitsToInt(mean * scale) + never);
  float whole = floor(min(code, 65536.0));
  whole += code - whole >= 0.5 ? 1.0 : 0.0;
  return sum < 0 ? -int(whole) : int(whole);
}

ivec4 result_of(ivec4 sum, int count) {
  return ivec4(scaled_mean(sum.x), scaled_mean(sum.y), scaled_mean(sum.z),
               scaled_mean(sum.w));
}
#elif defined(SCALED)
vec4 rounded_away(vec4 x) {
  vec4 whole = floor(abs(x));
  whole += vec4(greaterThanEqual(abs(x) - whole, vec4(0.5)));
  return mix(whole, -whole, lessThan(x, vec4(0.0)));
}

// x. Compilers do not see that, so they do not fuse what makes it with what
// reads it.
vec4 kept(vec4 x) { return intBitsToFloat(floatBitsToInt(x) + never); }

#ifdef FUSED
// fma(n, scale, bias) for |n| < 2^23. The rounding errors of the product and of
// the sum are floats: parts of 12 bits have exact products.
vec4 rescaled(ivec4 n) {
  vec4 product = kept(vec4(n) * scale);
  float upper = intBitsToFloat(floatBitsToInt(scale) & ~0xfff);
  float lower = scale - upper;
  vec4 direction = vec4(sign(n));
  vec4 coarse = direction * vec4(abs(n) & ~0xfff);
  vec4 fine = direction * vec4(abs(n) & 0xfff);
  vec4 too_much = ((product - coarse * upper) - fine * upper) - coarse * lower;
  too_much -= fine * lower;
  vec4 total = kept(product + bias);
  vec4 of_bias = kept(total - product);
  vec4 missing = (product - kept(total - of_bias)) + (bias - of_bias);
  return total + (missing - too_much);
}
#else
vec4 rescaled(ivec4 n) { return kept(vec4(n) * scale) + bias; }
#endif

ivec4 result_of(ivec4 sum, int count) {
  ivec4 quantized = sum + first;
  vec4 value =
      clamp(rounded_away(rescaled(quantized)), -2147483520.0, 2147483520.0);
  quantized = (rescales != 0 ? ivec4(value) : quantized) + added_zero;
  return ((quantized - low) & low_bits) + low;
}
#else
ivec4 result_of(ivec4 sum, int count) {
  ivec4 quantized = sum + count * zero_in;
  ivec4 size = (abs(quantized) + count / 2) / max(count, 1);
  return mix(size, -size, lessThan(quantized, ivec4(0)));
}
#endif
#endif

void main() {
  RETURN_IF_OUTSIDE
  int thread = gid.x % THREADS;
  ivec4 p = ivec4(gid.x / THREADS, gid.y, gid.z % dst_size.z, gid.z / dst_size.z);
  ivec4 from = p * stride - before;
  ivec4 to = min(from + window, src_size);
  from = max(from, ivec4(0));
  ivec4 n = max(to - from, 0);  // 0 for a window outside
  TOTAL4 v = reduce_window(from, n, thread);
  COMBINE_SHARES(v, combine)
  if (thread != 0) return;
#ifdef CHANNELS
  v.xy = combine(v, v.zwzw).xy;
  v = TOTAL4(combine(v, v.yyyy).x, 0, 0, 0);
#endif
#ifdef ZEROS
#ifdef MAX
  if (n.xy != window.xy) v = max(v, vec4(0.0));
#endif
  n.xy = window.xy;
#endif
#ifdef PARTIAL
  write_dst(p.x, p.y, p.z, p.w, v);
#elif defined(QUANTIZED)
  ivec4 code = result_of(v, n.x * n.y * n.z * n.w);
  write_dst(p.x, p.y, p.z, p.w, vec4(code - zero_out));
#else
#ifdef MEAN
#ifdef CHANNELS
  n.z = src_aux.x;
#endif
  v /= float(n.x * n.y * n.z * n.w);
#endif
  write_dst(p.x, p.y, p.z, p.w, v);
#endif
}
