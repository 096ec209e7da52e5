// CONV_2D with a 1x1 window and stride 1, and matrix products of the same form.
// Pixels are taken flat over batch, rows and columns; an invocation makes
// TILE_PIXELS of them, TILE_SLICES output slices each.
// GATE: of batch 1; the input is multiplied by a value for each channel, and with
// ADDEND another tensor is added to that.
// HALF_ARITHMETIC: the products of four slices are made and added in 16 bits, 16
// of them; what they come to is added in 32 bits.
// FLAT: of batch 1; each plane of what is read is one row (Dispatch::flat_planes),
// so that a pixel's place takes no product for each slice. The grid is one row,
// too: the tiles of TILE_SLICES slices, then those of the next, so that lanes are
// idle in the last vector alone.
// LARGE_INDICES: the pixels or invocations are too many for op_quotient.
// PRODUCTS: the rows are apart: each has weights of its own, in rows after those
// of the row before. x counts tiles of one row, then of the next.
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

#ifdef LARGE_INDICES
#define QUOTIENT(a, b, reciprocal) ((a) / (b))
#else
#define QUOTIENT(a, b, reciprocal) op_quotient(a, reciprocal)
#endif

// pixel_at: x, y, batch. pixel_after: the pixel after p, by steps, as divisions
// cost processors a lot.
#ifdef FLAT
#define READ(tensor) tensor(place[i], 0, s, 0)

ivec3 pixel_at(int index) {
  int row = QUOTIENT(index, dst_size.x, width_reciprocal);
  return ivec3(index - row * dst_size.x, row, 0);
}

ivec3 pixel_after(ivec3 p) {
  bool wraps = p.x + 1 == dst_size.x;
  return ivec3(wraps ? 0 : p.x + 1, wraps ? p.y + 1 : p.y, 0);
}
#else
#define READ(tensor) tensor(p[i].x, p[i].y, s, p[i].z)

ivec3 pixel_at(int index) {
  int row = index / src_size.x;
  int batch = row / src_size.y;
  return ivec3(index - row * src_size.x, row - batch * src_size.y, batch);
}

// The last one again after the last.
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
  int slice_tile = QUOTIENT(gid.x, tiles, tiles_reciprocal);
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

  // Past the last pixel or slice the last is made again and not written.
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
    vec4 bias = weights_at(src_size.z * 4, row);
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
  // A do {} while loop from a zero that no compiler knows: see shader.h.
  int s = UNKNOWN_ZERO;
  do {
    TERM vec4 v[TILE_PIXELS];
    for (int i = 0; i < TILE_PIXELS; ++i) {
      v[i] = READ(read_src);
    }
#ifdef GATE
    vec4 gate = read_gate(0, 0, s, 0);
    for (int i = 0; i < TILE_PIXELS; ++i) {
      v[i] *= gate;
#ifdef ADDEND
      v[i] += READ(read_addend);
#endif
    }
#endif
    for (int q = 0; q < TILE_SLICES; ++q) {
      int row = first_row + min(first_slice + q, dst_size.z - 1);
      TERM vec4 w0 = weights_at(s * 4, row);
      TERM vec4 w1 = weights_at(s * 4 + 1, row);
      TERM vec4 w2 = weights_at(s * 4 + 2, row);
      TERM vec4 w3 = weights_at(s * 4 + 3, row);
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

#ifdef FLAT
  // No compiler knows the zero, so the loop is not unrolled: stores are much text,
  // and a first start waits for the compiler. The sums of the next slice move up.
  int slices = min(TILE_SLICES + UNKNOWN_ZERO, dst_size.z - first_slice);
  int q = UNKNOWN_ZERO;
  do {
    for (int i = 0; i < TILE_PIXELS; ++i) {
      if (first_pixel + i >= pixels) break;
      write_dst(p[i].x, p[i].y, first_slice + q, p[i].z, sum[0][i]);
    }
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
