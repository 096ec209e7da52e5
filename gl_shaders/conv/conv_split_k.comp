// CONV_2D with split-K, for outputs too small to fill the device: LANES
// invocations of a work group share the sums of a tile of TILE_PIXELS pixels by
// TILE_SLICES output slices. Grid: x tiles of pixels (flat over batch, rows,
// columns), y tiles of slices, z lanes.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
  ivec4 stride_pad;  // stride x, y; padding left, top
  ivec4 window;      // width, height; dilation x, y
  ivec4 sum_shape;   // pixels, terms of four channels (taps * slices), slices
};

const int kCells = WORK_GROUP_X * WORK_GROUP_Y;
const int kTile = TILE_PIXELS * TILE_SLICES;
// By output of the tile, lane, cell: neighbours in a work group are adjacent.
shared vec4 partial[kTile * LANES * kCells];

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

void main() {
  // No early return, since a barrier follows. Past the end, the last one
  // repeats.
  int lane = int(gl_LocalInvocationID.z);
  int first_slice = gid.y * TILE_SLICES;
  ivec3 p[TILE_PIXELS];
  for (int i = 0; i < TILE_PIXELS; ++i) {
    p[i] = op_pixel_at(min(gid.x * TILE_PIXELS + i, sum_shape.x - 1), dst_size);
  }
  vec4 sum[TILE_SLICES][TILE_PIXELS];
  for (int q = 0; q < TILE_SLICES; ++q) {
    for (int i = 0; i < TILE_PIXELS; ++i) sum[q][i] = vec4(0.0);
  }

  for (int term = lane; term < sum_shape.y; term += LANES) {
    vec4 v[TILE_PIXELS];
    for (int i = 0; i < TILE_PIXELS; ++i) v[i] = source(p[i], term);
    for (int q = 0; q < TILE_SLICES; ++q) {
      ivec2 at = weight_texel(min(first_slice + q, dst_size.z - 1), term);
      vec4 w0 = weights_at(at.x, at.y);
      vec4 w1 = weights_at(at.x + 1, at.y);
      vec4 w2 = weights_at(at.x + 2, at.y);
      vec4 w3 = weights_at(at.x + 3, at.y);
      for (int i = 0; i < TILE_PIXELS; ++i) {
        sum[q][i] += w0 * v[i].x;
        sum[q][i] += w1 * v[i].y;
        sum[q][i] += w2 * v[i].z;
        sum[q][i] += w3 * v[i].w;
      }
    }
  }

  int cell = int(gl_LocalInvocationID.y) * WORK_GROUP_X +
             int(gl_LocalInvocationID.x);
  for (int q = 0; q < TILE_SLICES; ++q) {
    for (int i = 0; i < TILE_PIXELS; ++i) {
      partial[((q * TILE_PIXELS + i) * LANES + lane) * kCells + cell] = sum[q][i];
    }
  }
  barrier();

  // The lanes divide the tile's outputs.
  for (int o = lane; o < kTile; o += LANES) {
    int slice = first_slice + o / TILE_PIXELS;
    int pixel = gid.x * TILE_PIXELS + o % TILE_PIXELS;
    if (pixel >= sum_shape.x || slice >= dst_size.z) continue;
    vec4 total = weights_at(weights_size.x - 1, slice * window.x * window.y);
    for (int i = 0; i < LANES; ++i) total += partial[(o * LANES + i) * kCells + cell];
    ivec3 at = op_pixel_at(pixel, dst_size);
    write_dst(at.x, at.y, slice, at.z, total);
  }
}
