// dst = condition ? a : b, all broadcast to dst's shape. LANES_CONDITION,
// LANES_A and LANES_B are xxxx for tensors with one channel for all of dst's,
// else xyzw. One texel per invocation.
ELEMENT4 dst_texel(ivec4 p) {
  // Broadcasting is a clamp: an axis of extent 1 is always read at index 0.
  ivec4 c = min(p, condition_size - 1);
  ivec4 i = min(p, a_size - 1);
  ivec4 j = min(p, b_size - 1);
  bvec4 first = notEqual(read_condition(c.x, c.y, c.z, c.w).LANES_CONDITION, ivec4(0));
  return mix(read_b(j.x, j.y, j.z, j.w).LANES_B,
             read_a(i.x, i.y, i.z, i.w).LANES_A, first);
}
