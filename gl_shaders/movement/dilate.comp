// dst = src with steps - 1 copies of `value` between neighbors along each axis.
// One texel per invocation. With WHOLE the channels stay together: one read.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 steps;  // x, y, channel, batch
};

ELEMENT4 dst_texel(ivec4 p) {
  ivec3 q = p.xyw / steps.xyw;
  ELEMENT4 v = read_value(0, 0, 0, 0).xxxx;
  if (q * steps.xyw == p.xyw) {
#ifdef WHOLE
    v = read_src(q.x, q.y, p.z, q.z);
#else
    for (int i = 0; i < min(4, dst_aux.x - 4 * p.z); ++i) {
      int c = (4 * p.z + i) / steps.z;
      if (c * steps.z == 4 * p.z + i) v[i] = op_component(read_src(q.x, q.y, c >> 2, q.z), c);
    }
#endif
  }
  return v;
}
