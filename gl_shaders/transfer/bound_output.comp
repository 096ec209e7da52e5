// Writes texels to an app's texture or buffer
// (delegate/runtime/schedule.cc).
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  vec4 scaling;  // value = x * the object's value + y; z: its opaque alpha
  vec4 crop;     // of inputs
  vec4 quantized;    // of inputs
  ivec4 object;  // its channels and slices; words in a row of the grid
};

// Channels that the tensor lacks are 0, and the object's alpha opaque.
vec4 object_of(ivec4 p) {
  vec4 v = vec4(0.0);
  if (p.z < src_size.z) {
    v = (read_src(p.x, p.y, p.z, p.w) - scaling.y) / scaling.x;
  }
  for (int c = 0; c < 4; ++c) {
    if (p.z * 4 + c >= src_aux.x) {
      v[c] = OPAQUE && p.z * 4 + c == 3 ? scaling.z : 0.0;
    }
  }
  return v;
}

#ifdef TEXTURE
layout(TEXTURE, binding = HOST_BINDING) writeonly uniform highp image2D
    object_image;

void main() {
  if (outside_grid()) return;
  imageStore(object_image, gid.xy, object_of(ivec4(gid.xy, 0, 0)));
}

#elif defined(BYTES)
layout(std430, binding = HOST_BINDING) writeonly buffer Object { int words[]; };

// BYTES: 1 if signed. Ties away from zero, as in TFLite's QUANTIZE.
int bytes_of(vec4 v) {
  vec4 whole = sign(v) * floor(abs(v) + 0.5);
  vec2 range = BYTES == 1 ? vec2(-128.0, 127.0) : vec2(0.0, 255.0);
  return pack_quantized(ivec4(clamp(whole, range.x, range.y)));
}

#ifdef PHWC4
void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % object.y, gid.z / object.y);
  int at = ((p.w * object.y + p.z) * src_size.y + p.y) * src_size.x + p.x;
  words[at] = bytes_of(object_of(p));
}
#else
// Four bytes per invocation, which may span pixels, rows and batches.
void main() {
  if (outside_grid()) return;
  int word = gid.y * object.z + gid.x;
  int channels = object.x;
  int count = src_size.x * src_size.y * src_size.w * channels;
  if (word * 4 >= count) return;
  vec4 v = vec4(0.0);
  for (int k = 0; k < 4; ++k) {
    int i = word * 4 + k;
    if (i >= count) break;
    int pixel = i / channels;
    int c = i - pixel * channels;
    ivec3 p = op_pixel_at(pixel, src_size);
    v[k] = op_component(object_of(ivec4(p.xy, c >> 2, p.z)), c);
  }
  words[word] = bytes_of(v);
}
#endif

#else
layout(std430, binding = HOST_BINDING) writeonly buffer Object {
  float floats[];
};

void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % object.y, gid.z / object.y);
  vec4 v = object_of(p);
#ifdef PHWC4
  int at = (((p.w * object.y + p.z) * src_size.y + p.y) * src_size.x + p.x) * 4;
  int channels = 4;
#else
  int at = ((p.w * src_size.y + p.y) * src_size.x + p.x) * object.x + p.z * 4;
  int channels = object.x - p.z * 4;
#endif
  for (int c = 0; c < 4; ++c) {
    if (c < channels) floats[at + c] = v[c];
  }
}
#endif
