// Divides each pixel's channels by their Euclidean norm, at least 1e-6 as in
// TFLite's kernel. QUANTIZED: 8-bit quantized values in TFLite's integer
// arithmetic: an inverse square root by five steps of Newton's method in fixed
// point, then one rescaling per value. THREADS invocations share a pixel: 1, or
// the whole work group. Padding channels are zero and add nothing.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
#ifdef QUANTIZED
  int zero_out;
  int low;        // the type's minimum
  int more_bits;  // added to a value before rescaling: 7 for uint8
#endif
};

#ifdef QUANTIZED
#define SUM4 ivec4

// (a * b + 2^30) >> 31, as HighProduct() of quant/fixed_point.cc.
int high_product(int a, int b) {
  int high, low_bits;
  imulExtended(a, b, high, low_bits);
  uint carry;
  uint rounded = uaddCarry(uint(low_bits), 0x40000000u, carry);
  return ((high + int(carry)) << 1) | int(rounded >> 31u);
}

// x * 2^n, saturated.
int shifted_up(int x, int n) {
  int most = (1 << (31 - n)) - 1;
  if (x > most) return 0x7fffffff;
  if (x < -most) return ~0x7fffffff;
  return x << n;
}

// multiplier * 2^(shift - 31) is 1 / sqrt(sum). Returns the multiplier.
int inverse_root(int sum, out int shift) {
  shift = 0;
  if (sum <= 1) return 0x7fffffff;
  int right = 11;
  while (sum >= 0x20000000) {
    sum /= 4;
    right += 1;
  }
  int pairs = (30 - findMSB(sum)) / 2 - 1;
  right -= pairs;
  sum <<= 2 * pairs;
  // Three integer bits, 28 fractional bits.
  int half_sum = ((sum >> 1) + 1) >> 1;
  int x = 0x10000000;
  for (int i = 0; i < 5; ++i) {
    int cube = shifted_up(high_product(high_product(x, x), x), 6);
    x = shifted_up(high_product(0x18000000, x) - high_product(half_sum, cube), 3);
  }
  x = high_product(x, 1518500250);  // sqrt(1/2)
  if (right < 0) {
    x <<= -right;
    right = 0;
  }
  shift = -right;
  return x;
}
#else
#define SUM4 vec4
#endif

#if THREADS > 1
shared SUM4 shares[THREADS];
#endif

SUM4 plus(SUM4 a, SUM4 b) { return a + b; }

void main() {
  RETURN_IF_OUTSIDE
  int thread = gid.x % THREADS;
  ivec3 p = ivec3(gid.x / THREADS, gid.y, gid.z);
  SUM4 sum = SUM4(0);
  for (int s = thread; s < src_size.z; s += THREADS) {
    SUM4 v = SUM4(read_src(p.x, p.y, s, p.z));
    sum += v * v;
  }
  COMBINE_SHARES(sum, plus)
#ifdef QUANTIZED
  int shift;
  int multiplier = inverse_root(sum.x + sum.y + sum.z + sum.w, shift);
  // The 7 bits are the output's scale of 1 / 128.
  ivec4 shifts = ivec4(shift + 7 - more_bits);
#else
  float norm = sqrt(sum.x + sum.y + sum.z + sum.w);
  // NaN stays, which max() need not keep, nor a comparison: Mesa makes max() of it.
  norm = op_maximum(vec4(1e-6), vec4(norm), vec4(0.0)).x;
#endif
  for (int s = thread; s < src_size.z; s += THREADS) {
    vec4 v = read_src(p.x, p.y, s, p.z);
#ifdef QUANTIZED
    v = vec4(RESCALE(ivec4(v) << more_bits, ivec4(multiplier), shifts, false));
    v = clamp(v, float(low - zero_out), float(low + 255 - zero_out));
#else
    v /= norm;
#endif
    write_dst(p.x, p.y, s, p.z, v);
  }
}
