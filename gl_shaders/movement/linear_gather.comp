// dst[batch, outer, pick, inner] = src[batch, outer, index..., inner], where
// indices[batch, pick, depth] has the index of each pick, clamped to its axes.
// All in linear element order. With WHOLE, the four channels of a texel come
// from one texel. With QUANTIZED, src is a matrix of quantized rows, and an
// index picks one of its rows. One texel per invocation.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 extents;  // of the axes that an index names
  int depth;      // how many they are
  int inner;      // elements that an index picks
  int count;      // picks of a batch
  int outer;
  int rows;       // the product of the extents
};

int index_at(int n) {
  ivec4 p = op_element_at(n, indices_size, indices_aux.x);
  return op_component(read_indices(p.x, p.y, p.z >> 2, p.w), p.z);
}

// The source element for element e of dst.
int source_of(int e) {
  int pick = e / inner;
  int group = pick / count;  // batch and outer
  int at = ((group / outer) * count + pick - group * count) * depth;
  int row = 0;
  for (int j = 0; j < depth; ++j) {
    row = row * extents[j] + clamp(index_at(at + j), 0, extents[j] - 1);
  }
  return (group * rows + row) * inner + e - pick * inner;
}

#ifdef QUANTIZED
vec4 texel(int row, int slice) {
  mat4 w = src_quantized(slice, row >> 2);
  return vec4(op_component(w[0], row), op_component(w[1], row),
              op_component(w[2], row), op_component(w[3], row)) *
         op_component(src_scale(slice, row >> 2), row);
}
#else
ELEMENT4 texel(int pixel, int slice) {
  ivec3 p = op_pixel_at(pixel, src_size);
  return read_src(p.x, p.y, slice, p.z);
}

ELEMENT value_of(int e) {
  ivec4 p = op_element_at(source_of(e), src_size, src_aux.x);
  return op_component(read_src(p.x, p.y, p.z >> 2, p.w), p.z);
}
#endif

ELEMENT4 dst_texel(ivec4 p) {
  int pixel = (p.w * dst_size.y + p.y) * dst_size.x + p.x;
  int first = pixel * dst_aux.x;
#ifdef QUANTIZED
  return texel(source_of(first) / inner, p.z);
#elif defined(WHOLE)
  return texel(source_of(first) / src_aux.x, p.z);
#else
  // Lanes past the last channel repeat it: in bounds, and masked by the write.
  ivec4 c = first + min(4 * p.z + ivec4(0, 1, 2, 3), dst_aux.x - 1);
  return ELEMENT4(value_of(c.x), value_of(c.y), value_of(c.z), value_of(c.w));
#endif
}
