// PART of each complex number: src has its real and imaginary parts in turn.
float real_of(vec2 v) { return v.x; }
float imaginary_of(vec2 v) { return v.y; }

ELEMENT4 dst_texel(ivec4 p) {
  vec4 v = read_src(p.x, p.y, 2 * p.z, p.w);
  vec4 u = read_src(p.x, p.y, min(2 * p.z + 1, src_size.z - 1), p.w);
  return vec4(PART(v.xy), PART(v.zw), PART(u.xy), PART(u.zw));
}
