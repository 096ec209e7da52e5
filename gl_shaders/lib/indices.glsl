// Arithmetic of indices.

// Component i & 3 of v, by two choices: v[i & 3] goes through memory where compilers
// keep vectors in registers (NVIDIA's: SOFTMAX of 1001 codes 18.3 us for 13.5).
float op_component(vec4 v, int i) {
  vec2 pair = (i & 2) != 0 ? v.zw : v.xy;
  return (i & 1) != 0 ? pair.y : pair.x;
}
int op_component(ivec4 v, int i) {
  ivec2 pair = (i & 2) != 0 ? v.zw : v.xy;
  return (i & 1) != 0 ? pair.y : pair.x;
}

// v with x for component i & 3, likewise.
vec4 op_with_component(vec4 v, int i, float x) {
  return mix(v, vec4(x), equal(ivec4(i & 3), ivec4(0, 1, 2, 3)));
}
ivec4 op_with_component(ivec4 v, int i, int x) {
  bvec4 is_it = equal(ivec4(i & 3), ivec4(0, 1, 2, 3));
  return ivec4(is_it.x ? x : v.x, is_it.y ? x : v.y, is_it.z ? x : v.z,
               is_it.w ? x : v.w);
}

// a / b from 1 / b, for 0 <= a < 2^21 (kQuotientEnd of delegate/ops/quotient.h): an
// integer's division takes a GPU some 20 instructions. a + 0.5 is exact, and its
// quotient is 0.5 / b at least from the next integer. Two roundings of 2^-23 or
// less each move it by less than that.
int op_quotient(int a, float reciprocal) {
  return int((float(a) + 0.5) * reciprocal);
}
