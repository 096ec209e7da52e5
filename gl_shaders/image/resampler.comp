// Resampler: bilinear interpolation of the data at the warp's pixel.
layout(std140, binding = 0) uniform Params { COMMON_PARAMS };

int slice;
int batch;

vec4 pixel(ivec2 p) {
  ivec2 inside = clamp(p, ivec2(0), src_size.xy - 1);
  vec4 texel = read_src(inside.x, inside.y, slice, batch);
  return p == inside ? texel : vec4(0.0);
}

void main() {
  if (outside_grid()) return;
  slice = gid.z % dst_size.z;
  batch = gid.z / dst_size.z;
  vec2 at = read_warp(gid.x, gid.y, 0, batch).xy;
  vec4 v = vec4(0.0);
  // False if a coordinate is NaN.
  if (all(greaterThan(at, vec2(-1.0))) && all(lessThan(at, vec2(src_size.xy)))) {
    vec2 low = floor(at);
    ivec2 p = ivec2(low);
    vec2 t = at - low;
    v = (1.0 - t.x) * (1.0 - t.y) * pixel(p) +
        t.x * (1.0 - t.y) * pixel(p + ivec2(1, 0)) +
        (1.0 - t.x) * t.y * pixel(p + ivec2(0, 1)) +
        t.x * t.y * pixel(p + ivec2(1, 1));
  }
  write_dst(gid.x, gid.y, slice, batch, v);
}
