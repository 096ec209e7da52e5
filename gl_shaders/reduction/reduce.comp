// SUM, MEAN, MAX, MIN or PRODUCT of a window of source texels, or ANY or ALL of
// bools, for each output texel. Ignores texels outside the source, or with
// ZEROS reads them as zeros. With CHANNELS, also over all channels. THREADS
// invocations share one output: 1, or the whole work group.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 window;  // x, y, slice, batch
  ivec4 stride;
  ivec4 before;
};

#if defined(MAX) && defined(INTS)
const ELEMENT kIdentity = ~0x7fffffff;
ELEMENT4 combine(ELEMENT4 a, ELEMENT4 b) { return max(a, b); }
#elif defined(MIN) && defined(INTS)
const ELEMENT kIdentity = 0x7fffffff;
ELEMENT4 combine(ELEMENT4 a, ELEMENT4 b) { return min(a, b); }
#elif defined(MAX)
const ELEMENT kIdentity = -3.402823466e38;
ELEMENT4 combine(ELEMENT4 a, ELEMENT4 b) { return max(a, b); }
#elif defined(MIN)
const ELEMENT kIdentity = 3.402823466e38;
ELEMENT4 combine(ELEMENT4 a, ELEMENT4 b) { return min(a, b); }
#elif defined(PRODUCT)
const ELEMENT kIdentity = ELEMENT(1);
ELEMENT4 combine(ELEMENT4 a, ELEMENT4 b) { return a * b; }
#elif defined(ANY)
const ELEMENT kIdentity = 0;
ELEMENT4 combine(ELEMENT4 a, ELEMENT4 b) { return a | b; }
#elif defined(ALL)
const ELEMENT kIdentity = 1;
ELEMENT4 combine(ELEMENT4 a, ELEMENT4 b) { return a & b; }
#else
const ELEMENT kIdentity = ELEMENT(0);
ELEMENT4 combine(ELEMENT4 a, ELEMENT4 b) { return a + b; }
#endif

#if THREADS > 1
shared ELEMENT4 partial[THREADS];
#endif

ELEMENT4 value_at(ivec4 q) {
  ELEMENT4 v = read_src(q.x, q.y, q.z, q.w);
#ifdef CHANNELS
  v = mix(v, ELEMENT4(kIdentity),
          greaterThanEqual(4 * q.z + ivec4(0, 1, 2, 3), ivec4(src_aux.x)));
#endif
  return v;
}

// Reduces the window [low, low + n), or this invocation's share of it.
ELEMENT4 reduce_window(ivec4 low, ivec4 n, int thread) {
  ELEMENT4 total = ELEMENT4(kIdentity);
#if THREADS > 1
  int count = n.x * n.y * n.z * n.w;
  for (int i = thread; i < count; i += THREADS) {
    int row = i / n.x;
    int plane = row / n.y;
    ivec4 q = ivec4(i - row * n.x, row - plane * n.y, plane % n.z, plane / n.z);
    total = combine(total, value_at(low + q));
  }
#else
  for (int b = 0; b < n.w; ++b) {
    for (int s = 0; s < n.z; ++s) {
      for (int y = 0; y < n.y; ++y) {
        for (int x = 0; x < n.x; ++x) {
          total = combine(total, value_at(low + ivec4(x, y, s, b)));
        }
      }
    }
  }
#endif
  return total;
}

void main() {
#if THREADS == 1  // else the grid is whole work groups: none is outside
  if (outside_grid()) return;
#endif
  int thread = gid.x % THREADS;
  ivec4 p = ivec4(gid.x / THREADS, gid.y, gid.z % dst_size.z, gid.z / dst_size.z);
  ivec4 low = p * stride - before;
  ivec4 high = min(low + window, src_size);
  low = max(low, ivec4(0));
  ivec4 n = max(high - low, 0);  // 0 for a window outside
  ELEMENT4 v = reduce_window(low, n, thread);
#if THREADS > 1
  partial[thread] = v;
  barrier();
  for (int half_of = THREADS / 2; half_of > 0; half_of /= 2) {
    if (thread < half_of) {
      partial[thread] = combine(partial[thread], partial[thread + half_of]);
    }
    barrier();
  }
  if (thread != 0) return;
  v = partial[0];
#endif
#ifdef CHANNELS
  v.xy = combine(v, v.zwzw).xy;
  v = ELEMENT4(combine(v, v.yyyy).x, 0, 0, 0);
#endif
#if defined(ZEROS) && defined(MAX)
  if (n.xy != window.xy) v = max(v, vec4(0.0));
#endif
#ifdef MEAN
#ifdef ZEROS
  n.xy = window.xy;
#endif
#ifdef CHANNELS
  n.z = src_aux.x;
#endif
  v /= float(n.x * n.y * n.z * n.w);
#endif
  write_dst(p.x, p.y, p.z, p.w, v);
}
