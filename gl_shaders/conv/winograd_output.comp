// The last dispatch of Winograd's F(4x4, 3x3)
// (delegate/ops/conv/conv_winograd.cc): A^T m A plus the bias, where m are the
// 6x6 sums of a tile. x counts tiles, flat over batch, rows and columns; y
// slices. An invocation computes one slice of a tile; with LANES of 6, six
// share it: each computes a column of A^T m, then four of them a row of the
// result each.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 tiles;  // tiles in a row, rows of tiles, the first tile that is made
};

// The transform's points are 0, +-kNear, +-kFar and infinity.
const float kNear = 0.75;
const float kFar = 1.5;

// A^T v.
void transform(vec4 v[6], out vec4 result[4]) {
  vec4 near_even = v[1] + v[2];
  vec4 near_odd = v[1] - v[2];
  vec4 far_even = v[3] + v[4];
  vec4 far_odd = v[3] - v[4];
  result[0] = v[0] + near_even + far_even;
  result[1] = kNear * near_odd + kFar * far_odd;
  result[2] = kNear * kNear * near_even + kFar * kFar * far_even;
  result[3] = kNear * kNear * kNear * near_odd + kFar * kFar * kFar * far_odd +
              v[5];
}

// Column `column` of A^T m.
void make_column(int tile, int slice, int column, out vec4 result[4]) {
  vec4 v[6];
  for (int i = 0; i < 6; ++i) {
    v[i] = read_planes(tile, i * 6 + column, slice, 0);
  }
  transform(v, result);
}

// Writes row `row` of (A^T m) A, whose row of A^T m is v.
void write_row(int tile, int slice, int row, vec4 v[6]) {
  vec4 result[4];
  transform(v, result);
  ivec3 at = op_pixel_at(tile + tiles.z, tiles);
  int x = at.x * 4;
  int y = at.y * 4 + row;
  if (y >= dst_size.y) return;
  vec4 bias = bias_at(slice, 0);
  for (int i = 0; i < 4; ++i) {
    if (x + i < dst_size.x) write_dst(x + i, y, slice, at.z, result[i] + bias);
  }
}

#if LANES > 1
shared vec4 mem[4][6][WORK_GROUP_X];

void main() {
  // No early return, since a barrier follows.
  int lane = int(gl_LocalInvocationID.z);
  int cell = int(gl_LocalInvocationID.x);
  int tile = min(gid.x, planes_size.x - 1);
  vec4 column[4];
  make_column(tile, gid.y, lane, column);
  for (int i = 0; i < 4; ++i) mem[i][lane][cell] = column[i];
  barrier();
  if (outside_grid() || lane >= 4) return;
  vec4 v[6];
  for (int i = 0; i < 6; ++i) v[i] = mem[lane][i][cell];
  write_row(tile, gid.y, lane, v);
}
#else
void main() {
  if (outside_grid()) return;
  vec4 columns[6][4];
  for (int c = 0; c < 6; ++c) make_column(gid.x, gid.y, c, columns[c]);
  for (int r = 0; r < 4; ++r) {
    vec4 v[6];
    for (int c = 0; c < 6; ++c) v[c] = columns[c][r];
    write_row(gid.x, gid.y, r, v);
  }
}
#endif
