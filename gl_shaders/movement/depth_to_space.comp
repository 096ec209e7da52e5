// dst(x, y, c) = src(x / block, y / block, ((y % block) * block + x % block) * C + c).
// One texel per invocation; with WHOLE, C is a multiple of 4: one read.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  int block;
};

ELEMENT4 dst_texel(ivec4 p) {
  ivec2 q = p.xy / block;
  ivec2 within = p.xy - q * block;
  int first = (within.y * block + within.x) * dst_aux.x + 4 * p.z;
#ifdef WHOLE
  return read_src(q.x, q.y, first >> 2, p.w);
#else
  ELEMENT4 v = ELEMENT4(0);
  for (int i = 0; i < min(4, dst_aux.x - 4 * p.z); ++i) {
    int c = first + i;
    v[i] = op_component(read_src(q.x, q.y, c >> 2, p.w), c);
  }
  return v;
#endif
}
