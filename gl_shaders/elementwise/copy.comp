// dst = src, broadcast to dst's shape; the body of all elementwise ops, whose
// function is a post-op. One texel (4 channels) per invocation.
layout(std140, binding = 0) uniform Params { COMMON_PARAMS };

void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
  // Broadcasting is a clamp: an axis of extent 1 is always read at index 0.
  ivec4 q = min(p, src_size - 1);
  ELEMENT4 v = read_src(q.x, q.y, q.z, q.w);
#ifdef SPLAT
  v = v.xxxx;
#endif
  write_dst(p.x, p.y, p.z, p.w, v);
}
