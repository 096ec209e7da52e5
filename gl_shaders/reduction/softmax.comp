// Softmax of each pixel's channels, or its LOG. THREADS invocations along y
// share a pixel; WORK_GROUP_X pixels are side by side. With THREADS 1: one
// invocation a pixel. Three passes over the row: maximum, sum, result. HELD:
// the texels of an invocation's share, which it keeps in registers.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  float beta;
};

const float kMin = -3.402823466e38;

#if THREADS > 1
shared vec4 shares[THREADS * WORK_GROUP_X];
#endif

bvec4 past_last_channel(int slice) {
  return greaterThanEqual(4 * slice + ivec4(0, 1, 2, 3), ivec4(src_aux.x));
}

// Combines the shares of a pixel's invocations for each of them.
#if THREADS > 1
#define COMBINE_SHARES(V, COMBINE)                                        \
  barrier();                                                              \
  shares[place] = V;                                                      \
  barrier();                                                              \
  for (int n = THREADS / 2; n > 0; n /= 2) {                              \
    if (thread < n) {                                                     \
      shares[place] = COMBINE(shares[place], shares[place + n * WORK_GROUP_X]); \
    }                                                                     \
    barrier();                                                            \
  }                                                                       \
  V = shares[place - thread * WORK_GROUP_X];
#else
#define COMBINE_SHARES(V, COMBINE)
#endif

vec4 plus(vec4 a, vec4 b) { return a + b; }

#ifdef HELD
// Of texel I of the share: the slice, and the value.
#define SHARE(I, S) for (int I = 0, S = thread; I < HELD; ++I, S += THREADS)
#define VALUE(I, S) row[I]
#else
#define SHARE(I, S) for (int S = thread; S < src_size.z; S += THREADS)
#define VALUE(I, S) read_src(p.x, p.y, S, p.z)
#endif

void main() {
#if THREADS == 1
  if (outside_grid()) return;
  int thread = 0;
#else
  int thread = int(gl_LocalInvocationID.y);
  int place = thread * WORK_GROUP_X + int(gl_LocalInvocationID.x);
#endif
  // No early return, since barriers follow. Past the end, the last one repeats.
  ivec3 p = ivec3(min(gid.x, src_size.x - 1), gid.z % src_size.y,
                  gid.z / src_size.y);
#ifdef HELD
  vec4 row[HELD];
  SHARE(i, s) {
    vec4 v = read_src(p.x, p.y, min(s, src_size.z - 1), p.z);
    row[i] = mix(v, vec4(kMin), past_last_channel(s));
  }
#endif
  vec4 share = vec4(kMin);
  SHARE(i, s) {
    share = max(share, mix(VALUE(i, s), vec4(kMin), past_last_channel(s)));
  }
  COMBINE_SHARES(share, max)
  float largest = max(max(share.x, share.y), max(share.z, share.w));
  share = vec4(0.0);
  SHARE(i, s) {
    vec4 e = exp((VALUE(i, s) - largest) * beta);
    share += mix(e, vec4(0.0), past_last_channel(s));
  }
  COMBINE_SHARES(share, plus)
  float sum = share.x + share.y + share.z + share.w;
#ifdef LOG
  float log_sum = log(sum);
#endif
  if (gid.x >= src_size.x) return;
  SHARE(i, s) {
    vec4 v = VALUE(i, s) - largest;
#ifdef LOG
    v -= log_sum;
#else
    v = exp(v * beta) / sum;
#endif
    if (s < src_size.z) write_dst(p.x, p.y, s, p.z, v);
  }
}
