// dst[outer, k, inner] = indices[outer, inner] == k ? on : off, for k below
// depth, in linear element order. One texel (4 channels) per invocation.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  int depth;
  int inner;
};

int index_at(int n) {
  ivec4 p = op_element_at(n, indices_size, indices_aux.x);
  return op_component(read_indices(p.x, p.y, p.z >> 2, p.w), p.z);
}

bool holds(int e) {
  int at = e / inner;
  int outer = at / depth;
  return index_at(outer * inner + e - at * inner) == at - outer * depth;
}

ELEMENT4 dst_texel(ivec4 p) {
  int pixel = (p.w * dst_size.y + p.y) * dst_size.x + p.x;
  // Lanes past the last channel repeat it: in bounds, and masked by the write.
  ivec4 e = pixel * dst_aux.x + min(4 * p.z + ivec4(0, 1, 2, 3), dst_aux.x - 1);
  bvec4 on = bvec4(holds(e.x), holds(e.y), holds(e.z), holds(e.w));
  return mix(read_off_value(0, 0, 0, 0).xxxx, read_on_value(0, 0, 0, 0).xxxx, on);
}
