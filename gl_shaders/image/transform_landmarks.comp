// TransformLandmarks: each landmark has `dimensions` consecutive channels.
// Grid: x slices, y columns.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  int dimensions;  // 2 or 3
  float scale;     // of the matrix's last column
};

float channel(int c) { return op_component(read_src(gid.y, 0, c / 4, 0), c); }

void main() {
  if (outside_grid()) return;
  vec4 row[2];
  row[0] = read_matrix(0, 0, 0, 0);
  row[1] = read_matrix(1, 0, 0, 0);
  vec4 v = vec4(0.0);
  for (int i = 0; i < 4; ++i) {
    int c = gid.x * 4 + i;
    if (c >= src_aux.x) break;
    int landmark = c / dimensions;
    int which = c - landmark * dimensions;
    if (which == 2) {
      v[i] = channel(c);
    } else {
      vec4 r = which == 0 ? row[0] : row[1];
      v[i] = r.x * channel(landmark * dimensions) +
             r.y * channel(landmark * dimensions + 1) + r.w * scale;
    }
  }
  write_dst(gid.y, 0, gid.x, 0, v);
}
