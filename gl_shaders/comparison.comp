// dst = COMPARE(a, b), 1 where it holds, both broadcast to dst's shape; one
// channel for all is LANES xxxx. One texel (4 channels) an invocation.
layout(std140, binding = 0) uniform Params { COMMON_PARAMS };

void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
  // Broadcasting is a clamp: an axis of extent 1 always reads index 0.
  ivec4 i = min(p, a_size - 1);
  ivec4 j = min(p, b_size - 1);
  bvec4 holds = COMPARE(read_a(i.x, i.y, i.z, i.w).LANES_A,
                        read_b(j.x, j.y, j.z, j.w).LANES_B);
  write_dst(p.x, p.y, p.z, p.w, ivec4(holds));
}
