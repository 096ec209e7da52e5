// MaxPoolingWithArgmax2D: the maximum of each window and its index.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 window;  // width, height; stride x, y
  ivec2 pad;     // left, top
};

void main() {
  if (outside_grid()) return;
  int slice = gid.z % dst_size.z;
  int batch = gid.z / dst_size.z;
  ivec2 first = gid.xy * window.zw - pad;
  vec4 most = vec4(uintBitsToFloat(0xff7fffffu));  // the lowest float
  vec4 index = vec4(0.0);
  for (int ky = 0; ky < window.y; ++ky) {
    int y = first.y + ky;
    if (y < 0 || y >= src_size.y) continue;
    for (int kx = 0; kx < window.x; ++kx) {
      int x = first.x + kx;
      if (x < 0 || x >= src_size.x) continue;
      vec4 v = read_src(x, y, slice, batch);
      bvec4 larger = greaterThan(v, most);
      most = mix(most, v, larger);
      index = mix(index, vec4(float(ky * window.x + kx)), larger);
    }
  }
  write_dst(gid.x, gid.y, slice, batch, most);
  write_indices(gid.x, gid.y, slice, batch, index + 0.1);
}
