// MAX_POOL_2D with a small window, WINDOW_W x WINDOW_H: one texel per
// invocation. Reads outside are clamped to the nearest pixel, which is in the
// window as well. The grid has a slice's pixels flat.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 stride_pad;  // stride x, y; padding left, top
};

void main() {
  if (outside_grid()) return;
  int y = gid.x / dst_size.x;
  int x = gid.x - y * dst_size.x;
  ivec2 first = ivec2(x, y) * stride_pad.xy - stride_pad.zw;
  vec4 v = vec4(-3.402823466e38);
  for (int ky = 0; ky < WINDOW_H; ++ky) {
    for (int kx = 0; kx < WINDOW_W; ++kx) {
      ivec2 at = clamp(first + ivec2(kx, ky), ivec2(0), src_size.xy - 1);
      v = max(v, read_src(at.x, at.y, gid.y, gid.z));
    }
  }
  write_dst(x, y, gid.y, gid.z, v);
}
