// dst = src, broadcast to dst's shape; the body of all elementwise ops, whose
// function is a post-op. One texel (4 channels) per invocation.
ELEMENT4 dst_texel(ivec4 p) {
  // Broadcasting is a clamp: an axis of extent 1 is always read at index 0.
  ivec4 q = min(p, src_size - 1);
  ELEMENT4 v = read_src(q.x, q.y, q.z, q.w);
#ifdef SPLAT
  v = v.xxxx;
#endif
  return v;
}
