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

ELEMENT4 dst_texel(ivec4 p) {
  ivec4 quantized = ivec4(CODE_OF(read_src(p.x, p.y, p.z, p.w), vec4(scale)));
  ivec4 scaled = RESCALE(quantized, ivec4(multiplier), ivec4(shift), false);
  return scaled + zero_point;
}
