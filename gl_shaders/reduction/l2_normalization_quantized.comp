// Divides each pixel's 8-bit quantized values by their Euclidean norm in
// TFLite's integer arithmetic: an inverse square root by five steps of Newton's
// method in fixed point, then one rescaling per value. THREADS invocations
// share a pixel: 1, or the whole work group. Padding channels are zero and add
// nothing.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  int zero_out;
  int low;        // the type's minimum
  int more_bits;  // added to a value before rescaling: 7 for uint8
};

#if THREADS > 1
shared int shares[THREADS];
#endif

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

void main() {
#if THREADS == 1  // else the grid is whole work groups: none is outside
  if (outside_grid()) return;
#endif
  int thread = gid.x % THREADS;
  ivec3 p = ivec3(gid.x / THREADS, gid.y, gid.z);
  int sum = 0;
  for (int s = thread; s < src_size.z; s += THREADS) {
    ivec4 v = ivec4(read_src(p.x, p.y, s, p.z));
    v *= v;
    sum += v.x + v.y + v.z + v.w;
  }
#if THREADS > 1
  shares[thread] = sum;
  barrier();
  for (int n = THREADS / 2; n > 0; n /= 2) {
    if (thread < n) shares[thread] += shares[thread + n];
    barrier();
  }
  sum = shares[0];
#endif
  int shift;
  int multiplier = inverse_root(sum, shift);
  // The 7 bits are the output's scale of 1 / 128.
  ivec4 shifts = ivec4(shift + 7 - more_bits);
  for (int s = thread; s < src_size.z; s += THREADS) {
    ivec4 v = ivec4(read_src(p.x, p.y, s, p.z)) << more_bits;
    v = op_rescale(v, ivec4(multiplier), shifts, false);
    v = clamp(v, low - zero_out, low + 255 - zero_out);
    write_dst(p.x, p.y, s, p.z, vec4(v));
  }
}
