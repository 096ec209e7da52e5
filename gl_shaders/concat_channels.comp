// Output slices first_slice and on from 1 to 3 SOURCES, source i beginning at
// any channel part_begin[i]. Channels past a source's last are zero, so that a
// texel is the sum of what each source has in it. One texel an invocation.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 part_begin;  // channel of the output, per source
  int first_slice;
  int slice_count;
};

// Channels 4 * i - begin and on, from the two texels `low` and `high` that hold
// them.
vec4 shifted(vec4 low, vec4 high, int by) {
  if (by == 0) return low;
  if (by == 1) return vec4(low.yzw, high.x);
  if (by == 2) return vec4(low.zw, high.xy);
  return vec4(low.w, high.xyz);
}

#define PART(READ, SIZE, BEGIN)                                           \
  {                                                                       \
    int first = 4 * slice - BEGIN;                                        \
    int s = first >> 2;                                                   \
    int by = first & 3;                                                   \
    vec4 low = vec4(0.0);                                                 \
    vec4 high = vec4(0.0);                                                \
    if (s >= 0 && s < SIZE.z) low = READ(p.x, p.y, s, batch);             \
    if (by != 0 && s >= -1 && s + 1 < SIZE.z) {                           \
      high = READ(p.x, p.y, s + 1, batch);                                \
    }                                                                     \
    v += shifted(low, high, by);                                          \
  }

void main() {
  if (outside_grid()) return;
  ivec2 p = gid.xy;
  int slice = first_slice + gid.z % slice_count;
  int batch = gid.z / slice_count;
  vec4 v = vec4(0.0);
  PART(read_src0, src0_size, part_begin.x)
#if SOURCES > 1
  PART(read_src1, src1_size, part_begin.y)
#endif
#if SOURCES > 2
  PART(read_src2, src2_size, part_begin.z)
#endif
  write_dst(p.x, p.y, slice, batch, v);
}
