// PART of each complex number: src has its real and imaginary parts in turn.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
};

float real_of(vec2 v) { return v.x; }
float imaginary_of(vec2 v) { return v.y; }

void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
  vec4 v = read_src(p.x, p.y, 2 * p.z, p.w);
  vec4 u = read_src(p.x, p.y, min(2 * p.z + 1, src_size.z - 1), p.w);
  write_dst(p.x, p.y, p.z, p.w, vec4(PART(v.xy), PART(v.zw), PART(u.xy), PART(u.zw)));
}
