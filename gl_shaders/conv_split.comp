// CONV_2D where the output alone is too small to fill the device: LANES
// invocations of a work group share the sum of one output texel. Grid: x pixels
// (flat over batch, rows, columns), y output slices, z lanes.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 stride_pad;  // stride x, y; padding left, top
  ivec4 window;      // width, height; dilation x, y
  ivec4 sum_shape;   // pixels, terms of four channels (taps * slices), slices
};

shared vec4 partial[WORK_GROUP_X * WORK_GROUP_Y * LANES];

// x, y, batch
ivec3 pixel_at(int index) {
  int row = index / dst_size.x;
  int batch = row / dst_size.y;
  return ivec3(index - row * dst_size.x, row - batch * dst_size.y, batch);
}

#ifdef POINTWISE
vec4 source(ivec3 p, int term) { return read_src(p.x, p.y, term, p.z); }
ivec2 weight_texel(int slice, int term) { return ivec2(term * 4, slice); }
#else
vec4 source(ivec3 p, int term) {
  int tap = term / sum_shape.z;
  int ky = tap / window.x;
  ivec2 at = p.xy * stride_pad.xy - stride_pad.zw +
             ivec2(tap - ky * window.x, ky) * window.zw;
  ivec2 inside = clamp(at, ivec2(0), src_size.xy - 1);
  vec4 texel = read_src(inside.x, inside.y, term - tap * sum_shape.z, p.z);
  return at == inside ? texel : vec4(0.0);
}
ivec2 weight_texel(int slice, int term) {
  int tap = term / sum_shape.z;
  return ivec2((term - tap * sum_shape.z) * 4,
               slice * window.x * window.y + tap);
}
#endif

vec4 product(vec4 v, ivec2 at) {
  return weights_at(at.x, at.y) * v.x + weights_at(at.x + 1, at.y) * v.y +
         weights_at(at.x + 2, at.y) * v.z + weights_at(at.x + 3, at.y) * v.w;
}

void main() {
  // No early return: a barrier follows. Past the end the last is made again.
  int slice = min(gid.y, dst_size.z - 1);
  ivec3 p = pixel_at(min(gid.x, sum_shape.x - 1));
  int lane = int(gl_LocalInvocationID.z);

  // Two sums, so that the loads of the one hide behind those of the other.
  vec4 even = vec4(0.0);
  vec4 odd = vec4(0.0);
  int term = lane;
  for (; term + LANES < sum_shape.y; term += 2 * LANES) {
    vec4 v0 = source(p, term);
    vec4 v1 = source(p, term + LANES);
    even += product(v0, weight_texel(slice, term));
    odd += product(v1, weight_texel(slice, term + LANES));
  }
  if (term < sum_shape.y) {
    even += product(source(p, term), weight_texel(slice, term));
  }

  int cell = int(gl_LocalInvocationID.y) * WORK_GROUP_X +
             int(gl_LocalInvocationID.x);
  partial[lane * WORK_GROUP_X * WORK_GROUP_Y + cell] = even + odd;
  memoryBarrierShared();
  barrier();
  if (lane != 0 || gid.x >= sum_shape.x || gid.y >= dst_size.z) return;

  vec4 sum = weights_at(weights_size.x - 1, slice * window.x * window.y);
  for (int i = 0; i < LANES; ++i) {
    sum += partial[i * WORK_GROUP_X * WORK_GROUP_Y + cell];
  }
  write_dst(p.x, p.y, slice, p.z, sum);
}
