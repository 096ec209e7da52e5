// Moves the pixels of each block to separate batches (TO_BATCH), with `fill`
// for padding, or back. One texel per invocation.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec2 block;  // width, height
  ivec2 edge;   // padding or crop: left, top
  float fill;
};

void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
#ifdef TO_BATCH
  int cell = p.w / src_size.w;  // of the block, row by row
  ivec2 q = p.xy * block + ivec2(cell % block.x, cell / block.x) - edge;
  int batch = p.w - cell * src_size.w;
  ELEMENT4 v = ELEMENT4(fill);
  if (all(greaterThanEqual(q, ivec2(0))) && all(lessThan(q, src_size.xy))) {
    v = read_src(q.x, q.y, p.z, batch);
  }
#else
  ivec2 at = p.xy + edge;
  ivec2 q = at / block;
  ivec2 within = at - q * block;
  int batch = (within.y * block.x + within.x) * dst_size.w + p.w;
  ELEMENT4 v = read_src(q.x, q.y, p.z, batch);
#endif
  write_dst(p.x, p.y, p.z, p.w, v);
}
