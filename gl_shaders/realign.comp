// dst = src with its pixels in the same order over other extents; channels stay.
// One texel (4 channels) an invocation.
layout(std140, binding = 0) uniform Params { COMMON_PARAMS };

void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
  int pixel = (p.w * dst_size.y + p.y) * dst_size.x + p.x;
  int row = pixel / src_size.x;
  ELEMENT4 v = read_src(pixel % src_size.x, row % src_size.y, p.z, row / src_size.y);
  write_dst(p.x, p.y, p.z, p.w, v);
}
