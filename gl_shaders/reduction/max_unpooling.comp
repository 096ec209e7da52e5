// MaxUnpooling2D as a gather: a pixel has one window, whose index selects it or
// not.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec2 window;  // width, height
};

ELEMENT4 dst_texel(ivec4 p) {
  ivec2 from = p.xy / window;
  ivec2 within = p.xy - from * window;
  // Truncated, since 0.1 was added.
  ivec4 index = ivec4(read_indices(from.x, from.y, p.z, p.w));
  vec4 v = read_src(from.x, from.y, p.z, p.w);
  bvec4 here = equal(index, ivec4(within.y * window.x + within.x));
  return mix(vec4(0.0), v, here);
}
