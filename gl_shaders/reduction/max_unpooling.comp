// MaxUnpooling2D as a gather: a pixel has one window, whose index selects it or
// not.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec2 window;  // width, height
};

void main() {
  if (outside_grid()) return;
  int slice = gid.z % dst_size.z;
  int batch = gid.z / dst_size.z;
  ivec2 from = gid.xy / window;
  ivec2 within = gid.xy - from * window;
  // Truncated, since 0.1 was added.
  ivec4 index = ivec4(read_indices(from.x, from.y, slice, batch));
  vec4 v = read_src(from.x, from.y, slice, batch);
  bvec4 here = equal(index, ivec4(within.y * window.x + within.x));
  write_dst(gid.x, gid.y, slice, batch, mix(vec4(0.0), v, here));
}
