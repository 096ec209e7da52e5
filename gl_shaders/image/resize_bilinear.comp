// Bilinear interpolation between the four source texels around each output
// texel, clamped at the borders as in TFLite. One texel per invocation, or with
// ALL_SLICES one pixel, for SIMD processors, on which work per invocation is
// expensive.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  float scale_x;  // source pixels an output pixel
  float scale_y;
  float shift;  // 0.5: pixels are at their centers
};

void interpolate(ivec4 p, ivec4 around, vec2 part) {
  vec4 top = mix(read_src(around.x, around.y, p.z, p.w),
                 read_src(around.z, around.y, p.z, p.w), part.x);
  vec4 bottom = mix(read_src(around.x, around.w, p.z, p.w),
                    read_src(around.z, around.w, p.z, p.w), part.x);
  write_dst(p.x, p.y, p.z, p.w, mix(top, bottom, part.y));
}

void main() {
  if (outside_grid()) return;
  vec2 part;
  ivec4 around =
      op_pixels_around(gid.xy, vec2(scale_x, scale_y), shift, src_size.xy, part);
#ifdef ALL_SLICES
  int s = grid.w;  // 0: see shader.h
  do {
    interpolate(ivec4(gid.xy, s, gid.z), around, part);
  } while (++s < dst_size.z);
#else
  interpolate(ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z), around, part);
#endif
}
