// Writes texels as packed BHWC floats (int32, quantized values, or with HALVES
// float16) to host memory, four elements per invocation, since a bus needs
// whole, adjacent writes. UNPADDED: to a buffer without padding after the last
// element.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 origin;  // of this piece in the whole grid; the whole one's width
};

#ifdef QUANTIZED
// Four quantized values per int. QUANTIZED: converts them from src's form.
layout(std430, binding = HOST_BINDING) writeonly buffer Host { int host[]; };

void put_four(int i, vec4 v) { host[i] = pack_quantized(ivec4(v) + src_aux.y) ^ QUANTIZED; }
#elif defined(HALVES)
layout(std430, binding = HOST_BINDING) writeonly buffer Host { uvec2 host[]; };

void put_four(int i, vec4 v) {
  host[i] = uvec2(packHalf2x16(v.xy), packHalf2x16(v.zw));
}
#elif defined(UNPADDED) && !defined(WHOLE_TEXELS)
// An app's buffer, which may end with the last element.
layout(std430, binding = HOST_BINDING) writeonly buffer Host { ELEMENT host[]; };

void put_four(int i, ELEMENT4 v) {
  int count = src_aux.x * src_size.x * src_size.y * src_size.w;
  for (int k = 0; k < 4; ++k) {
    if (i * 4 + k < count) host[i * 4 + k] = v[k];
  }
}
#else
layout(std430, binding = HOST_BINDING) writeonly buffer Host { ELEMENT4 host[]; };

void put_four(int i, ELEMENT4 v) { host[i] = v; }
#endif

#ifdef WHOLE_TEXELS
// The channels are a multiple of 4; x counts slices.
void main() {
  if (outside_grid()) return;
  int z = gid.z + origin.z;
  int y = z % src_size.y;
  int batch = z / src_size.y;
  int at = ((batch * src_size.y + y) * src_size.x + gid.y) * src_size.z + gid.x;
  put_four(at, read_src(gid.y, y, gid.x, batch));
}
#else
// Four consecutive floats may span pixels, rows and batches. The buffer is
// padded to whole vec4s with zeros.
void main() {
  if (outside_grid()) return;
  int at = (gid.y + origin.y) * origin.w + gid.x + origin.x;
  int channels = src_aux.x;
  int pixel = (at * 4) / channels;
  int c = at * 4 - pixel * channels;
  ivec3 p = op_pixel_at(pixel, src_size);
  if (p.z >= src_size.w) return;
  ELEMENT4 texel = read_src(p.x, p.y, c >> 2, p.z);
  ELEMENT4 v = ELEMENT4(0);
  for (int i = 0; i < 4; ++i) {
    v[i] = op_component(texel, c);
    ++c;
    if (c < channels && (c & 3) != 0) continue;
    if (c == channels) {
      c = 0;
      if (++p.x == src_size.x) {
        p.x = 0;
        if (++p.y == src_size.y) {
          p.y = 0;
          ++p.z;
        }
      }
    }
    if (p.z == src_size.w) break;
    texel = read_src(p.x, p.y, c >> 2, p.z);
  }
  put_four(at, v);
}
#endif
