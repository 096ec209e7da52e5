// The first dispatch of Winograd's F(4x4, 3x3)
// (delegate/ops/conv/conv_winograd.cc): B^T d B of each tile's 6x6 inputs d,
// which are zero outside src. x counts tiles, flat over batch, rows and
// columns; y slices. An invocation computes one slice of a tile; with LANES of
// 6, six share it: each computes a column, then a row.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 tiles;  // in a row, rows of them; the first that is made
  ivec2 pad;    // left, top
};

// The points 0, +-kNear, +-kFar and infinity.
const float kNear = 0.75;
const float kFar = 1.5;
const float kNear2 = kNear * kNear;
const float kFar2 = kFar * kFar;

// B^T v.
void transform(vec4 v[6], out vec4 result[6]) {
  vec4 even = v[4] - kFar2 * v[2];
  vec4 odd = kNear * (v[3] - kFar2 * v[1]);
  result[1] = even + odd;
  result[2] = even - odd;
  even = v[4] - kNear2 * v[2];
  odd = kFar * (v[3] - kNear2 * v[1]);
  result[3] = even + odd;
  result[4] = even - odd;
  result[0] = kNear2 * kFar2 * v[0] - (kNear2 + kFar2) * v[2] + v[4];
  result[5] = kNear2 * kFar2 * v[1] - (kNear2 + kFar2) * v[3] + v[5];
}

// Column `column` of B^T d.
void make_column(int tile, int slice, int column, out vec4 result[6]) {
  ivec3 of_all = op_pixel_at(tile + tiles.z, tiles);
  ivec2 at = of_all.xy * 4 - pad;
  int x = at.x + column;
  int inside_x = clamp(x, 0, src_size.x - 1);
  vec4 v[6];
  for (int i = 0; i < 6; ++i) {
    int y = at.y + i;
    int inside_y = clamp(y, 0, src_size.y - 1);
    vec4 texel = read_src(inside_x, inside_y, slice, of_all.z);
    v[i] = x == inside_x && y == inside_y ? texel : vec4(0.0);
  }
  transform(v, result);
}

// Row `row` of (B^T d) B, from the same row of B^T d.
void write_row(int tile, int slice, int row, vec4 v[6]) {
  vec4 result[6];
  transform(v, result);
  for (int i = 0; i < 6; ++i) {
    write_planes(tile, row * 6 + i, slice, 0, result[i]);
  }
}

#if LANES > 1
shared vec4 mem[6][6][WORK_GROUP_X];

void main() {
  // No early return, since a barrier follows.
  int lane = int(gl_LocalInvocationID.z);
  int cell = int(gl_LocalInvocationID.x);
  int tile = min(gid.x, planes_size.x - 1);
  vec4 v[6];
  make_column(tile, gid.y, lane, v);
  for (int i = 0; i < 6; ++i) mem[i][lane][cell] = v[i];
  barrier();
  if (outside_grid()) return;
  for (int i = 0; i < 6; ++i) v[i] = mem[lane][i][cell];
  write_row(tile, gid.y, lane, v);
}
#else
void main() {
  if (outside_grid()) return;
  vec4 columns[6][6];
  for (int c = 0; c < 6; ++c) make_column(gid.x, gid.y, c, columns[c]);
  for (int r = 0; r < 6; ++r) {
    vec4 v[6];
    for (int c = 0; c < 6; ++c) v[c] = columns[c][r];
    write_row(gid.x, gid.y, r, v);
  }
}
#endif
