// QUANTIZE from int16, which src has multiplied by `scale`, to int32, rounded
// as in TFLite (quant/fixed_point.h's Multiply(), ties away from zero). CODE_OF
// is op_code_of, RESCALE is op_rescale. One texel per invocation.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  float scale;
  int multiplier;
  int shift;
  int zero_point;
};

void main() {
  if (outside_grid()) return;
  ivec4 p = ivec4(gid.xy, gid.z % dst_size.z, gid.z / dst_size.z);
  ivec4 quantized = ivec4(CODE_OF(read_src(p.x, p.y, p.z, p.w), vec4(scale)));
  ivec4 scaled = RESCALE(quantized, ivec4(multiplier), ivec4(shift), false);
  write_dst(p.x, p.y, p.z, p.w, scaled + zero_point);
}
