// dst[row, inner] combines (COMBINE, from IDENTITY on) updates[i, inner] over the i whose index,
// indices[i, depth], names the row. All in linear element order; indices outside of their axes name
// none. One texel an invocation.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 extents;  // of the axes that an index names
  int depth;      // how many they are
  int inner;      // elements that an index names
  int count;      // of indices
};

ELEMENT combine(ELEMENT a, ELEMENT b) { return COMBINE; }

int index_at(int n) {
  ivec4 p = op_element_at(n, indices_size, indices_aux.x);
  return op_component(read_indices(p.x, p.y, p.z >> 2, p.w), p.z);
}

// The row that update i is added to; -1: none.
int row_of(int i) {
  int row = 0;
  for (int j = 0; j < depth; ++j) {
    int index = index_at(i * depth + j);
    if (index < 0 || index >= extents[j]) return -1;
    row = row * extents[j] + index;
  }
  return row;
}

ELEMENT update_at(int e) {
  ivec4 p = op_element_at(e, updates_size, updates_aux.x);
  return op_component(read_updates(p.x, p.y, p.z >> 2, p.w), p.z);
}

ELEMENT4 dst_texel(ivec4 p) {
  int first = ((p.w * dst_size.y + p.y) * dst_size.x + p.x) * dst_aux.x;
  // Lanes past the last channel repeat it: in bounds, and masked by the write.
  ivec4 e = first + min(4 * p.z + ivec4(0, 1, 2, 3), dst_aux.x - 1);
  ivec4 rows = e / inner;
  ivec4 at = e - rows * inner;
  ELEMENT4 total = ELEMENT4(IDENTITY);
  for (int i = 0; i < count; ++i) {
    int row = row_of(i);
    ivec4 from = i * inner + at;
    if (row == rows.x) total.x = combine(total.x, update_at(from.x));
    if (row == rows.y) total.y = combine(total.y, update_at(from.y));
    if (row == rows.z) total.z = combine(total.z, update_at(from.z));
    if (row == rows.w) total.w = combine(total.w, update_at(from.w));
  }
  return total;
}
