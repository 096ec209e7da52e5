// dst(x, y, (j * block + i) * C + c) = src(x * block + i, y * block + j, c).
// One texel per invocation; with WHOLE, C is a multiple of 4: one read.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  int block;
};

ELEMENT4 dst_texel(ivec4 p) {
  ELEMENT4 v = ELEMENT4(0);
#ifdef WHOLE
  const int kReads = 1;
#else
  const int kReads = 4;
#endif
  for (int i = 0; i < min(kReads, dst_aux.x - 4 * p.z); ++i) {
    int c = 4 * p.z + i;
    int pixel = c / src_aux.x;
    c -= pixel * src_aux.x;
    ivec2 q = p.xy * block + ivec2(pixel % block, pixel / block);
    ELEMENT4 texel = read_src(q.x, q.y, c >> 2, p.w);
#ifdef WHOLE
    v = texel;
#else
    v[i] = op_component(texel, c);
#endif
  }
  return v;
}
