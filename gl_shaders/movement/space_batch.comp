// Moves the pixels of each block to separate batches (TO_BATCH), with `fill`
// for padding, or back. One texel per invocation.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec2 block;  // width, height
  ivec2 edge;   // padding or crop: left, top
  float fill;
};

ELEMENT4 dst_texel(ivec4 p) {
#ifdef TO_BATCH
  int cell = p.w / src_size.w;  // of the block, row by row
  ivec2 q = p.xy * block + ivec2(cell % block.x, cell / block.x) - edge;
  int batch = p.w - cell * src_size.w;
  if (any(lessThan(q, ivec2(0))) || any(greaterThanEqual(q, src_size.xy))) {
    return ELEMENT4(fill);
  }
#else
  ivec2 at = p.xy + edge;
  ivec2 q = at / block;
  ivec2 within = at - q * block;
  int batch = (within.y * block.x + within.x) * dst_size.w + p.w;
#endif
  return read_src(q.x, q.y, p.z, batch);
}
