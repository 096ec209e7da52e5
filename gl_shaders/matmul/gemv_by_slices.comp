// GEMV for few rows on SIMD devices: an invocation computes one output slice of
// TILE_ROWS rows, and its neighbours the next slices, with adjacent weights in
// blocks of BLOCK slices. Grid: x output slices, y tiles of rows.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 row_shape;  // rows, pixels a row
};

void main() {
  if (outside_grid()) return;
  int slice = gid.x;
  int first_row = gid.y * TILE_ROWS;
  int block = slice / BLOCK;
  int at = slice - block * BLOCK;
  vec4 sum[TILE_ROWS];
  for (int r = 0; r < TILE_ROWS; ++r) sum[r] = vec4(0.0);

  int pixel = grid.w;  // 0: see shader.h
  do {
    ivec3 p[TILE_ROWS];  // the last row repeats
    for (int r = 0; r < TILE_ROWS; ++r) {
      int row = min(first_row + r, row_shape.x - 1);
      p[r] = op_pixel_at(row * row_shape.y + pixel, src_size);
    }
    int s = grid.w;
    do {
      vec4 w0 = weights_at(at, block);
      vec4 w1 = weights_at(at + BLOCK, block);
      vec4 w2 = weights_at(at + 2 * BLOCK, block);
      vec4 w3 = weights_at(at + 3 * BLOCK, block);
      at += 4 * BLOCK;
      for (int r = 0; r < TILE_ROWS; ++r) {
        vec4 v = read_src(p[r].x, p[r].y, s, p[r].z);
        sum[r] += w0 * v.x + w1 * v.y + w2 * v.z + w3 * v.w;
      }
    } while (++s < src_size.z);
  } while (++pixel < row_shape.y);

  vec4 bias = weights_at(at, block);
  for (int r = 0; r < TILE_ROWS; ++r) {
    if (first_row + r >= row_shape.x) break;
    ivec3 p = op_pixel_at(first_row + r, dst_size);
    write_dst(p.x, p.y, slice, p.z, sum[r] + bias);
  }
}
