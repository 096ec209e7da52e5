// Reads packed BHWC floats (int32 for integer tensors, bytes for quantized
// values, or with HALVES float16) from host memory into texels. One texel per
// invocation.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  // The piece's origin in the whole grid, and the grid's width.
  ivec4 origin;
};

#ifdef QUANTIZED
// Four quantized values per int. QUANTIZED: converts them to dst's form.
layout(std430, binding = HOST_BINDING) readonly buffer Host { int host[]; };

vec4 four_at(int i) { return vec4(unpack_quantized(host[i] ^ QUANTIZED) - dst_aux.y); }
float element_at(int i) { return op_component(four_at(i >> 2), i); }
#elif defined(HALVES)
// Two per int.
layout(std430, binding = HOST_BINDING) readonly buffer Host { uint host[]; };

vec4 four_at(int i) {
  return vec4(unpackHalf2x16(host[2 * i]), unpackHalf2x16(host[2 * i + 1]));
}
float element_at(int i) {
  vec2 pair = unpackHalf2x16(host[i >> 1]);
  return (i & 1) != 0 ? pair.y : pair.x;
}
#elif defined(WHOLE_TEXELS) || defined(RGB)
layout(std430, binding = HOST_BINDING) readonly buffer Host { ELEMENT4 host[]; };

ELEMENT4 four_at(int i) { return host[i]; }
#else
layout(std430, binding = HOST_BINDING) readonly buffer Host { ELEMENT host[]; };

ELEMENT element_at(int i) { return host[i]; }
#endif

#ifdef WHOLE_TEXELS
// The channels are a multiple of 4: x counts slices, so that neighbouring
// invocations read adjacent memory.
void main() {
  if (outside_grid()) return;
  int z = gid.z + origin.z;
  int y = z % dst_size.y;
  int batch = z / dst_size.y;
  int at = ((batch * dst_size.y + y) * dst_size.x + gid.y) * dst_size.z + gid.x;
  write_dst(gid.y, y, gid.x, batch, four_at(at));
}
#elif defined(RGB)
// Three channels, as in images: four pixels per invocation are three vec4s. The
// buffer is padded to whole threes. WHOLE_LINES: a work group reads its vec4s
// side by side, as a bus transfers whole lines.

// Writes the pixel at x, y, batch, and moves on to the next one.
void put(inout ivec3 at, ELEMENT r, ELEMENT g, ELEMENT b) {
  if (at.z >= dst_size.w) return;
  write_dst(at.x, at.y, 0, at.z, ELEMENT4(r, g, b, 0));
  if (++at.x == dst_size.x) {
    at.x = 0;
    if (++at.y == dst_size.y) {
      at.y = 0;
      ++at.z;
    }
  }
}

#ifdef WHOLE_LINES
shared ELEMENT4 line[WORK_GROUP_X * 3];
ELEMENT4 vec_of(int group, int k) { return line[int(gl_LocalInvocationID.x) * 3 + k]; }
#else
ELEMENT4 vec_of(int group, int k) { return four_at(group * 3 + k); }
#endif

void main() {
  int pixels = dst_size.x * dst_size.y * dst_size.w;
  int group = (gid.y + origin.y) * origin.w + gid.x + origin.x;
#ifdef WHOLE_LINES
  int index = int(gl_LocalInvocationID.x);
  int last = (pixels + 3) / 4 * 3 - 1;
  for (int i = index; i < WORK_GROUP_X * 3; i += WORK_GROUP_X) {
    line[i] = four_at(min((group - index) * 3 + i, last));
  }
  barrier();
#endif
  if (outside_grid()) return;
  // The last row of a folded grid may extend past the end.
  if (group * 4 >= pixels) return;
  ELEMENT4 a = vec_of(group, 0);
  ELEMENT4 b = vec_of(group, 1);
  ELEMENT4 c = vec_of(group, 2);
  ivec3 at = op_pixel_at(group * 4, dst_size);
  put(at, a.x, a.y, a.z);
  put(at, a.w, b.x, b.y);
  put(at, b.z, b.w, c.x);
  put(at, c.y, c.z, c.w);
}
#else
void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
  int channels = dst_aux.x;
  int c = p.z * 4;
  int at = ((p.w * dst_size.y + p.y) * dst_size.x + p.x) * channels + c;
  ELEMENT4 v = ELEMENT4(0);
  v.x = element_at(at);
  if (c + 1 < channels) v.y = element_at(at + 1);
  if (c + 2 < channels) v.z = element_at(at + 2);
  if (c + 3 < channels) v.w = element_at(at + 3);
  write_dst(p.x, p.y, p.z, p.w, v);
}
#endif
