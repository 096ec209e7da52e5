// Products of quantized values in a window of source texels, in TFLite's
// row-major order: each product except the first value, and the final one once
// more, is rescaled in 64 bits (quant/fixed_point.h's Int16Multiplier) and
// truncated to 32. With CHANNELS the window includes all channels. RESCALE_64
// is op_rescale_64. One output texel per invocation.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 window;  // x, y, slice, batch
  ivec4 stride;
  int multiplier;
  int right;
};

ivec4 scaled(ivec4 high, uvec4 low) {
  return RESCALE_64(high, low, uvec4(multiplier), ivec4(right));
}

ivec4 next(ivec4 product, ivec4 value, bool first) {
  if (first) return value;
  ivec4 high, low;
  imulExtended(product, value, high, low);
  return scaled(high, uvec4(low));
}

ELEMENT4 dst_texel(ivec4 p) {
  ivec4 from = p * stride;
  ivec4 product = ivec4(0);
  bool first = true;
  for (int b = 0; b < window.w; ++b) {
    for (int y = 0; y < window.y; ++y) {
      for (int x = 0; x < window.x; ++x) {
#ifdef CHANNELS
        for (int c = 0; c < src_aux.x; ++c) {
          ivec4 q = from + ivec4(x, y, c >> 2, b);
          int value = int(op_component(read_src(q.x, q.y, q.z, q.w), c));
          product = next(product, ivec4(value), first);
          first = false;
        }
#else
        ivec4 q = from + ivec4(x, y, 0, b);
        product = next(product, ivec4(read_src(q.x, q.y, q.z, q.w)), first);
        first = false;
#endif
      }
    }
  }
  product = scaled(mix(ivec4(0), ivec4(-1), lessThan(product, ivec4(0))),
                   uvec4(product));
  return vec4(product);
}
