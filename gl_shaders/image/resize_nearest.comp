// Each output texel is one source texel, chosen by a table. One texel per
// invocation.
layout(std140, binding = 0) uniform Params { COMMON_PARAMS };

void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
  int x = int(nearest_at(p.x, 0).x);
  int y = int(nearest_at(p.y, 1).x);
  write_dst(p.x, p.y, p.z, p.w, read_src(x, y, p.z, p.w));
}
