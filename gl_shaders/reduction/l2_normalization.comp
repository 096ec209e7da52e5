// Divides each pixel's channels by their Euclidean norm, at least 1e-6 as in
// TFLite's kernel. THREADS invocations share a pixel: 1, or the whole work
// group. Padding channels are zero and add nothing.
layout(std140, binding = 0) uniform Params { COMMON_PARAMS };

#if THREADS > 1
shared vec4 shares[THREADS];
#endif

void main() {
#if THREADS == 1  // else the grid is whole work groups: none is outside
  if (outside_grid()) return;
#endif
  int thread = gid.x % THREADS;
  ivec3 p = ivec3(gid.x / THREADS, gid.y, gid.z);
  vec4 sum = vec4(0.0);
  for (int s = thread; s < src_size.z; s += THREADS) {
    vec4 v = read_src(p.x, p.y, s, p.z);
    sum += v * v;
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
  float norm = sqrt(sum.x + sum.y + sum.z + sum.w);
  // NaN stays, which max() need not keep, nor a comparison: Mesa makes max() of it.
  norm = op_maximum(vec4(1e-6), vec4(norm), vec4(0.0)).x;
  for (int s = thread; s < src_size.z; s += THREADS) {
    write_dst(p.x, p.y, s, p.z, read_src(p.x, p.y, s, p.z) / norm);
  }
}
