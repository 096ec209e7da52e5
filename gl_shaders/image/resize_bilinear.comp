// Bilinear interpolation between the four source texels around each output
// texel, with TFLite's clamping at the borders. One texel an invocation.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  float scale_x;  // source pixels an output pixel
  float scale_y;
  float shift;  // 0.5: pixels are at their centers
};

void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
  vec2 at = (vec2(p.xy) + shift) * vec2(scale_x, scale_y) - shift;
  // Both stay inside the image, so a part below 0 or above 1 weighs equal texels.
  ivec2 low = clamp(ivec2(floor(at)), ivec2(0), src_size.xy - 1);
  ivec2 high = clamp(ivec2(ceil(at)), ivec2(0), src_size.xy - 1);
  vec2 part = at - vec2(low);
  vec4 top = mix(read_src(low.x, low.y, p.z, p.w), read_src(high.x, low.y, p.z, p.w),
                 part.x);
  vec4 bottom = mix(read_src(low.x, high.y, p.z, p.w),
                    read_src(high.x, high.y, p.z, p.w), part.x);
  write_dst(p.x, p.y, p.z, p.w, mix(top, bottom, part.y));
}
