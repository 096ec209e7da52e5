// Output slices from first_slice on, from 1 to 3 SOURCES; source i begins at
// any channel part_begin[i]. Copies every channel unchanged. One texel per
// invocation.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 part_begin;  // channel of the output, per source
  int first_slice;
  int slice_count;
};

// Copies one source's channels of output texel (p, slice, batch) into v.
#define PART(READ, SIZE, CHANNELS, BEGIN)                                 \
  {                                                                       \
    int first = 4 * slice - BEGIN;                                        \
    int s = first >> 2;                                                   \
    ELEMENT4 low = ELEMENT4(0);                                           \
    ELEMENT4 high = ELEMENT4(0);                                          \
    if (s >= 0 && s < SIZE.z) low = READ(p.x, p.y, s, batch);             \
    if ((first & 3) != 0 && s >= -1 && s + 1 < SIZE.z) {                  \
      high = READ(p.x, p.y, s + 1, batch);                                \
    }                                                                     \
    uvec4 channel = uvec4(first + ivec4(0, 1, 2, 3));                     \
    v = mix(v, op_shifted(low, high, first & 3),                          \
            lessThan(channel, uvec4(CHANNELS)));                          \
  }

void main() {
  if (outside_grid()) return;
  ivec2 p = gid.xy;
  int slice = first_slice + gid.z % slice_count;
  int batch = gid.z / slice_count;
  ELEMENT4 v = ELEMENT4(0);
  PART(read_src0, src0_size, src0_aux.x, part_begin.x)
#if SOURCES > 1
  PART(read_src1, src1_size, src1_aux.x, part_begin.y)
#endif
#if SOURCES > 2
  PART(read_src2, src2_size, src2_aux.x, part_begin.z)
#endif
  write_dst(p.x, p.y, slice, batch, v);
}
