// Slices in the order of the source, in batches of another size. Grid: one
// texel of dst.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  int first;  // slice of the source, counted through its batches
};

void main() {
  if (outside_grid()) return;
  int from = gid.z + first;
  int batch = from / src_size.z;
  int to = gid.z / dst_size.z;
  write_dst(gid.x, gid.y, gid.z - to * dst_size.z, to,
            read_src(gid.x, gid.y, from - batch * src_size.z, batch));
}
