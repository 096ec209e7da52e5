// CONV_3D and, if TRANSPOSED, CONV_3D_TRANSPOSE. An invocation makes TILE_PIXELS neighbours of a
// row, TILE_SLICES output slices each. A layer of the batch is one depth of one batch.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 window;    // taps along x, y, z; tiles in a row
  ivec4 stride;    // along x, y, z; the depth of dst
  ivec4 dilation;  // along x, y, z; the depth of src
  ivec4 pad;       // before the first element along x, y, z
};

// Where along `axis`, of `extent` elements, tap `tap` of output `p` reads; -1: nowhere.
int place_of(int p, int tap, int axis, int extent) {
#ifdef TRANSPOSED
  int spread = p + pad[axis] - tap * dilation[axis];
  if (spread < 0) return -1;
  int at = spread / stride[axis];
  if (at * stride[axis] != spread) return -1;
#else
  int at = p * stride[axis] - pad[axis] + tap * dilation[axis];
#endif
  return at >= 0 && at < extent ? at : -1;
}

void main() {
  if (outside_grid()) return;
  int batch = gid.z / stride.w;
  int dst_z = gid.z - batch * stride.w;
  int first_slice = gid.y * TILE_SLICES;
  int dst_y = gid.x / window.w;
  int first_x = (gid.x - dst_y * window.w) * TILE_PIXELS;
  int taps = window.x * window.y * window.z;

  int row[TILE_SLICES];  // of the weights; past the last slice the last again
  vec4 sum[TILE_SLICES][TILE_PIXELS];
  for (int q = 0; q < TILE_SLICES; ++q) {
    row[q] = min(first_slice + q, dst_size.z - 1) * taps;
    vec4 bias = weights_at(src_size.z * 4, row[q]);
    for (int i = 0; i < TILE_PIXELS; ++i) sum[q][i] = bias;
  }

  for (int tap = 0; tap < taps; ++tap) {
    int plane = tap / window.x;
    int z = place_of(dst_z, plane / window.y, 2, dilation.w);
    int y = place_of(dst_y, plane % window.y, 1, src_size.y);
    if (z < 0 || y < 0) continue;
    int x[TILE_PIXELS];
    for (int i = 0; i < TILE_PIXELS; ++i) {
      x[i] = place_of(first_x + i, tap - plane * window.x, 0, src_size.x);
    }
    int s = grid.w;  // 0: see shader.h
    do {
      vec4 v[TILE_PIXELS];
      for (int i = 0; i < TILE_PIXELS; ++i) {
        vec4 texel = read_src(max(x[i], 0), y, s, batch * dilation.w + z);
        v[i] = x[i] < 0 ? vec4(0.0) : texel;
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

  for (int q = 0; q < TILE_SLICES; ++q) {
    if (first_slice + q >= dst_size.z) break;
    for (int i = 0; i < TILE_PIXELS; ++i) {
      if (first_x + i >= dst_size.x) break;
      write_dst(first_x + i, dst_y, first_slice + q, gid.z, sum[q][i]);
    }
  }
}
