// Slices in the order of the source, in batches of another size. Grid: one
// texel of dst.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  int first;  // slice of the source, counted through its batches
};

ELEMENT4 dst_texel(ivec4 p) {
  int from = gid.z + first;
  int batch = from / src_size.z;
  return read_src(p.x, p.y, from - batch * src_size.z, batch);
}
