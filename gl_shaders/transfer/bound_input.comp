// Reads an app's texture or buffer into texels, one per invocation
// (delegate/runtime/schedule.cc).
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  vec4 scaling;  // value = x * the object's value + y; z: its opaque alpha
  vec4 crop;     // RESIZED: x, y, width and height in the object's pixels;
                 // width 0: all of them
  vec4 quantized;    // QUANTIZED: scale, zero point, minimum and maximum
  ivec4 object;  // its channels and slices
};

#ifdef TEXTURE
#ifdef EXTERNAL
layout(binding = HOST_BINDING) uniform highp samplerExternalOES object_texture;
#else
layout(binding = HOST_BINDING) uniform highp sampler2D object_texture;
#endif

vec4 object_at(ivec4 p) { return texelFetch(object_texture, p.xy, 0); }

#ifdef RESIZED
// Bilinear, with half-pixel centers, clamped to the crop's edges.
vec4 resized_at(ivec4 p) {
#ifdef EXTERNAL
  // Drivers do not report its size (llvmpipe: 0), but the app does.
  vec4 part = crop;
  vec2 size = ceil(part.xy + part.zw);
#else
  vec2 size = vec2(textureSize(object_texture, 0));
  vec4 part = crop.z > 0.0 ? crop : vec4(0.0, 0.0, size);
#endif
  vec2 at = part.xy + (vec2(p.xy) + 0.5) * part.zw / vec2(dst_size.xy) - 0.5;
  vec2 first = clamp(floor(part.xy), vec2(0.0), size - 1.0);
  vec2 last = clamp(ceil(part.xy + part.zw) - 1.0, first, size - 1.0);
  at = clamp(at, first, last);
  vec2 near = floor(at);
  vec2 blend = at - near;
  ivec2 low = ivec2(near);
  ivec2 high = ivec2(min(near + 1.0, last));
  vec4 upper = mix(texelFetch(object_texture, low, 0),
                   texelFetch(object_texture, ivec2(high.x, low.y), 0), blend.x);
  vec4 lower = mix(texelFetch(object_texture, ivec2(low.x, high.y), 0),
                   texelFetch(object_texture, high, 0), blend.x);
  return mix(upper, lower, blend.y);
}
#else
vec4 resized_at(ivec4 p) { return object_at(p); }
#endif

#else
#ifdef BYTES
layout(std430, binding = HOST_BINDING) readonly buffer Object { int words[]; };

// BYTES: 1 if signed.
float element_at(int i) {
  int word = words[i >> 2] << (24 - 8 * (i & 3));
  return BYTES == 1 ? float(word >> 24) : float(uint(word) >> 24u);
}
#else
layout(std430, binding = HOST_BINDING) readonly buffer Object { float floats[]; };

float element_at(int i) { return floats[i]; }
#endif

vec4 resized_at(ivec4 p) {
#ifdef PHWC4
  int at = (((p.w * object.y + p.z) * dst_size.y + p.y) * dst_size.x + p.x) * 4;
  int channels = 4;
#else
  int at = ((p.w * dst_size.y + p.y) * dst_size.x + p.x) * object.x + p.z * 4;
  int channels = object.x - p.z * 4;
#endif
  vec4 v = vec4(0.0);
  for (int c = 0; c < 4; ++c) {
    if (c < channels) v[c] = element_at(at + c);
  }
  return v;
}
#endif

ELEMENT4 dst_texel(ivec4 p) {
  vec4 v = resized_at(p);
  // Channels that the object lacks are 0, and its alpha opaque.
  if (object.x < dst_aux.x) {
    for (int c = 0; c < 4; ++c) {
      if (c >= object.x) v[c] = c == 3 ? scaling.z : 0.0;
    }
  }
  v = v * scaling.x + scaling.y;
#ifdef QUANTIZED
  v = op_quantize(v, quantized);
#endif
  return v;
}
