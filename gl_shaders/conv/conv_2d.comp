// CONV_2D, direct. An invocation computes TILE_PIXELS neighbours of a row in
// TILE_SLICES output slices.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 stride_pad;  // stride x, y; padding left, top
  ivec4 window;      // width, height; dilation x, y
  ivec4 group;       // input slices and output slices of a group of channels;
                     // tiles in a row: the grid takes a slice's tiles flat
};

void main() {
  if (outside_grid()) return;
  int batch = gid.z;
  int first_slice = gid.y * TILE_SLICES;
  int dst_y = gid.x / group.z;
  int first_x = (gid.x - dst_y * group.z) * TILE_PIXELS;
  // A tile never spans groups.
  int first_input = first_slice / group.y * group.x;
  int taps = window.x * window.y;

  int row[TILE_SLICES];  // of the weights; the last one repeats
  vec4 sum[TILE_SLICES][TILE_PIXELS];
  for (int q = 0; q < TILE_SLICES; ++q) {
    row[q] = min(first_slice + q, dst_size.z - 1) * taps;
    vec4 bias = weights_at(group.x * 4, row[q]);
    for (int i = 0; i < TILE_PIXELS; ++i) sum[q][i] = bias;
  }

  for (int ky = 0; ky < window.y; ++ky) {
    int y = dst_y * stride_pad.y - stride_pad.w + ky * window.w;
    if (y < 0 || y >= src_size.y) continue;
    for (int kx = 0; kx < window.x; ++kx) {
      int left = first_x * stride_pad.x - stride_pad.z + kx * window.z;
      int tap = ky * window.x + kx;
      int s = grid.w;  // 0: see shader.h
      do {
        vec4 v[TILE_PIXELS];
        for (int i = 0; i < TILE_PIXELS; ++i) {
          int x = left + i * stride_pad.x;
          int inside = clamp(x, 0, src_size.x - 1);
          vec4 texel = read_src(inside, y, first_input + s, batch);
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
      } while (++s < group.x);
    }
  }

  for (int q = 0; q < TILE_SLICES; ++q) {
    if (first_slice + q >= dst_size.z) break;
    for (int i = 0; i < TILE_PIXELS; ++i) {
      if (first_x + i >= dst_size.x) break;
      write_dst(first_x + i, dst_y, first_slice + q, batch, sum[q][i]);
    }
  }
}
