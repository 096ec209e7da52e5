// ADD and SUB of two tensors of codes, as quant/fixed_point.h's Add() has it. One texel
// an invocation.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 multiplier;  // of a, of b, of the sum; 1 to add b, -1 to subtract it
  ivec4 shift;
  ivec4 range;       // least and greatest code, less the zero point
};

void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
  ivec4 a = ivec4(read_a(p.x, p.y, p.z, p.w)) << 20;
  ivec4 b = ivec4(read_b(p.x, p.y, p.z, p.w)) << 20;
  ivec4 sum = op_rescale(a, multiplier.xxxx, shift.xxxx, false) +
              multiplier.w * op_rescale(b, multiplier.yyyy, shift.yyyy, false);
  sum = op_rescale(sum, multiplier.zzzz, shift.zzzz, false);
  write_dst(p.x, p.y, p.z, p.w, vec4(clamp(sum, range.x, range.y)));
}
