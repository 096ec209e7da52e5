// dst[at + p] = src[offset + per * p] over a box of dst: pads, slices,
// transposes, tiles. Coordinates are (x, y, channel, batch). One texel an
// invocation, of four reads; with WHOLE, channels stay together and count in
// slices: one read; with SHIFTED, they stay in order: two.
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
};

// The value of source element (or texel, with WHOLE) q, in all or one lane.
ELEMENT4 value_at(ivec4 q) {
#ifdef WHOLE
  ivec4 size = src_size;
#else
  ivec4 size = ivec4(src_size.xy, src_aux.x, src_size.w);
#endif
#ifdef MIRROR
  q = mix(q, -q - mirror, lessThan(q, ivec4(0)));
  q = mix(q, 2 * (size - 1) + mirror - q, greaterThanEqual(q, size));
#endif
#ifdef WRAP
  q = q % size;
#endif
#ifdef FILL
  if (any(lessThan(q, ivec4(0))) || any(greaterThanEqual(q, size))) {
#ifdef FILL_TENSOR
    return read_fill_value(0, 0, 0, 0).xxxx;
#else
    return ELEMENT4(fill);
#endif
  }
#endif
#ifdef WHOLE
  return read_src(q.x, q.y, q.z, q.w);
#else
  return ELEMENT4(read_src(q.x, q.y, q.z >> 2, q.w)[q.z & 3]);
#endif
}

#ifdef SHIFTED
// Channels q.z and on. Past the source's they are zero, as are those of a texel's
// tail; and so is what lies outside on other axes.
ELEMENT4 texel_at(ivec4 q, int slice) {
  if (slice < 0 || slice >= src_size.z) return ELEMENT4(0);
  return read_src(q.x, q.y, slice, q.w);
}

ELEMENT4 shifted_at(ivec4 q) {
#ifdef FILL
  ivec4 size = ivec4(src_size.xy, q.z + 1, src_size.w);
  if (any(lessThan(q.xyw, ivec3(0))) || any(greaterThanEqual(q, size))) return ELEMENT4(0);
#endif
  ELEMENT4 low = texel_at(q, q.z >> 2);
  ELEMENT4 high = texel_at(q, (q.z >> 2) + 1);
  int by = q.z & 3;
  if (by == 0) return low;
  if (by == 1) return ELEMENT4(low.yzw, high.x);
  if (by == 2) return ELEMENT4(low.zw, high.xy);
  return ELEMENT4(low.w, high.xyz);
}
#endif

void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % box_slices, gid.z / box_slices);
  ivec4 q = offset + p.x * per_x + p.y * per_y + p.w * per_batch;
#if defined(WHOLE)
  ELEMENT4 v = value_at(q + p.z * per_channel);
#elif defined(SHIFTED)
  ELEMENT4 v = shifted_at(q + ivec4(0, 0, 4 * p.z, 0));
#else
  // Lanes past the last channel repeat it: in bounds, and masked by the write.
  ivec4 c = min(4 * p.z + ivec4(0, 1, 2, 3), box_channels - 1);
  ELEMENT4 v = ELEMENT4(value_at(q + c.x * per_channel).x, value_at(q + c.y * per_channel).x,
                value_at(q + c.z * per_channel).x, value_at(q + c.w * per_channel).x);
#endif
  ivec4 t = at + p;
  write_dst(t.x, t.y, t.z, t.w, v);
}
