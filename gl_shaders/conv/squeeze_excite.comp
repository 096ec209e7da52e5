// The gate of a squeeze-excite block: the mean of each channel of src over its
// plane, the product of a matrix and these means, and with EXCITE the product of
// another matrix and BETWEEN of the first one's results. One work group computes
// a batch, because each step needs all of the step before; a sum of a step is
// shared by a power of two of invocations, its lanes.
// ADDEND: of src plus another tensor. VALUES: texels for the means and the
// first product's results.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 lanes;          // of a mean, of a sum of each product; slices of the first
  vec4 between_params;  // of BETWEEN's function
};

shared vec4 partial[WORK_GROUP_X];
shared vec4 values[VALUES];

// The sum of what `count` neighbours have, in the first of them. Every
// invocation takes part.
vec4 sum_of_lanes(vec4 v, int index, int lane, int count) {
  partial[index] = v;
  for (int half_lanes = count / 2; half_lanes > 0; half_lanes /= 2) {
    memoryBarrierShared();
    barrier();
    if (lane < half_lanes) partial[index] += partial[index + half_lanes];
  }
  return partial[index];
}

// What lane `lane` of `count` adds up of one slice's plane.
vec4 part_of_plane(int slice, int batch, int lane, int count) {
  vec4 sum = vec4(0.0);
  int pixels = src_size.x * src_size.y;
  for (int p = lane; p < pixels; p += count) {
    int y = p / src_size.x;
    int x = p - y * src_size.x;
    sum += read_src(x, y, slice, batch);
#ifdef ADDEND
    sum += read_addend(x, y, slice, batch);
#endif
  }
  return sum;
}

vec4 part_of_first(int slice, int lane, int count) {
  vec4 sum = vec4(0.0);
  for (int t = lane; t < src_size.z; t += count) {
    vec4 v = values[t];
    sum += squeeze_at(t * 4, slice) * v.x + squeeze_at(t * 4 + 1, slice) * v.y +
           squeeze_at(t * 4 + 2, slice) * v.z + squeeze_at(t * 4 + 3, slice) * v.w;
  }
  return sum;
}

#ifdef EXCITE
vec4 part_of_second(int slice, int lane, int count) {
  vec4 sum = vec4(0.0);
  for (int t = lane; t < lanes.w; t += count) {
    vec4 v = values[src_size.z + t];
    sum += excite_at(t * 4, slice) * v.x + excite_at(t * 4 + 1, slice) * v.y +
           excite_at(t * 4 + 2, slice) * v.z + excite_at(t * 4 + 3, slice) * v.w;
  }
  return sum;
}
#endif

void main() {
  int index = int(gl_LocalInvocationIndex);
  int batch = gid.z;

  int slice = index / lanes.x;
  int lane = index - slice * lanes.x;
  bool within = slice < src_size.z;
  vec4 sum = within ? part_of_plane(slice, batch, lane, lanes.x) : vec4(0.0);
  sum = sum_of_lanes(sum, index, lane, lanes.x);
  if (within && lane == 0) values[slice] = sum / float(src_size.x * src_size.y);
  memoryBarrierShared();
  barrier();

  slice = index / lanes.y;
  lane = index - slice * lanes.y;
  within = slice < lanes.w;
  sum = within ? part_of_first(slice, lane, lanes.y) : vec4(0.0);
  sum = sum_of_lanes(sum, index, lane, lanes.y);
  if (within && lane == 0) {
    sum += squeeze_at(squeeze_size.x - 1, slice);
#ifdef EXCITE
    values[src_size.z + slice] = BETWEEN(sum);
#else
    write_dst(0, 0, slice, batch, sum);
#endif
  }

#ifdef EXCITE
  memoryBarrierShared();
  barrier();
  slice = index / lanes.z;
  lane = index - slice * lanes.z;
  within = slice < dst_size.z;
  sum = within ? part_of_second(slice, lane, lanes.z) : vec4(0.0);
  sum = sum_of_lanes(sum, index, lane, lanes.z);
  if (within && lane == 0) {
    write_dst(0, 0, slice, batch, sum + excite_at(excite_size.x - 1, slice));
  }
#endif
}
