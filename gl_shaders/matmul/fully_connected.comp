// FULLY_CONNECTED for few rows: dst row m is the sum over k of row m of src,
// flat in BHWC order, times the weights. LANES invocations of a work group
// share the sum of one output slice of TILE_ROWS rows, so that a short row
// fills the device.
// - ELEMENTS: rows of src begin inside texels.
// - PIXELS: a row of src is a pixel.
// - QUANTIZED: the weights are quantized rows, which have all inputs in a row.
// Grid: x lanes, y output slices, z tiles of rows; with one lane x output slices.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 row_shape;  // rows, texels a row, pixels a row, K
};

// x, y, batch
ivec3 pixel_at(int index, ivec4 size) {
  int row = index / size.x;
  int batch = row / size.y;
  return ivec3(index - row * size.x, row - batch * size.y, batch);
}

#ifdef ELEMENTS
// K is not a multiple of the channels.
float element_at(int index) {
  int channel = index % src_aux.x;
  ivec3 p = pixel_at(index / src_aux.x, src_size);
  return op_component(read_src(p.x, p.y, channel / 4, p.z), channel);
}

vec4 row_texel(int m, int t) {
  vec4 v = vec4(0.0);
  for (int i = 0; i < 4; ++i) {
    int k = t * 4 + i;
    if (k < row_shape.w) v[i] = element_at(m * row_shape.w + k);
  }
  return v;
}
ivec2 weight_texel(int t, int slice) { return ivec2(t * 4, slice); }
#else
vec4 row_texel(int m, int t) {
  int pixel = t / src_size.z;
  ivec3 p = pixel_at(m * row_shape.z + pixel, src_size);
  return read_src(p.x, p.y, t - pixel * src_size.z, p.z);
}
ivec2 weight_texel(int t, int slice) {
  int pixel = t / src_size.z;
  return ivec2((t - pixel * src_size.z) * 4, slice * row_shape.z + pixel);
}
#endif

void put(int row, int slice, vec4 v) {
  if (row >= row_shape.x) return;
  ivec3 p = pixel_at(row, dst_size);
  write_dst(p.x, p.y, slice, p.z, v);
}

#if LANES > 1
shared vec4 partial[LANES * WORK_GROUP_Y * TILE_ROWS];
#endif

void main() {
  // No early return, since barriers follow. Past the end, the last one repeats.
#if LANES > 1
  int slice = min(gid.y, dst_size.z - 1);
#ifdef QUANTIZED
  int t = gid.x * weights_fours + grid.w;
#else
  int t = gid.x + grid.w;
#endif
#else
  int slice = min(gid.x, dst_size.z - 1);
  int t = grid.w;
#endif
  int first_row = gid.z * TILE_ROWS;
  vec4 sum[TILE_ROWS];
  for (int r = 0; r < TILE_ROWS; ++r) sum[r] = vec4(0.0);
#ifdef PIXELS
  ivec3 from[TILE_ROWS];
  for (int r = 0; r < TILE_ROWS; ++r) {
    from[r] = pixel_at(min(first_row + r, row_shape.x - 1), src_size);
  }
#define ROW_TEXEL(r, t) read_src(from[r].x, from[r].y, t, from[r].z)
#else
#define ROW_TEXEL(r, t) row_texel(min(first_row + r, row_shape.x - 1), t)
#endif
  // do {} while, t from grid.w: see shader.h.
#ifdef QUANTIZED
  do {  // for each block that this lane sees
    vec4 scale = weights_scale(t, slice);
    int end = min(((t >> weights_size.z) + 1) << weights_size.z, row_shape.y);
    vec4 part[TILE_ROWS];
    for (int r = 0; r < TILE_ROWS; ++r) part[r] = vec4(0.0);
    do {
      ivec4 words = weights_words(t / weights_fours, slice);
      for (int i = 0; i < weights_fours; ++i) {
        if (i > 0 && t + i >= row_shape.y) break;
        mat4 w = weights_columns(words, i);
        for (int r = 0; r < TILE_ROWS; ++r) {
          vec4 v = ROW_TEXEL(r, t + i);
          part[r] += w[0] * v.x + w[1] * v.y + w[2] * v.z + w[3] * v.w;
        }
      }
      t += LANES * weights_fours;
    } while (t < end);
    for (int r = 0; r < TILE_ROWS; ++r) sum[r] += scale * part[r];
  } while (t < row_shape.y);
#else
  do {
    ivec2 at = weight_texel(t, slice);
    vec4 w0 = weights_at(at.x, at.y);
    vec4 w1 = weights_at(at.x + 1, at.y);
    vec4 w2 = weights_at(at.x + 2, at.y);
    vec4 w3 = weights_at(at.x + 3, at.y);
    for (int r = 0; r < TILE_ROWS; ++r) {
      vec4 v = ROW_TEXEL(r, t);
      sum[r] += w0 * v.x + w1 * v.y + w2 * v.z + w3 * v.w;
    }
    t += LANES;
  } while (t < row_shape.y);
#endif

#if LANES > 1
  int lane = int(gl_LocalInvocationID.x);
  int base = int(gl_LocalInvocationID.y) * LANES * TILE_ROWS + lane;
  for (int r = 0; r < TILE_ROWS; ++r) partial[base + r * LANES] = sum[r];
  for (int half_lanes = LANES / 2; half_lanes > 0; half_lanes /= 2) {
    memoryBarrierShared();
    barrier();
    if (lane < half_lanes) {
      for (int r = 0; r < TILE_ROWS; ++r) {
        partial[base + r * LANES] += partial[base + r * LANES + half_lanes];
      }
    }
  }
  memoryBarrierShared();
  barrier();
#endif

  if (outside_grid()) return;
#ifdef QUANTIZED
  vec4 bias = weights_bias(slice);
#else
  vec4 bias = weights_at(weights_size.x - 1, slice * row_shape.z);
#endif
#if LANES > 1
  // The lanes divide the rows: the code for a sum exists once, and no row waits
  // for another.
  for (int r = lane; r < TILE_ROWS; r += LANES) {
    put(first_row + r, slice, partial[base - lane + r * LANES] + bias);
  }
#else
  for (int r = 0; r < TILE_ROWS; ++r) put(first_row + r, slice, sum[r] + bias);
#endif
}
