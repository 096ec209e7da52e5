// Where the texels of a tensor lie that has no memory of its own (View of
// gl_shaders/shader.h).

// The texel (x, y, slice) of DEPTH_TO_SPACE's source that is texel `at` of its
// result, whose slices are whole.
ivec3 op_depth_to_space(ivec3 at, int block, int slices) {
  ivec2 q = at.xy / block;
  ivec2 within = at.xy - q * block;
  return ivec3(q, (within.y * block + within.x) * slices + at.z);
}

// Where texel `at` of a tensor of `size` lies among the pixels that follow one
// another in a row, of `slices` each: (x, 0, slice).
ivec3 op_row_texel(ivec3 at, ivec3 size, int slices) {
  int part = at.z / slices;
  int first = (at.y * size.x + at.x) * (size.z / slices);
  return ivec3(first + part, 0, at.z - part * slices);
}

// The source pixels that RESIZE_BILINEAR's pixel p lies between, with TFLite's
// clamping at the borders: (low, high); `part` is how far p is from low. `size`
// is the source's, `scale` source pixels an output pixel; shift is 0.5 where
// pixels are at their centers.
ivec4 op_pixels_around(ivec2 p, vec2 scale, float shift, ivec2 size,
                       out vec2 part) {
  vec2 at = (vec2(p) + shift) * scale - shift;
  // Both stay inside the image, so a part below 0 or above 1 weighs equal texels.
  ivec2 low = clamp(ivec2(floor(at)), ivec2(0), size - 1);
  ivec2 high = clamp(ivec2(ceil(at)), ivec2(0), size - 1);
  part = at - vec2(low);
  return ivec4(low, high);
}

// The first and the last pixel of MAX_POOL_2D's window for pixel p, which has no
// others where it is of at most 2x2: (first, last). `steps` are the source
// pixels from one window to the next, and from a window's first pixel to its
// last one; `size` is the source's. What lies outside counts as the nearest pixel
// inside, which the window has too.
ivec4 op_window_corners(ivec2 p, ivec4 steps, ivec2 size) {
  ivec2 first = p * steps.xy;
  return ivec4(first, min(first + steps.zw, size - 1));
}
