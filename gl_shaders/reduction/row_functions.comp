// Functions and reductions of each pixel's channels, as in a normalization.
// THREADS invocations along y share a pixel; WORK_GROUP_X pixels are side by
// side. With THREADS 1: one invocation a pixel.
// - ROW_PARAMS: the members of Params for the functions.
// - REDUCTIONS: reductions in turn, by the macros below, and functions of them.
// - RESULTS: writes the results at slice s.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ROW_PARAMS
};

#if THREADS > 1
shared vec4 shares[THREADS * WORK_GROUP_X];
#endif

vec4 sum_of(vec4 a, vec4 b) { return a + b; }

// NAME: the reduction of row VALUE, which ROWS defines at slice s.
#define REDUCE(NAME, ROWS, VALUE, COMBINE, IDENTITY)                      \
  vec4 NAME = vec4(IDENTITY);                                             \
  for (int s = thread; s < out0_size.z; s += THREADS) {                   \
    ROWS                                                                  \
    NAME = COMBINE(NAME, mix(VALUE, vec4(IDENTITY), op_past(s, out0_aux.x))); \
  }                                                                       \
  COMBINE_SHARES(NAME, COMBINE)                                           \
  NAME.xy = COMBINE(NAME, NAME.zwzw).xy;                                  \
  NAME = COMBINE(NAME, NAME.yyyy).xxxx;
#define SUM_OF_ROW(NAME, ROWS, VALUE) REDUCE(NAME, ROWS, VALUE, sum_of, 0.0)
#define MEAN_OF_ROW(NAME, ROWS, VALUE)                                    \
  SUM_OF_ROW(NAME, ROWS, VALUE) NAME /= float(out0_aux.x);
#define MAX_OF_ROW(NAME, ROWS, VALUE) \
  REDUCE(NAME, ROWS, VALUE, max, -3.402823466e38)
#define MIN_OF_ROW(NAME, ROWS, VALUE) \
  REDUCE(NAME, ROWS, VALUE, min, 3.402823466e38)

void main() {
  RETURN_IF_OUTSIDE
  int thread = int(gl_LocalInvocationID.y) % THREADS;
  // No early return, since barriers follow. Past the end, the last one repeats.
  ivec3 p = ivec3(min(gid.x, out0_size.x - 1), gid.z % out0_size.y,
                  gid.z / out0_size.y);
  REDUCTIONS
  if (gid.x >= out0_size.x) return;
  for (int s = thread; s < out0_size.z; s += THREADS) {
    RESULTS
  }
}
