// Running sums along the texels of each line: from `first` on, `step_by` apart.
// With CHANNELS a line is a pixel's channels, also summed within texels.
// THREADS invocations share a line: 1, or the whole work group, each with a
// contiguous share of texels that it reads twice.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 first;    // x, y, slice, batch
  ivec4 step_by;
  int line_slices;
  int texels;     // of a line
  int share;      // of an invocation, at most
};

#if THREADS > 1
shared ELEMENT4 shares[THREADS];
#endif

ELEMENT4 texel_at(ivec4 line, int i) {
  ivec4 p = line + first + i * step_by;
  ELEMENT4 v = read_src(p.x, p.y, p.z, p.w);
#if defined(CHANNELS) && defined(REVERSE)
  v = v.wzyx;  // padding channels are zero and add nothing
#endif
  return v;
}

// The contribution of a texel to later ones.
ELEMENT4 sum_of(ELEMENT4 v) {
#ifdef CHANNELS
  v.xy += v.zw;
  v = ELEMENT4(v.x + v.y);
#endif
  return v;
}

void put(ivec4 line, int i, ELEMENT4 before, ELEMENT4 v) {
#ifdef CHANNELS
  v.yzw += v.xyz;
  v.zw += v.xy;
#ifdef EXCLUSIVE
  v = ELEMENT4(0, v.xyz);
#endif
  v += before;
#ifdef REVERSE
  v = v.wzyx;
#endif
#elif defined(EXCLUSIVE)
  v = before;
#else
  v += before;
#endif
  ivec4 p = line + first + i * step_by;
  write_dst(p.x, p.y, p.z, p.w, v);
}

void main() {
  RETURN_IF_OUTSIDE
  int thread = gid.x % THREADS;
  ivec4 line = ivec4(gid.x / THREADS, gid.y, gid.z % line_slices, gid.z / line_slices);
  int from = thread * share;
  int to = min(from + share, texels);
  ELEMENT4 before = ELEMENT4(0);
#if THREADS > 1
  for (int i = from; i < to; ++i) before += sum_of(texel_at(line, i));
  shares[thread] = before;
  barrier();
  before = ELEMENT4(0);
  for (int i = 0; i < thread; ++i) before += shares[i];
#endif
  for (int i = from; i < to; ++i) {
    ELEMENT4 v = texel_at(line, i);
    put(line, i, before, v);
    before += sum_of(v);
  }
}
