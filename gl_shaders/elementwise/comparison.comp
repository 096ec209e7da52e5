// dst = COMPARE(a, b) as 1 or 0; both are broadcast to dst's shape. LANES_A and
// LANES_B are xxxx for tensors with one channel for all of dst's, else xyzw.
// One texel per invocation.
//
// RESCALE (op_rescale) is defined for quantized values: they are compared
// as in TFLite, scaled in integers (quant/fixed_point.h's ComparedValue).
// `scaling_a` and `scaling_b` have the multiplier, the shift, and the bits of
// one quantization step in the values read.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
#ifdef RESCALE
  ivec4 scaling_a;
  ivec4 scaling_b;
#endif
};

#ifdef RESCALE
ivec4 scaled(vec4 x, ivec4 scaling) {
  ivec4 steps = ivec4(floor(x / intBitsToFloat(scaling.z) + 0.5));
  return RESCALE(steps << 8, ivec4(scaling.x), ivec4(scaling.y), false);
}
#define SIDE_A(v) scaled(v, scaling_a)
#define SIDE_B(v) scaled(v, scaling_b)
#else
#define SIDE_A(v) v
#define SIDE_B(v) v
#endif

ELEMENT4 dst_texel(ivec4 p) {
  // Broadcasting is a clamp: an axis of extent 1 is always read at index 0.
  ivec4 i = min(p, a_size - 1);
  ivec4 j = min(p, b_size - 1);
  bvec4 holds = COMPARE(SIDE_A(read_a(i.x, i.y, i.z, i.w).LANES_A),
                        SIDE_B(read_b(j.x, j.y, j.z, j.w).LANES_B));
  return ivec4(holds);
}
