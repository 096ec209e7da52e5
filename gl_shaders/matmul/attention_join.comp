// Joins the results of attention.comp for parts of the keys.
// dst is their sum divided by that of the parts' sums. A part counts by
// exp(its largest score - the largest of all).
// src has parts along x and the rows of all matrices along y. After the slices
// of results, one has the largest score and the sum.
// Grid: x slices of results, y rows of all matrices.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 extent;  // rows of a matrix, matrices of a batch, slices of results
  int in_one_row;  // as in attention.comp
};

void main() {
  if (outside_grid()) return;
  int o = gid.x;
  float largest = -3.402823466e38;
  float sum = 0.0;
  vec4 result = vec4(0.0);
  // Four at a time, whose loads do not wait for one another.
  for (int first = 0; first < src_size.x; first += 4) {
    vec4 v[4];
    vec4 of_part[4];
    for (int i = 0; i < 4; ++i) {
      int part = min(first + i, src_size.x - 1);
      of_part[i] = read_src(part, gid.y, extent.z, 0);
      v[i] = read_src(part, gid.y, o, 0);
    }
    float before = largest;
    for (int i = 0; i < 4; ++i) largest = max(largest, of_part[i].x);
    float weight = exp(before - largest);
    sum *= weight;
    result *= weight;
    for (int i = 0; i < 4; ++i) {
      if (first + i >= src_size.x) break;
      weight = exp(of_part[i].x - largest);
      sum += weight * of_part[i].y;
      result += weight * v[i];
    }
  }
  result /= sum;
  int matrix = gid.y / extent.x;
  int batch = matrix / extent.y;
  if (in_one_row != 0) {
    write_dst(0, 0, gid.y * extent.z + o, 0, result);
  } else {
    write_dst(gid.y - matrix * extent.x, matrix - batch * extent.y, o, batch, result);
  }
}
