// TRANSPOSE_CONV as a gather: output x sums the taps k for which x + padding -
// k is a multiple of the stride. An invocation computes TILE_PIXELS outputs of
// a row that are a stride apart, and so share their taps, in TILE_SLICES output
// slices. ROLLED_OUTPUTS: the code for an output is in a loop that compilers do
// not unroll, since grid.w is an unknown 0. Outputs move to the front of their
// array, which thus stays in registers.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 stride_pad;  // stride x, y; padding left, top
  ivec4 window;      // width, height
};

void main() {
  if (outside_grid()) return;
  int slice_tiles = (dst_size.z + TILE_SLICES - 1) / TILE_SLICES;
  int batch = gid.z / slice_tiles;
  int first_slice = (gid.z - batch * slice_tiles) * TILE_SLICES;
  ivec2 stride = stride_pad.xy;
  int tile = gid.x / stride.x;
  int first_x = tile * TILE_PIXELS * stride.x + gid.x - tile * stride.x;
  // The grid has whole tiles of every phase; a row may end within them.
  if (first_x >= dst_size.x) return;
  ivec2 at = ivec2(first_x, gid.y) + stride_pad.zw;
  ivec2 first_tap = at % stride;
  int taps = window.x * window.y;

  int row[TILE_SLICES];  // of the weights; the last one repeats
  vec4 sum[TILE_SLICES][TILE_PIXELS];
  for (int q = 0; q < TILE_SLICES; ++q) {
    row[q] = min(first_slice + q, dst_size.z - 1) * taps;
    vec4 bias = weights_at(src_size.z * 4, row[q]);
    for (int i = 0; i < TILE_PIXELS; ++i) sum[q][i] = bias;
  }

  for (int ky = first_tap.y; ky < window.y; ky += stride.y) {
    int y = (at.y - ky) / stride.y;  // exact: at.y - ky is a multiple
    if (y < 0 || y >= src_size.y) continue;
    for (int kx = first_tap.x; kx < window.x; kx += stride.x) {
      int left = (at.x - kx) / stride.x;
      int tap = ky * window.x + kx;
      int s = grid.w;  // 0: see shader.h
      do {
        vec4 v[TILE_PIXELS];
        for (int i = 0; i < TILE_PIXELS; ++i) {
          int x = left + i;
          int inside = clamp(x, 0, src_size.x - 1);
          vec4 texel = read_src(inside, y, s, batch);
          v[i] = x == inside ? texel : vec4(0.0);
        }
        for (int q = 0; q < TILE_SLICES; ++q) {
          vec4 w0 = weights_at(s * 4, row[q] + tap);
          vec4 w1 = weights_at(s * 4 + 1, row[q] + tap);
          vec4 w2 = weights_at(s * 4 + 2, row[q] + tap);
          vec4 w3 = weights_at(s * 4 + 3, row[q] + tap);
          for (int i = 0; i < TILE_PIXELS; ++i) {
            sum[q][i] += w0 * v[i].x + w1 * v[i].y + w2 * v[i].z + w3 * v[i].w;
          }
        }
      } while (++s < src_size.z);
    }
  }

  for (int q = 0; q < TILE_SLICES; ++q) {
    if (first_slice + q >= dst_size.z) break;
#ifdef ROLLED_OUTPUTS
    for (int i = 0; i < TILE_PIXELS + grid.w; ++i) {
      int x = first_x + i * stride.x;
      if (x < dst_size.x) write_dst(x, gid.y, first_slice + q, batch, sum[q][0]);
      for (int k = 1; k < TILE_PIXELS; ++k) sum[q][k - 1] = sum[q][k];
    }
#else
    for (int i = 0; i < TILE_PIXELS; ++i) {
      int x = first_x + i * stride.x;
      if (x >= dst_size.x) break;
      write_dst(x, gid.y, first_slice + q, batch, sum[q][i]);
    }
#endif
  }
}
