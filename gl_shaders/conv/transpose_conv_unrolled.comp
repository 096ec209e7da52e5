// TRANSPOSE_CONV with adjacent windows and few weights, fully unrolled (see
// conv_unrolled.comp). An invocation takes TILE_PIXELS neighbours of an input
// row, one after the other, and computes all outputs of each: KERNEL_W x
// KERNEL_H pixels, SLICES slices. SRC_SLICES: the input's slices.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  int tiles_x;  // in a row of the input; the grid takes them flat
};

const int kTaps = KERNEL_W * KERNEL_H;

// Row `row` of the weights: one tap of one slice. The first tap's row has the
// bias.
vec4 output_of(vec4 v[SRC_SLICES], int row) {
  vec4 sum = weights_at(SRC_SLICES * 4, row / kTaps * kTaps);
  for (int s = 0; s < SRC_SLICES; ++s) {
    sum += weights_at(s * 4, row) * v[s].x + weights_at(s * 4 + 1, row) * v[s].y +
           weights_at(s * 4 + 2, row) * v[s].z + weights_at(s * 4 + 3, row) * v[s].w;
  }
  return sum;
}

void main() {
  if (gid.x >= grid.x) return;
  int y = gid.x / tiles_x;
  int first_x = (gid.x - y * tiles_x) * TILE_PIXELS;
  for (int i = 0; i < TILE_PIXELS; ++i) {
    int x = first_x + i;
    if (x >= src_size.x) break;
    vec4 v[SRC_SLICES];
    for (int s = 0; s < SRC_SLICES; ++s) v[s] = read_src(x, y, s, gid.z);
    vec4 made[SLICES * kTaps];
    for (int row = 0; row < SLICES * kTaps; ++row) made[row] = output_of(v, row);
    for (int row = 0; row < SLICES * kTaps; ++row) {
      int tap = row % kTaps;
      write_dst(x * KERNEL_W + tap % KERNEL_W, y * KERNEL_H + tap / KERNEL_W,
                row / kTaps, gid.z, made[row]);
    }
  }
}
