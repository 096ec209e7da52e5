// dst = src in linear (batch, y, x, channel) order. With WHOLE, four channels
// of a texel come from one texel: the channel counts are equal, or both
// multiples of 4. One texel per invocation.

ELEMENT value_of(int element) {
  ivec4 p = op_element_at(element, src_size, src_aux.x);
  return op_component(read_src(p.x, p.y, p.z >> 2, p.w), p.z);
}

ELEMENT4 dst_texel(ivec4 p) {
  int pixel = (p.w * dst_size.y + p.y) * dst_size.x + p.x;
  int first = pixel * dst_aux.x + 4 * p.z;
#ifdef WHOLE
  ivec4 q = op_element_at(first, src_size, src_aux.x);
  return read_src(q.x, q.y, q.z >> 2, q.w);
#else
  // Lanes past the last channel repeat it: in bounds, and masked by the write.
  int last = (pixel + 1) * dst_aux.x - 1;
  return ELEMENT4(value_of(first), value_of(min(first + 1, last)),
                  value_of(min(first + 2, last)), value_of(min(first + 3, last)));
#endif
}
