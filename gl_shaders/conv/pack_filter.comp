// Packs weights of a convolution or matrix product computed at run time, in the
// layout of PackFilter (delegate/ops/conv/conv_weights.h): texel (input
// channel, output slice * taps + tap) has four outputs. Zeros instead of the
// bias.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 shape;       // outputs, taps, inputs of a group, outputs of a group
  int group_inputs;  // from one group's first packed channel to the next's
};

// Element `index` of output `output_channel`, in the tensor's order.
float weight(int output_channel, int index) {
  int pixel = index / raw_aux.x;
  int channel = index - pixel * raw_aux.x;
  int y = pixel / raw_size.x;
  return op_component(
      read_raw(pixel - y * raw_size.x, y, channel / 4, output_channel), channel);
}

void main() {
  if (outside_grid()) return;
  int slice = gid.y / shape.y;
  int tap = gid.y - slice * shape.y;
  vec4 v = vec4(0.0);
  for (int j = 0; j < 4; ++j) {
    int o = slice * 4 + j;
    int i = gid.x - o / shape.w * group_inputs;
    if (o < shape.x && i >= 0 && i < shape.z) v[j] = weight(o, tap * shape.z + i);
  }
  write_packed_weights(gid.x, gid.y, 0, 0, v);
}
