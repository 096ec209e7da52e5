// Arithmetic of indices.

// Component i & 3 of v, by two selections: v[i & 3] goes through memory on
// compilers that keep vectors in registers (NVIDIA's).
float op_component(vec4 v, int i) {
  vec2 pair = (i & 2) != 0 ? v.zw : v.xy;
  return (i & 1) != 0 ? pair.y : pair.x;
}
int op_component(ivec4 v, int i) {
  ivec2 pair = (i & 2) != 0 ? v.zw : v.xy;
  return (i & 1) != 0 ? pair.y : pair.x;
}

// v with component i & 3 replaced by x.
vec4 op_with_component(vec4 v, int i, float x) {
  return mix(v, vec4(x), equal(ivec4(i & 3), ivec4(0, 1, 2, 3)));
}
ivec4 op_with_component(ivec4 v, int i, int x) {
  bvec4 is_it = equal(ivec4(i & 3), ivec4(0, 1, 2, 3));
  return ivec4(is_it.x ? x : v.x, is_it.y ? x : v.y, is_it.z ? x : v.z,
               is_it.w ? x : v.w);
}

// Four channels of `low` and, after it, `high`, from channel `by` on.
ELEMENT4 op_shifted(ELEMENT4 low, ELEMENT4 high, int by) {
  if (by == 0) return low;
  if (by == 1) return ELEMENT4(low.yzw, high.x);
  if (by == 2) return ELEMENT4(low.zw, high.xy);
  return ELEMENT4(low.w, high.xyz);
}

// a / b from 1 / b, for 0 <= a < 2^21 (kQuotientEnd of
// delegate/ops/dispatches.h), since integer division takes a GPU some 20
// instructions. a + 0.5 is exact, and its quotient is at least 0.5 / b away
// from the next integer. Two roundings of at most 2^-23 move it by less.
int op_quotient(int a, float reciprocal) {
  return int((float(a) + 0.5) * reciprocal);
}
// The same for any a, if the program has LARGE_INDICES.
#ifndef LARGE_INDICES
#define LARGE_INDICES 0
#endif
int op_quotient(int a, int b, float reciprocal) {
  return LARGE_INDICES != 0 ? a / b : op_quotient(a, reciprocal);
}

// Whether the four channels of a slice are past the last of `count`.
bvec4 op_past(int slice, int count) {
  return greaterThanEqual(4 * slice + ivec4(0, 1, 2, 3), ivec4(count));
}

// Pixel `index` of a tensor of this size, in linear order: x, y, batch.
ivec3 op_pixel_at(int index, ivec4 size) {
  int row = index / size.x;
  int batch = row / size.y;
  return ivec3(index - row * size.x, row - batch * size.y, batch);
}

// Where iteration t of four loops is: loops.x + the sum of index * stride.
// loops.yzw: the sizes of the three inner ones.
int op_moved(int t, ivec4 loops, ivec4 strides) {
  int outer = t / loops.w;
  int at = loops.x + (t - outer * loops.w) * strides.w;
  int next = outer / loops.z;
  at += (outer - next * loops.z) * strides.z;
  outer = next / loops.y;
  return at + (next - outer * loops.y) * strides.y + outer * strides.x;
}

// Texel t of a tensor of this size, in the order of elements: x, y, slice,
// batch.
ivec4 op_place_of(int t, ivec4 size) {
  int pixel = t / size.z;
  ivec3 p = op_pixel_at(pixel, size);
  return ivec4(p.xy, t - pixel * size.z, p.z);
}

// Element e of a tensor of this size, with these channels: x, y, channel, batch.
ivec4 op_element_at(int e, ivec4 size, int channels) {
  int pixel = e / channels;
  ivec3 p = op_pixel_at(pixel, size);
  return ivec4(p.xy, e - pixel * channels, p.z);
}

// The texel with element e of a tensor of this size, with these channels.
ivec4 op_place_of_element(int e, ivec4 size, int channels) {
  int pixel = e / channels;
  return op_place_of(pixel * size.z + (e - pixel * channels) / 4, size);
}

// The cell of invocation `index` of a work group that is eights * 8 cells wide.
// 32 invocations are 8 by 4 cells. Two neighbours, or each and the one after
// the next, read the same texel of shared memory for a row or column of cells.
ivec2 op_cell(int index, int eights) {
  int part = index / 32;
  int row = part / eights;
  return ivec2(index / 2 % 8 + 8 * (part - row * eights),
               index % 2 + index % 32 / 16 * 2 + 4 * row);
}
