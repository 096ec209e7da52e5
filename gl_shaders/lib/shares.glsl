// For shaders that name COMBINE_SHARES: makes V the combination of the V of all
// invocations of a pixel, THREADS along y, by shared `shares` at `place`.
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
