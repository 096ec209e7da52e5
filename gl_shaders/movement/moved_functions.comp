// Functions of values that lie elsewhere in other tensors (MovedFunctionsAttributes).
// MOVED_VALUE: the function moved_value(), by MOVE_PARAMS. Grid: one texel of dst.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  MOVE_PARAMS
};

MOVED_VALUE

void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
  write_dst(p.x, p.y, p.z, p.w, moved_value(p, dst_size));
}
