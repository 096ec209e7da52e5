// TransformTensorBilinear: the data at the matrix's image of each pixel.

vec4 pixel(ivec2 p) {
  ivec2 inside = clamp(p, ivec2(0), src_size.xy - 1);
  vec4 texel = read_src(inside.x, inside.y, gid.z, 0);
  return p == inside ? texel : vec4(0.0);
}

float transformed(vec4 row) {
#ifdef HALF_PIXEL_CENTERS
  row.w += 0.5 * row.x + 0.5 * row.y - 0.5;
#endif
  return row.x * float(gid.x) + row.y * float(gid.y) + row.w;
}

void main() {
  if (outside_grid()) return;
  vec2 at = vec2(transformed(read_matrix(0, 0, 0, 0)),
                 transformed(read_matrix(1, 0, 0, 0)));
  vec4 v = vec4(0.0);
  // False if a coordinate is NaN.
  if (all(greaterThanEqual(at, vec2(0.0))) &&
      all(lessThanEqual(at, vec2(src_size.xy - 1)))) {
    vec2 low = floor(at);
    ivec2 p = ivec2(low);
    vec2 t = at - low;
    vec4 upper = (1.0 - t.x) * pixel(p) + t.x * pixel(p + ivec2(1, 0));
    vec4 lower = (1.0 - t.x) * pixel(p + ivec2(0, 1)) + t.x * pixel(p + ivec2(1, 1));
    v = (1.0 - t.y) * upper + t.y * lower;
  }
  write_dst(gid.x, gid.y, gid.z, 0, v);
}
