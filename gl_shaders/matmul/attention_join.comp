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
  float largest = read_src(0, gid.y, extent.z, 0).x;
  for (int part = 1; part < src_size.x; ++part) {
    largest = max(largest, read_src(part, gid.y, extent.z, 0).x);
  }
  vec4 result = vec4(0.0);
  float sum = 0.0;
  for (int part = 0; part < src_size.x; ++part) {
    vec4 of_part = read_src(part, gid.y, extent.z, 0);
    float weight = exp(of_part.x - largest);
    sum += weight * of_part.y;
    result += weight * read_src(part, gid.y, o, 0);
  }
  vec4 v = result / sum;
  int matrix = gid.y / extent.x;
  int batch = matrix / extent.y;
  if (in_one_row != 0) {
    write_dst(0, 0, gid.y * extent.z + o, 0, v);
  } else {
    write_dst(gid.y - matrix * extent.x, matrix - batch * extent.y, o, batch, v);
  }
}
