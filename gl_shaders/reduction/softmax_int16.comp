// Softmax of each pixel's int16 values as in TFLite's kernel, in integers: e^x
// and 1 / (1 + x) are interpolated linearly between 513 points with 15
// fractional bits. THREADS invocations share a pixel: 1, or the whole work
// group. Three passes over the row: maximum, sum, result.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  int multiplier;  // with shift: from (value - maximum) to positions
  int shift;
};

#if THREADS > 1
shared ivec4 shares[THREADS];
#endif

bvec4 past_last_channel(int slice) {
  return greaterThanEqual(4 * slice + ivec4(0, 1, 2, 3), ivec4(src_aux.x));
}

int exp_point(int i) { return int(op_component(exps_at(i >> 2, 0), i)); }
int inverse_point(int i) { return int(op_component(inverses_at(i >> 2, 0), i)); }

// The value at `rest` 128ths of the distance between two points.
int between(int point, int next, int rest) {
  return point + (((next - point) * rest + 64) >> 7);
}

// e^x, with x from -10 at position -32768 to 0 at position 32767.
int exp_at(int place) {
  int i = 256 + (place >> 7);
  return between(exp_point(i), exp_point(i + 1), place & 127);
}

// 1 / (1 + x), with x from 0 at position -32768 to 1 at position 32767.
int inverse_at(int place) {
  int i = 256 + (place >> 7);
  return between(inverse_point(i), inverse_point(i + 1), place & 127);
}

ivec4 exps_of(ivec3 p, int s, int largest) {
  ivec4 below = ivec4(read_src(p.x, p.y, s, p.z)) - largest;
  ivec4 place = RESCALE(below, ivec4(multiplier), ivec4(shift), false);
  place = clamp(place + 32767, -32768, 32767);
  ivec4 e =
      ivec4(exp_at(place.x), exp_at(place.y), exp_at(place.z), exp_at(place.w));
  return mix(e, ivec4(0), past_last_channel(s));
}

// This invocation's share of the row, from slice `thread` on.
ivec4 share_of_max(ivec3 p, int thread) {
  ivec4 most = ivec4(-32768);
  for (int s = thread; s < src_size.z; s += THREADS) {
    ivec4 v = ivec4(read_src(p.x, p.y, s, p.z));
    most = max(most, mix(v, ivec4(-32768), past_last_channel(s)));
  }
  return most;
}

ivec4 share_of_sum(ivec3 p, int thread, int largest) {
  ivec4 sum = ivec4(0);
  for (int s = thread; s < src_size.z; s += THREADS) {
    sum += exps_of(p, s, largest);
  }
  return sum;
}

#if THREADS > 1
// Combines all invocations' shares for each of them. No early return here.
#define COMBINE_SHARES(V, THREAD, COMBINE)                                \
  barrier();                                                              \
  shares[THREAD] = V;                                                     \
  barrier();                                                              \
  for (int n = THREADS / 2; n > 0; n /= 2) {                              \
    if (THREAD < n) {                                                     \
      shares[THREAD] = COMBINE(shares[THREAD], shares[THREAD + n]);       \
    }                                                                     \
    barrier();                                                            \
  }                                                                       \
  V = shares[0];
#else
#define COMBINE_SHARES(V, THREAD, COMBINE)
#endif

ivec4 plus(ivec4 a, ivec4 b) { return a + b; }

void main() {
#if THREADS == 1  // else the grid is whole work groups: none is outside
  if (outside_grid()) return;
#endif
  int thread = gid.x % THREADS;
  ivec3 p = ivec3(gid.x / THREADS, gid.y, gid.z);
  ivec4 share = share_of_max(p, thread);
  COMBINE_SHARES(share, thread, max)
  int largest = max(max(share.x, share.y), max(share.z, share.w));
  share = share_of_sum(p, thread, largest);
  COMBINE_SHARES(share, thread, plus)
  uint sum = uint(share.x + share.y + share.z + share.w);
  // The sum is 2^top * (1 + x), with 16 bits of x.
  int top = findMSB(sum);
  int scaled = int(((sum << uint(30 - top)) + 8192u) >> 14u);
  int inverse = inverse_at(clamp(scaled - 98304, -32768, 32767));
  for (int s = thread; s < src_size.z; s += THREADS) {
    ivec4 y = (exps_of(p, s, largest) * inverse + (1 << (top - 1))) >> top;
    write_dst(p.x, p.y, s, p.z, vec4(clamp(y, 0, 32767)));
  }
}
