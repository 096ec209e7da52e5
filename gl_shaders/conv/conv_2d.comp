// CONV_2D, direct. An invocation computes TILE_PIXELS neighbours of a row in
// TILE_SLICES output slices. VOLUME: CONV_3D or, if TRANSPOSED,
// CONV_3D_TRANSPOSE; a layer of the batch is one depth of one batch.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 stride_pad;  // stride x, y; padding left, top
  ivec4 window;      // width, height; dilation x, y
  ivec4 group;       // input slices and output slices of a group of channels;
                     // tiles in a row: the grid takes a slice's tiles flat
#ifdef VOLUME
  ivec4 along_z;  // the window's size, stride and dilation; padding
  ivec2 depths;   // of src, of dst
#endif
};

// Where tap `tap` of output p reads on an axis of `extent` elements; -1: nowhere.
int place_of(int p, int tap, int stride, int dilation, int pad, int extent) {
#ifdef TRANSPOSED
  int spread = p + pad - tap * dilation;
  if (spread < 0) return -1;
  int at = spread / stride;
  if (at * stride != spread) return -1;
#else
  int at = p * stride - pad + tap * dilation;
#endif
  return at >= 0 && at < extent ? at : -1;
}

void main() {
  if (outside_grid()) return;
#ifdef VOLUME
  int batch = gid.z / depths.y;
  int dst_z = gid.z - batch * depths.y;
  int planes = window.y * along_z.x;
#else
  int planes = window.y;
#endif
  int first_slice = gid.y * TILE_SLICES;
  int dst_y = gid.x / group.z;
  int first_x = (gid.x - dst_y * group.z) * TILE_PIXELS;
  // A tile never spans groups.
  int first_input = first_slice / group.y * group.x;
  int taps = window.x * planes;

  int row[TILE_SLICES];  // of the weights; the last one repeats
  vec4 sum[TILE_SLICES][TILE_PIXELS];
  for (int q = 0; q < TILE_SLICES; ++q) {
    row[q] = min(first_slice + q, dst_size.z - 1) * taps;
    vec4 bias = weights_at(group.x * 4, row[q]);
    for (int i = 0; i < TILE_PIXELS; ++i) sum[q][i] = bias;
  }

  for (int plane = 0; plane < planes; ++plane) {
    int ky = plane;
    int layer = gid.z;
#ifdef VOLUME
    int kz = plane / window.y;
    ky -= kz * window.y;
    int z = place_of(dst_z, kz, along_z.y, along_z.z, along_z.w, depths.x);
    if (z < 0) continue;
    layer = batch * depths.x + z;
#endif
    int y = place_of(dst_y, ky, stride_pad.y, window.w, stride_pad.w, src_size.y);
    if (y < 0) continue;
    for (int kx = 0; kx < window.x; ++kx) {
      int x[TILE_PIXELS];
      for (int i = 0; i < TILE_PIXELS; ++i) {
        x[i] = place_of(first_x + i, kx, stride_pad.x, window.z, stride_pad.z,
                        src_size.x);
      }
      int tap = plane * window.x + kx;
      int s = grid.w;  // 0: see shader.h
      do {
        vec4 v[TILE_PIXELS];
        for (int i = 0; i < TILE_PIXELS; ++i) {
          vec4 texel = read_src(max(x[i], 0), y, first_input + s, layer);
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
      } while (++s < group.x);
    }
  }

  for (int q = 0; q < TILE_SLICES; ++q) {
    if (first_slice + q >= dst_size.z) break;
    for (int i = 0; i < TILE_PIXELS; ++i) {
      if (first_x + i >= dst_size.x) break;
      write_dst(first_x + i, dst_y, first_slice + q, gid.z, sum[q][i]);
    }
  }
}
