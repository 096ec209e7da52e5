// Softmax of each pixel's channels, or its LOG. THREADS invocations share a
// pixel: 1, or the whole work group. Three passes over the row: maximum, sum,
// result.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  float beta;
};

#if THREADS > 1
shared vec4 shares[THREADS];
#endif

bvec4 past_last_channel(int slice) {
  return greaterThanEqual(4 * slice + ivec4(0, 1, 2, 3), ivec4(src_aux.x));
}

// This invocation's share of the row, from slice `thread` on.
vec4 share_of_max(ivec3 p, int thread) {
  vec4 largest = vec4(-3.402823466e38);
  for (int s = thread; s < src_size.z; s += THREADS) {
    vec4 v = read_src(p.x, p.y, s, p.z);
    largest = max(largest, mix(v, vec4(-3.402823466e38), past_last_channel(s)));
  }
  return largest;
}

vec4 share_of_sum(ivec3 p, int thread, float largest) {
  vec4 sum = vec4(0.0);
  for (int s = thread; s < src_size.z; s += THREADS) {
    vec4 e = exp((read_src(p.x, p.y, s, p.z) - largest) * beta);
    sum += mix(e, vec4(0.0), past_last_channel(s));
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

vec4 plus(vec4 a, vec4 b) { return a + b; }

void main() {
#if THREADS == 1  // else the grid is whole work groups: none is outside
  if (outside_grid()) return;
#endif
  int thread = gid.x % THREADS;
  ivec3 p = ivec3(gid.x / THREADS, gid.y, gid.z);
  vec4 share = share_of_max(p, thread);
  COMBINE_SHARES(share, thread, max)
  float largest = max(max(share.x, share.y), max(share.z, share.w));
  share = share_of_sum(p, thread, largest);
  COMBINE_SHARES(share, thread, plus)
  float sum = share.x + share.y + share.z + share.w;
#ifdef LOG
  float log_sum = log(sum);
#endif
  for (int s = thread; s < src_size.z; s += THREADS) {
    vec4 v = read_src(p.x, p.y, s, p.z) - largest;
#ifdef LOG
    v -= log_sum;
#else
    v = exp(v * beta) / sum;
#endif
    write_dst(p.x, p.y, s, p.z, v);
  }
}
