// Each output texel is one source texel, chosen by a table. One texel per
// invocation.
ELEMENT4 dst_texel(ivec4 p) {
  int x = int(nearest_at(p.x, 0).x);
  int y = int(nearest_at(p.y, 1).x);
  return read_src(x, y, p.z, p.w);
}
