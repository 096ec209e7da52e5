// CONV_2D with a 1x1 window and stride 1, and equivalent matrix products.
// Pixels are indexed flat over batch, rows and columns; an invocation computes
// TILE_PIXELS of them in TILE_SLICES output slices.
// - INPUT_STAGE: functions of the input.
// - HALF_ARITHMETIC: multiplies and sums the 16 products of four slices in 16
//   bits; these sums are added in 32 bits.
// - FLAT: for batch 1; each plane of the input is one row
//   (Dispatch::flat_planes), so that addressing needs no multiplication per
//   slice. The grid is one row, too: all tiles of the first TILE_SLICES slices,
//   then the next, so that only the last vector has idle lanes.
// - LARGE_INDICES: too many pixels or invocations for op_quotient.
// - QUANTIZED: the weights are quantized rows.
// - PRODUCTS: rows have separate weights, stored one after the other. x counts
//   the tiles of one row, then of the next.
layout(std140, binding = 0) uniform Params {
  COMMON_PARAMS
#ifdef FLAT
  int tiles;  // of a slice
  float tiles_reciprocal;
  float width_reciprocal;  // of dst
#endif
};

#ifdef HALF_ARITHMETIC
#define TERM mediump
#else
#define TERM highp
#endif

#define UNKNOWN_ZERO grid.w

// pixel_at: x, y, batch. pixel_after: the pixel after p, by increments, since
// divisions are slow on CPUs.
#ifdef FLAT
#define PLACE(i) place[i], 0, s, 0

ivec3 pixel_at(int index) {
  int row = op_quotient(index, dst_size.x, width_reciprocal);
  return ivec3(index - row * dst_size.x, row, 0);
}

ivec3 pixel_after(ivec3 p) {
  bool wraps = p.x + 1 == dst_size.x;
  return ivec3(wraps ? 0 : p.x + 1, wraps ? p.y + 1 : p.y, 0);
}
#else
#define PLACE(i) p[i].x, p[i].y, s, p[i].z

ivec3 pixel_at(int index) { return op_pixel_at(index, src_size); }

// Repeats the last pixel.
ivec3 pixel_after(ivec3 p) {
  bool wraps_x = p.x + 1 == src_size.x;
  bool wraps_y = wraps_x && p.y + 1 == src_size.y;
  ivec3 next = ivec3(wraps_x ? 0 : p.x + 1,
                     wraps_y ? 0 : (wraps_x ? p.y + 1 : p.y),
                     wraps_y ? p.z + 1 : p.z);
  return next.z == src_size.w ? p : next;
}
#endif

