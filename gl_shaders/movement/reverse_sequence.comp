// dst = src with the first elements along one axis reversed; `lengths` has
// their number for each index of another axis. One texel per invocation. With
// WHOLE neither axis is the channels: one read.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 along;  // 1 for the sequence's axis among x, y, channel, batch
  ivec4 by;     // the same for the axis with a length per index
  int extent;   // of the sequence's axis
};

int on_axis(ivec4 p, ivec4 axis) {
  ivec4 q = p * axis;
  return q.x + q.y + q.z + q.w;
}

// p: x, y, channel, batch.
ivec4 source_of(ivec4 p) {
  int n = on_axis(p, by);
  int length = clamp(op_component(read_lengths(0, 0, n >> 2, 0), n), 0, extent);
  int i = on_axis(p, along);
  return i < length ? p + along * (length - 1 - 2 * i) : p;
}

ELEMENT4 dst_texel(ivec4 p) {
#ifdef WHOLE
  ivec4 q = source_of(ivec4(p.xy, 0, p.w));
  return read_src(q.x, q.y, p.z, q.w);
#else
  ELEMENT4 v = ELEMENT4(0);
  for (int i = 0; i < min(4, dst_aux.x - 4 * p.z); ++i) {
    ivec4 q = source_of(ivec4(p.xy, 4 * p.z + i, p.w));
    v[i] = op_component(read_src(q.x, q.y, q.z >> 2, q.w), q.z);
  }
  return v;
#endif
}
