// dst[at + p] = src[offset + per * p] over a box of dst: pads, slices,
// transposes, tiles. Coordinates are (x, y, channel, batch). One texel per
// invocation, with four reads; with WHOLE, channels stay together and count in
// slices: one read; with SHIFTED, they stay in order: two reads. With OUTER
// there is a fifth axis before the batch and part of it: the batch of a read or
// write is outer * batches + batch.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 offset;
  ivec4 per_x;
  ivec4 per_y;
  ivec4 per_channel;
  ivec4 per_batch;
  ivec4 at;  // x, y, slice, batch
  int box_slices;
  int box_channels;
  int mirror;  // 0: the edge once, 1: twice
  float fill;
#ifdef OUTER
  ivec4 per_outer;  // of x, y, channel, batch
  ivec4 outer_per;  // the source's outer index per x, y, channel, batch
  ivec4 outer;      // its offset; per outer; the source's extent; its batches
  ivec4 outer_box;  // batches of the box; where it begins; dst's batches
#endif
};

// A position in the source: x, y, channel or slice, batch, and the outer axis.
struct Place {
  ivec4 q;
  int outer;
};

int batch_of(Place p) {
#ifdef OUTER
  return p.outer * outer.w + p.q.w;
#else
  return p.q.w;
#endif
}

ivec4 source_size() {
#ifdef WHOLE
  ivec4 size = src_size;
#else
  ivec4 size = ivec4(src_size.xy, src_aux.x, src_size.w);
#endif
#ifdef OUTER
  size.w = outer.w;
#endif
  return size;
}

bool is_outside(Place p, ivec4 size) {
#ifdef OUTER
  if (p.outer < 0 || p.outer >= outer.z) return true;
#endif
  return any(lessThan(p.q, ivec4(0))) || any(greaterThanEqual(p.q, size));
}

int mirrored(int i, int size) {
  i = i < 0 ? -i - mirror : i;
  return i >= size ? 2 * (size - 1) + mirror - i : i;
}

// The value of the source's element (or texel, with WHOLE), in one or all
// lanes.
ELEMENT4 value_at(Place p) {
  ivec4 size = source_size();
#ifdef MIRROR
  for (int i = 0; i < 4; ++i) p.q[i] = mirrored(p.q[i], size[i]);
#ifdef OUTER
  p.outer = mirrored(p.outer, outer.z);
#endif
#endif
#ifdef WRAP
  p.q = p.q % size;
#ifdef OUTER
  p.outer = p.outer % outer.z;
#endif
#endif
#ifdef FILL
  if (is_outside(p, size)) {
#ifdef FILL_TENSOR
    return read_fill_value(0, 0, 0, 0).xxxx;
#else
    return ELEMENT4(fill);
#endif
  }
#endif
#ifdef WHOLE
  return read_src(p.q.x, p.q.y, p.q.z, batch_of(p));
#else
  return ELEMENT4(
      op_component(read_src(p.q.x, p.q.y, p.q.z >> 2, batch_of(p)), p.q.z));
#endif
}

#ifdef SHIFTED
// Channels from q.z on; zero past the source's channels, in padding, and
// outside the source on other axes.
ELEMENT4 texel_at(Place p, int slice) {
  if (slice < 0 || slice >= src_size.z) return ELEMENT4(0);
  return read_src(p.q.x, p.q.y, slice, batch_of(p));
}

ELEMENT4 shifted_at(Place p) {
  int channel = p.q.z;
#ifdef FILL
  p.q.z = 0;
  if (is_outside(p, source_size())) return ELEMENT4(0);
#endif
  ELEMENT4 low = texel_at(p, channel >> 2);
  ELEMENT4 high = texel_at(p, (channel >> 2) + 1);
  return op_shifted(low, high, channel & 3);
}
#endif

// `from`, moved by `channels` in the destination.
Place moved(Place from, int channels) {
  from.q += channels * per_channel;
#ifdef OUTER
  from.outer += channels * outer_per.z;
#endif
  return from;
}

void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % box_slices, gid.z / box_slices);
  Place from = Place(offset, 0);
#ifdef OUTER
  int p_outer = p.w / outer_box.x;
  p.w -= p_outer * outer_box.x;
  from.q += p_outer * per_outer;
  from.outer = outer.x + p_outer * outer.y + p.x * outer_per.x +
               p.y * outer_per.y + p.w * outer_per.w;
#endif
  from.q += p.x * per_x + p.y * per_y + p.w * per_batch;
#if defined(WHOLE)
  ELEMENT4 v = value_at(moved(from, p.z));
#elif defined(SHIFTED)
  from.q.z += 4 * p.z;
  ELEMENT4 v = shifted_at(from);
#else
  // Lanes past the last channel repeat it: in bounds, and masked by the write.
  ivec4 c = min(4 * p.z + ivec4(0, 1, 2, 3), box_channels - 1);
  ELEMENT4 v = ELEMENT4(value_at(moved(from, c.x)).x, value_at(moved(from, c.y)).x,
                        value_at(moved(from, c.z)).x, value_at(moved(from, c.w)).x);
#endif
  ivec4 t = at + p;
#ifdef OUTER
  t.w += (outer_box.y + p_outer) * outer_box.z;
#endif
  write_dst(t.x, t.y, t.z, t.w, v);
}
