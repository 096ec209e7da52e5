// For shaders that name RETURN_IF_OUTSIDE, in which THREADS invocations share a
// pixel or a line: the whole work group along x, or a column of it along y.

// With several each, barriers follow, and no invocation returns early.
#if THREADS > 1
#define RETURN_IF_OUTSIDE
#else
#define RETURN_IF_OUTSIDE if (outside_grid()) return;
#endif

#if WORK_GROUP_Y > 1
#define SHARE_STEP WORK_GROUP_X
#else
#define SHARE_STEP 1
#endif
// Makes V the combination of the V of all of them, by the array `shares` of one
// element an invocation; `thread` counts them.
#if THREADS > 1
#define COMBINE_SHARES(V, COMBINE)                                        \
  barrier();                                                              \
  shares[int(gl_LocalInvocationIndex)] = V;                               \
  barrier();                                                              \
  for (int n = THREADS / 2; n > 0; n /= 2) {                              \
    if (thread < n) {                                                     \
      int at = int(gl_LocalInvocationIndex);                              \
      shares[at] = COMBINE(shares[at], shares[at + n * SHARE_STEP]);      \
    }                                                                     \
    barrier();                                                            \
  }                                                                       \
  V = shares[int(gl_LocalInvocationIndex) - thread * SHARE_STEP];
#else
#define COMBINE_SHARES(V, COMBINE)
#endif
