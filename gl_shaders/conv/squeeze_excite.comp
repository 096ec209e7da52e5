// The channel scale of a squeeze-excite block: the mean of each channel of src
// over its plane, the product of a matrix and these means, and with EXCITE the
// product of another matrix and INNER_STAGE of the first product. One work group
// per batch, since each step needs the whole previous one; a power of two of
// invocations, its lanes, shares each sum. INPUT_STAGE: functions of src.
// VALUES: texels for the means and the first product. BANDS: sums bands of
// pixels of a large plane, with a work group for each band (x) and slice (y);
// the mean of the result over bands is the mean of the plane.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
#ifdef BANDS
  int band_pixels;
  float scale;  // bands / pixels
#else
  ivec4 lanes;      // of a mean, of a sum of each product; slices of the first
  ivec4 lane_bits;  // the logarithms of these three numbers; channels of the first
#endif
  float width_reciprocal;  // of src's width
};

shared vec4 partial[WORK_GROUP_X];
#ifndef BANDS
shared vec4 values[VALUES];
#endif

// The sum of `count` neighbours' values, a power of two, in the first of them.
// All invocations must call it. Each step adds four values, or the last two.
vec4 sum_of_lanes(vec4 v, int index, int lane, int count) {
  partial[index] = v;
  for (int left = count; left > 1;) {
    int apart = left > 2 ? left / 4 : 1;
    barrier();
    if (lane < apart) {
      v += partial[index + apart];
      if (left > 2) {
        v += partial[index + 2 * apart] + partial[index + 3 * apart];
      }
      partial[index] = v;
    }
    left = apart;
  }
  return v;
}

// Sums every `step`th pixel of a slice in [begin, end), with kAtATime texels
// loaded at a time.
vec4 sum_of_pixels(int slice, int batch, int begin, int end, int step) {
  const int kAtATime = 4;
  vec4 sum = vec4(0.0);
  for (int first = begin; first < end; first += kAtATime * step) {
    vec4 v[kAtATime];
    for (int i = 0; i < kAtATime; ++i) {
      int p = min(first + i * step, end - 1);
      int y = op_quotient(p, src_size.x, width_reciprocal);
      int x = p - y * src_size.x;
      v[i] = read_src(x, y, slice, batch);
#ifdef INPUT_STAGE
      v[i] = input_stage(x, y, slice, batch, v[i]);
#endif
    }
    for (int i = 0; i < kAtATime; ++i) {
      sum += first + i * step < end ? v[i] : vec4(0.0);
    }
  }
  return sum;
}

#ifdef BANDS
void main() {
  int index = int(gl_LocalInvocationIndex);
  int band = int(gl_WorkGroupID.x);
  int slice = int(gl_WorkGroupID.y);
  int begin = band * band_pixels;
  int end = min(begin + band_pixels, src_size.x * src_size.y);
  vec4 sum = sum_of_pixels(slice, gid.z, begin + index, end, WORK_GROUP_X);
  sum = sum_of_lanes(sum, index, index, WORK_GROUP_X);
  if (index == 0) write_dst(band, 0, slice, gid.z, sum * scale);
}
#else
// The weights of one term, by channel.
mat4 squeeze_term(int term, int slice) {
  return mat4(squeeze_at(term * 4, slice), squeeze_at(term * 4 + 1, slice),
              squeeze_at(term * 4 + 2, slice), squeeze_at(term * 4 + 3, slice));
}

vec4 product(mat4 w, vec4 v) {
  return w[0] * v.x + w[1] * v.y + w[2] * v.z + w[3] * v.w;
}

// `own`: the weights of the lane's first term.
vec4 part_of_first(mat4 own, int slice, int lane, int count) {
  vec4 sum = lane < src_size.z ? product(own, values[lane]) : vec4(0.0);
  for (int t = lane + count; t < src_size.z; t += count) {
    sum += product(squeeze_term(t, slice), values[t]);
  }
  return sum;
}

#ifdef EXCITE
// `v` of slice s of the first product, with zeros past its last channel: there a
// weight of zero times an infinite mean is NaN, as would be every sum of it.
vec4 without_padding(vec4 v, int s) {
  return mix(vec4(0.0), v, lessThan(ivec4(s * 4) + ivec4(0, 1, 2, 3), lane_bits.wwww));
}

mat4 excite_term(int term, int slice) {
  return mat4(excite_at(term * 4, slice), excite_at(term * 4 + 1, slice),
              excite_at(term * 4 + 2, slice), excite_at(term * 4 + 3, slice));
}

vec4 part_of_second(mat4 own, int slice, int lane, int count) {
  vec4 sum = lane < lanes.w ? product(own, values[src_size.z + lane]) : vec4(0.0);
  for (int t = lane + count; t < lanes.w; t += count) {
    sum += product(excite_term(t, slice), values[src_size.z + t]);
  }
  return sum;
}
#endif

void main() {
  int index = int(gl_LocalInvocationIndex);
  int batch = gid.z;

  // The weights of both products are loaded before the mean, so that the loads
  // do not wait for its sums.
  int first_slice = index >> lane_bits.y;
  int first_lane = index & (lanes.y - 1);
  bool in_first = first_slice < lanes.w;
  mat4 first_weights = mat4(0.0);
  vec4 first_bias = vec4(0.0);
  if (in_first) {
    first_weights = squeeze_term(min(first_lane, src_size.z - 1), first_slice);
    first_bias = squeeze_at(squeeze_size.x - 1, first_slice);
  }
#ifdef EXCITE
  int second_slice = index >> lane_bits.z;
  int second_lane = index & (lanes.z - 1);
  bool in_second = second_slice < dst_size.z;
  mat4 second_weights = mat4(0.0);
  vec4 second_bias = vec4(0.0);
  if (in_second) {
    second_weights = excite_term(min(second_lane, lanes.w - 1), second_slice);
    second_bias = excite_at(excite_size.x - 1, second_slice);
  }
#endif

  int slice = index >> lane_bits.x;
  int lane = index & (lanes.x - 1);
  bool within = slice < src_size.z;
  int pixels = src_size.x * src_size.y;
  vec4 sum = within ? sum_of_pixels(slice, batch, lane, pixels, lanes.x) : vec4(0.0);
  sum = sum_of_lanes(sum, index, lane, lanes.x);
  if (within && lane == 0) values[slice] = sum / float(pixels);
  barrier();

  sum = in_first ? part_of_first(first_weights, first_slice, first_lane, lanes.y)
                 : vec4(0.0);
  sum = sum_of_lanes(sum, index, first_lane, lanes.y);
  if (in_first && first_lane == 0) {
    sum += first_bias;
#ifdef EXCITE
    sum = inner_stage(0, 0, first_slice, batch, sum);
    values[src_size.z + first_slice] = without_padding(sum, first_slice);
#else
    write_dst(0, 0, first_slice, batch, sum);
#endif
  }

#ifdef EXCITE
  barrier();
  sum = in_second
            ? part_of_second(second_weights, second_slice, second_lane, lanes.z)
            : vec4(0.0);
  sum = sum_of_lanes(sum, index, second_lane, lanes.z);
  if (in_second && second_lane == 0) {
    write_dst(0, 0, second_slice, batch, sum + second_bias);
  }
#endif
}
#endif
