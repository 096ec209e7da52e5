// Functions of values that lie elsewhere in other tensors (MovedFunctionsAttributes).
// MOVED_PARTS: returns the value of each part of the slices, by MOVE_PARAMS. Grid: one texel of dst.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  MOVE_PARAMS
};

// The values at p of a tensor of this size.
vec4 moved_value(ivec4 p, ivec4 size) {
  int pixel = (p.w * size.y + p.y) * size.x + p.x;
  MOVED_PARTS
  return vec4(0.0);
}

ELEMENT4 dst_texel(ivec4 p) { return moved_value(p, dst_size); }
