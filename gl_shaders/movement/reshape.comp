// dst = src in linear (batch, y, x, channel) order. With WHOLE, four channels
// of a texel come from one texel: the channel counts are equal, or both
// multiples of 4. One texel per invocation.

// The texel with channel c of pixel i, with pixels in linear order.
ELEMENT4 texel(int i, int c) {
  ivec3 p = op_pixel_at(i, src_size);
  return read_src(p.x, p.y, c >> 2, p.z);
}

ELEMENT4 texel_of(int element) {
  int i = element / src_aux.x;
  return texel(i, element - i * src_aux.x);
}

ELEMENT value_of(int element) {
  int i = element / src_aux.x;
  int c = element - i * src_aux.x;
  return op_component(texel(i, c), c);
}

ELEMENT4 dst_texel(ivec4 p) {
  int pixel = (p.w * dst_size.y + p.y) * dst_size.x + p.x;
  int first = pixel * dst_aux.x + 4 * p.z;
#ifdef WHOLE
  return texel_of(first);
#else
  // Lanes past the last channel repeat it: in bounds, and masked by the write.
  int last = (pixel + 1) * dst_aux.x - 1;
  return ELEMENT4(value_of(first), value_of(min(first + 1, last)),
                  value_of(min(first + 2, last)), value_of(min(first + 3, last)));
#endif
}
