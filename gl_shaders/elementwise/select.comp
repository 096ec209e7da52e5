// dst = condition ? a : b, all broadcast to dst's shape. LANES_CONDITION,
// LANES_A and LANES_B are xxxx for tensors with one channel for all of dst's,
// else xyzw. One texel per invocation.
layout(std140, binding = 0) uniform Params { COMMON_PARAMS };

void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
  // Broadcasting is a clamp: an axis of extent 1 is always read at index 0.
  ivec4 c = min(p, condition_size - 1);
  ivec4 i = min(p, a_size - 1);
  ivec4 j = min(p, b_size - 1);
  bvec4 first = notEqual(read_condition(c.x, c.y, c.z, c.w).LANES_CONDITION, ivec4(0));
  ELEMENT4 v = mix(read_b(j.x, j.y, j.z, j.w).LANES_B,
                   read_a(i.x, i.y, i.z, i.w).LANES_A, first);
  write_dst(p.x, p.y, p.z, p.w, v);
}
