// Resampler: bilinear interpolation of the data at the warp's pixel.

// `of`: the texel of dst.
vec4 pixel(ivec2 p, ivec4 of) {
  ivec2 inside = clamp(p, ivec2(0), src_size.xy - 1);
  vec4 texel = read_src(inside.x, inside.y, of.z, of.w);
  return p == inside ? texel : vec4(0.0);
}

ELEMENT4 dst_texel(ivec4 of) {
  vec2 at = read_warp(of.x, of.y, 0, of.w).xy;
  vec4 v = vec4(0.0);
  // False if a coordinate is NaN.
  if (all(greaterThan(at, vec2(-1.0))) && all(lessThan(at, vec2(src_size.xy)))) {
    vec2 low = floor(at);
    ivec2 p = ivec2(low);
    vec2 t = at - low;
    v = (1.0 - t.x) * (1.0 - t.y) * pixel(p, of) +
        t.x * (1.0 - t.y) * pixel(p + ivec2(1, 0), of) +
        (1.0 - t.x) * t.y * pixel(p + ivec2(0, 1), of) +
        t.x * t.y * pixel(p + ivec2(1, 1), of);
  }
  return v;
}
