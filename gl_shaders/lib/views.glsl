// Addressing of texels of tensors without memory of their own (View of
// gl_shaders/shader.h).

// The texel (x, y, slice) of DEPTH_TO_SPACE's source for texel `at` of its
// result, which has whole slices.
ivec3 op_depth_to_space(ivec3 at, int block, int slices) {
  ivec2 q = at.xy / block;
  ivec2 within = at.xy - q * block;
  return ivec3(q, (within.y * block + within.x) * slices + at.z);
}

// The position of texel `at` of a tensor of `size` among consecutive pixels of
// a row, with `slices` each: (x, 0, slice).
ivec3 op_row_texel(ivec3 at, ivec3 size, int slices) {
  int part = at.z / slices;
  int first = (at.y * size.x + at.x) * (size.z / slices);
  return ivec3(first + part, 0, at.z - part * slices);
}

// The source pixels around RESIZE_BILINEAR's pixel p, clamped at the borders as
// in TFLite: (low, high); `part` is the distance from low. `size`: of the
// source; `scale`: source pixels per output pixel; `shift`: 0.5 for half-pixel
// centers.
ivec4 op_pixels_around(ivec2 p, vec2 scale, float shift, ivec2 size,
                       out vec2 part) {
  vec2 at = (vec2(p) + shift) * scale - shift;
  // Both are inside the image, so a part below 0 or above 1 weighs equal
  // texels.
  ivec2 low = clamp(ivec2(floor(at)), ivec2(0), size - 1);
  ivec2 high = clamp(ivec2(ceil(at)), ivec2(0), size - 1);
  part = at - vec2(low);
  return ivec4(low, high);
}

// The first and last pixel of MAX_POOL_2D's window for pixel p, which are all
// for at most 2x2: (first, last). `steps`: the strides, and the distances from
// a window's first to its last pixel; `size`: of the source. Pixels outside are
// clamped to the nearest pixel, which is in the window as well.
ivec4 op_window_corners(ivec2 p, ivec4 steps, ivec2 size) {
  ivec2 first = p * steps.xy;
  return ivec4(first, min(first + steps.zw, size - 1));
}