void main() {
#ifdef FLAT
  if (gid.x >= grid.x) return;
  int slice_tile = op_quotient(gid.x, tiles, tiles_reciprocal);
  int first_slice = slice_tile * TILE_SLICES;
  int first_pixel = (gid.x - slice_tile * tiles) * TILE_PIXELS;
  int pixels = src_size.x;
  const int first_row = 0;
#else
  if (outside_grid()) return;
  int first_slice = gid.y * TILE_SLICES;
#ifdef PRODUCTS
  int tiles = (src_size.x + TILE_PIXELS - 1) / TILE_PIXELS;
  int product = gid.x / tiles;
  int first_pixel = product * src_size.x + (gid.x - product * tiles) * TILE_PIXELS;
  int pixels = (product + 1) * src_size.x;
  int first_row = product * dst_size.z;
#else
  int first_pixel = gid.x * TILE_PIXELS;
  int pixels = src_size.x * src_size.y * src_size.w;
  const int first_row = 0;
#endif
#endif

  // Past the end, the last pixel or slice is computed again and not written.
  ivec3 p[TILE_PIXELS];
  p[0] = pixel_at(first_pixel);
  for (int i = 1; i < TILE_PIXELS; ++i) p[i] = pixel_after(p[i - 1]);
#ifdef FLAT
  int place[TILE_PIXELS];
  for (int i = 0; i < TILE_PIXELS; ++i) place[i] = min(first_pixel + i, pixels - 1);
#endif
  vec4 sum[TILE_SLICES][TILE_PIXELS];
  for (int q = 0; q < TILE_SLICES; ++q) {
    int row = first_row + min(first_slice + q, dst_size.z - 1);
#ifdef QUANTIZED
    vec4 bias = weights_bias(row);
#else
    vec4 bias = weights_at(src_size.z * 4, row);
#endif
    for (int i = 0; i < TILE_PIXELS; ++i) sum[q][i] = bias;
  }

#ifdef HALF_ARITHMETIC
  mediump vec4 part[TILE_SLICES][TILE_PIXELS];
  for (int q = 0; q < TILE_SLICES; ++q) {
    for (int i = 0; i < TILE_PIXELS; ++i) part[q][i] = vec4(0.0);
  }
#else
#define part sum
#endif
  // do {} while from grid.w: see shader.h.
  int s = UNKNOWN_ZERO;
  do {
    TERM vec4 v[TILE_PIXELS];
    for (int i = 0; i < TILE_PIXELS; ++i) {
      v[i] = read_src(PLACE(i));
#ifdef INPUT_STAGE
      v[i] = input_stage(PLACE(i), v[i]);
#endif
    }
    for (int q = 0; q < TILE_SLICES; ++q) {
      int row = first_row + min(first_slice + q, dst_size.z - 1);
#ifdef QUANTIZED
      mat4 w = weights_quantized(s, row);
      vec4 scale = weights_scale(s, row);
      TERM vec4 w0 = w[0] * scale;
      TERM vec4 w1 = w[1] * scale;
      TERM vec4 w2 = w[2] * scale;
      TERM vec4 w3 = w[3] * scale;
#else
      TERM vec4 w0 = weights_at(s * 4, row);
      TERM vec4 w1 = weights_at(s * 4 + 1, row);
      TERM vec4 w2 = weights_at(s * 4 + 2, row);
      TERM vec4 w3 = weights_at(s * 4 + 3, row);
#endif
      for (int i = 0; i < TILE_PIXELS; ++i) {
        part[q][i] += w0 * v[i].x + w1 * v[i].y + w2 * v[i].z + w3 * v[i].w;
      }
    }
#ifdef HALF_ARITHMETIC
    if ((s & 3) == 3 || s + 1 == src_size.z) {
      for (int q = 0; q < TILE_SLICES; ++q) {
        for (int i = 0; i < TILE_PIXELS; ++i) {
          sum[q][i] += part[q][i];
          part[q][i] = vec4(0.0);
        }
      }
    }
#endif
  } while (++s < src_size.z);

#if defined(FLAT) || TILE_PIXELS * TILE_SLICES > 32
#if TILE_PIXELS * TILE_SLICES > 32 && TILE_PIXELS % 4 == 0
#define STEP 4
#else
#define STEP TILE_PIXELS
#endif
  // The compiler does not know the zero, so it does not unroll these loops:
  // stores are much code, which a first start has to compile. The sums of the
  // slice move up by a step, then all by one slice.
  int slices = min(TILE_SLICES + UNKNOWN_ZERO, dst_size.z - first_slice);
  int q = UNKNOWN_ZERO;
  do {
    ivec3 at = p[0];
    int first = first_pixel + UNKNOWN_ZERO;
    do {
      for (int i = 0; i < STEP; ++i) {
        if (first + i >= pixels) break;
        write_dst(at.x, at.y, first_slice + q, at.z, sum[0][i]);
        at = pixel_after(at);
      }
      for (int i = STEP; i < TILE_PIXELS; ++i) sum[0][i - STEP] = sum[0][i];
      first += STEP;
    } while (first < min(first_pixel + TILE_PIXELS, pixels));
    for (int r = 1; r < TILE_SLICES; ++r) {
      for (int i = 0; i < TILE_PIXELS; ++i) sum[r - 1][i] = sum[r][i];
    }
  } while (++q < slices);
#else
  for (int q = 0; q < TILE_SLICES; ++q) {
    if (first_slice + q >= dst_size.z) break;
    for (int i = 0; i < TILE_PIXELS; ++i) {
      if (first_pixel + i >= pixels) break;
      write_dst(p[i].x, p[i].y, first_slice + q, p[i].z, sum[q][i]);
    }
  }
#endif
}
